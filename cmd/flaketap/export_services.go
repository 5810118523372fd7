package main

import (
	"errors"
	"io"

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
	late   bool   // as late as recorded
	out    output // of openapi, nothing
	dir    string // of openapi
	inputs []string
	talk   *console.Console
}

// run writes what external services answer.
func (o exportServicesOptions) run() error {
	if len(o.stubs) > 0 {
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
	for _, why := range left {
		o.talk.Warn("flaketap: %s", console.OneLine(why))
	}
	return o.out.emit(console.Count(len(stubs)-len(left), "stub"), zipped(o.out.path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}))
}

// describe writes a description of each service into a folder.
func (o exportServicesOptions) describe(from servicesSource) error {
	samples, err := from.Samples()
	if err != nil {
		return err
	}
	described, err := export.OpenAPI(samples)
	if err != nil {
		return err
	}
	var files []outfile.File
	for name, data := range described {
		files = append(files, outfile.File{Name: name + ".json", Data: data})
	}
	if err := outfile.WriteAll(o.dir, files, o.inputs); err != nil {
		return err
	}
	o.talk.Say("flaketap: %s described in %s", console.Count(len(files), "service"), o.dir)
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
	if o.form != "openapi" {
		o.out, err = t.outputOptions(c)
		return o, err
	}
	if o.dir, err = folderOption(c, "out"); err == nil && o.dir == "" {
		err = console.Usage(errors.New("export --format openapi needs --out DIR, the folder for a file of each service"))
	}
	return o, err
}
