package main

import (
	"errors"
	"fmt"

	"github.com/flaketap/flaketap/capture"
	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/export"
	"github.com/flaketap/flaketap/mock/serve"
	"github.com/urfave/cli/v2"
)

// servicesSource is where an export finds what external services answer.
type servicesSource interface {
	Stubs() ([]mock.Stub, error)
	Samples() ([]export.Sample, error)
}

// exportServicesOptions is what the flags of export ask for where it is about external services.
type exportServicesOptions struct {
	form   string // "wiremock", "hoverfly" or "openapi"
	stubs  []string
	db     string // where there are no stubs
	named  []string
	reveal bool
	late   bool         // as late as recorded
	found  []export.Set // where the stubs are those of a search: each is written by itself
	out    output       // of a file
	dir    string       // of several
	inputs []string
	talk   *console.Console
}

// run writes what external services answer.
func (o exportServicesOptions) run() error {
	switch {
	case len(o.found) > 0:
		return o.writeFound()
	case len(o.stubs) > 0:
		return o.write(serve.Folders(o.stubs))
	}
	x, err := capture.OpenExport(o.db, o.named, o.talk)
	if err != nil {
		return cmdline.NoRecording(err)
	}
	defer x.Close()
	if o.reveal {
		x.Reveal()
	}
	if o.late {
		x.KeepLatencies()
	}
	return o.write(x)
}

// write writes what a source has.
func (o exportServicesOptions) write(from servicesSource) error {
	if o.form == "openapi" {
		return o.describe(from)
	}
	stubs, err := from.Stubs()
	if err != nil {
		return err
	}
	data, left, err := export.Form(o.form).Write(stubs)
	if err != nil {
		return err
	}
	o.talk.WarnOfEach("left out", left)
	return o.out.emit(console.Count(len(stubs)-len(left), "stub"), zipped(o.out.path, outfile.Bytes(data)))
}

// writeFound writes each behavior of a search into the folder, to be served alone.
func (o exportServicesOptions) writeFound() error {
	files, left, err := export.Form(o.form).WriteEach(o.found)
	if err != nil {
		return err
	}
	o.talk.WarnOfEach("left out", left)
	return o.writeFiles(files, "flaketap: %s written to %s, each to be served alone", "behavior")
}

// describe writes a description of each service into the folder.
func (o exportServicesOptions) describe(from servicesSource) error {
	samples, err := from.Samples()
	if err != nil {
		return err
	}
	described, err := export.OpenAPI(samples)
	if err != nil {
		return err
	}
	return o.writeFiles(described, "flaketap: %s described in %s", "service")
}

// writeFiles writes files into the folder, and says what is in how many of them.
func (o exportServicesOptions) writeFiles(all map[string][]byte, said, what string) error {
	if err := outfile.WriteAll(o.dir, outfile.Named(all), o.inputs); err != nil {
		return err
	}
	o.talk.Say(said, console.Count(len(all), what), o.dir)
	return nil
}

// exportServicesOptions reads the flags of export where it is about external services.
func (t *tool) exportServicesOptions(c *cli.Context) (o exportServicesOptions, err error) {
	o = exportServicesOptions{form: c.String("format"), stubs: c.StringSlice("stubs"), db: c.String("db"), named: c.StringSlice("secrets"),
		reveal: c.Bool("reveal"), late: c.Bool("latency"), inputs: inputOptions(c), talk: t.consoleOptions(c)}
	if len(o.stubs) > 0 && c.IsSet("db") {
		return o, console.Usage(errors.New("use either --stubs or --db, not both"))
	}
	if o.late && len(o.stubs) > 0 {
		return o, errLatencyOfStubs
	}
	holds := "a file of each service"
	if o.form != "openapi" {
		if o.found, err = serve.Folders(o.stubs).Behaviors(); err != nil {
			return o, err
		}
		if o.found == nil {
			o.out, err = t.outputOptions(c)
			return o, err
		}
		holds = "the stubs of each behavior of a search"
	}
	if o.dir, err = folderOption(c, "out"); err == nil && o.dir == "" {
		err = console.Usage(fmt.Errorf("export --format %s needs --out DIR, the folder for %s", o.form, holds))
	}
	return o, err
}
