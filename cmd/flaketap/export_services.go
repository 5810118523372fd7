package main

import (
	"errors"
	"io"

	"github.com/flaketap/flaketap/capture"
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

// exportServices writes what external services answer.
func (t *tool) exportServices(c *cli.Context) error {
	from, done, err := t.servicesSourceOptions(c)
	if err != nil {
		return err
	}
	defer done()
	if c.String("format") == "openapi" {
		return t.exportOpenAPI(c, from)
	}
	out, err := t.outputOptions(c)
	if err != nil {
		return err
	}
	stubs, err := from.Stubs()
	if err != nil {
		return err
	}
	var data []byte
	var left []string
	if c.String("format") == "hoverfly" {
		data, left, err = export.Hoverfly(stubs)
	} else {
		data, err = export.WireMock(stubs)
	}
	if err != nil {
		return err
	}
	for _, why := range left {
		out.talk.Warn("flaketap: %s", console.OneLine(why))
	}
	return out.emit(console.Count(len(stubs)-len(left), "stub"), func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// exportOpenAPI writes a description of each service into a folder.
func (t *tool) exportOpenAPI(c *cli.Context, from servicesSource) error {
	dir, err := folderOption(c, "out")
	if err == nil && dir == "" {
		err = console.Usage(errors.New("export --format openapi needs --out DIR, the folder for a file of each service"))
	}
	if err != nil {
		return err
	}
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
	if err := outfile.WriteAll(dir, files, inputOptions(c)); err != nil {
		return err
	}
	t.consoleOptions(c).Say("flaketap: %s described in %s", console.Count(len(files), "service"), dir)
	return nil
}

// servicesSourceOptions reads where the answers are: folders of stubs, or a recording.
func (t *tool) servicesSourceOptions(c *cli.Context) (from servicesSource, done func(), err error) {
	if c.IsSet("stubs") {
		if c.IsSet("db") {
			return nil, nil, console.Usage(errors.New("use either --stubs or --db, not both"))
		}
		return serve.Folders(c.StringSlice("stubs")), func() {}, nil
	}
	x, err := capture.OpenExport(c.String("db"), c.StringSlice("secrets"), t.consoleOptions(c))
	if err != nil {
		return nil, nil, noRecording(err)
	}
	if c.Bool("reveal") {
		x.Reveal()
	}
	return x, func() { x.Close() }, nil
}
