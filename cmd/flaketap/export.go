package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/capture"
	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/report/collection"
	"github.com/klauspost/compress/gzip"
	"github.com/urfave/cli/v2"
)

func (t *tool) exportCommand() *cli.Command {
	return &cli.Command{
		Name:  "export",
		Usage: "write the recording in a format that other tools read",
		UsageText: "flaketap export [--format har|postman|insomnia] [--out FILE]\nflaketap export --format bruno --out DIR\n" +
			"flaketap export --format wiremock|hoverfly [--stubs DIR] [--out FILE]\nflaketap export --format wiremock|hoverfly --stubs FOUND --out DIR\nflaketap export --format openapi [--stubs DIR] --out DIR",
		Description: "har has the exchanges of the API; postman, insomnia and bruno its requests as a collection, with secrets, the address and\n" +
			"what answers gave as variables. The others have what its external services answered, as record --external recorded it,\n" +
			"or as the stubs of a folder say: mappings of WireMock, a simulation of Hoverfly (version 5), or a description of each\n" +
			"service as far as it was seen (OpenAPI 3), a file of a folder each.",
		Flags: common(
			&cli.StringFlag{Name: "out", Aliases: []string{"o"},
				Usage: "`FILE` to write (default: stdout); one that ends in .gz is compressed"},
			&cli.StringFlag{Name: "format", Value: "har", Usage: "`FORM`: har, postman, insomnia, bruno, wiremock, hoverfly or openapi"},
			&cli.StringSliceFlag{Name: "stubs", Usage: "`DIR` with stubs of external services, in the place of a recording; repeat for several"},
			&cli.BoolFlag{Name: "latency", Usage: "have stubs of a recording's answers be as late as these were (default: at once)"},
			&cli.BoolFlag{Name: "reveal", Usage: "show secrets in the clear"},
			secretsFlag(),
			forceFlag(),
		),
		Action: t.export,
	}
}

func (t *tool) export(c *cli.Context) error {
	if err := t.alone(c); err != nil {
		return err
	}
	if c.Bool("latency") && !slices.Contains([]string{"wiremock", "hoverfly"}, c.String("format")) {
		return console.Usage(errors.New("--latency needs --format wiremock or hoverfly: the others do not say how late an answer is"))
	}
	if form, ok := collection.FormNamed(c.String("format")); ok && !c.IsSet("stubs") {
		o, err := t.exportCollectionOptions(c, form)
		if err != nil {
			return err
		}
		return o.run()
	}
	switch form := c.String("format"); {
	case slices.Contains([]string{"wiremock", "hoverfly", "openapi"}, form):
		o, err := t.exportServicesOptions(c)
		if err != nil {
			return err
		}
		return o.run()
	case c.IsSet("stubs"):
		return console.Usage(errors.New("--stubs needs --format wiremock, hoverfly or openapi: the others have the exchanges of a recording"))
	case form != "har":
		return console.Usage(fmt.Errorf("unknown --format %q: want one of har, postman, insomnia, bruno, wiremock, hoverfly, openapi", form))
	}
	out, err := t.outputOptions(c)
	if err != nil {
		return err
	}
	x, err := capture.OpenExport(c.String("db"), c.StringSlice("secrets"), out.talk)
	if err != nil {
		return cmdline.NoRecording(err)
	}
	defer x.Close()
	if c.Bool("reveal") {
		x.Reveal()
	}
	return out.emit(console.Count(x.Exchanges, "exchange"),
		zipped(out.path, func(w io.Writer) error { return x.WriteHAR(w, cmdline.Version()) }))
}

// zipped compresses what is written with gzip, if it is written to a file whose name says so.
func zipped(path string, write func(io.Writer) error) func(io.Writer) error {
	if !strings.HasSuffix(strings.ToLower(path), ".gz") {
		return write
	}
	return func(w io.Writer) error {
		z := gzip.NewWriter(w)
		if err := write(z); err != nil {
			return err
		}
		return z.Close()
	}
}
