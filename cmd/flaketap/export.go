package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/flaketap/flaketap/capture"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/klauspost/compress/gzip"
	"github.com/urfave/cli/v2"
)

func (t *tool) exportCommand() *cli.Command {
	return &cli.Command{
		Name:      "export",
		Usage:     "write the recording in a format that other tools read",
		UsageText: "flaketap export [--format har] [--out FILE]",
		Flags: common(
			&cli.StringFlag{Name: "out", Aliases: []string{"o"},
				Usage: "`FILE` to write (default: stdout); one that ends in .gz is compressed"},
			&cli.StringFlag{Name: "format", Value: "har", Usage: "`FORM`: har"},
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
	if c.String("format") != "har" {
		return console.Usage(fmt.Errorf("unknown --format %q: want har", c.String("format")))
	}
	out, err := t.outputOptions(c)
	if err != nil {
		return err
	}
	x, err := capture.OpenExport(c.String("db"), c.StringSlice("secrets"), out.talk)
	if err != nil {
		return noRecording(err)
	}
	defer x.Close()
	if c.Bool("reveal") {
		x.Reveal()
	}
	write := func(w io.Writer) error { return x.WriteHAR(w, version()) }
	if strings.HasSuffix(strings.ToLower(out.path), ".gz") {
		write = zipped(write)
	}
	return out.emit(console.Count(x.Exchanges, "exchange"), write)
}

// zipped compresses what is written with gzip.
func zipped(write func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		z := gzip.NewWriter(w)
		if err := write(z); err != nil {
			return err
		}
		return z.Close()
	}
}
