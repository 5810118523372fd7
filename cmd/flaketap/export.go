package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/formats"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/store"
	"github.com/klauspost/compress/gzip"
	"github.com/urfave/cli/v2"
)

func (t *tool) exportCommand() *cli.Command {
	return &cli.Command{
		Name:      "export",
		Usage:     "write the recording in a form that other tools read",
		UsageText: "flaketap export [--format har] [--out FILE]",
		Flags: common(
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`FILE` to write (default: stdout); one that ends in .gz is compressed"},
			&cli.StringFlag{Name: "format", Value: "har", Usage: "`FORM`: har"},
			&cli.BoolFlag{Name: "reveal", Usage: "show secrets as they are"},
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
		return console.Usage(fmt.Errorf("--format %q is not known; har is", c.String("format")))
	}
	if err := checkOut(c); err != nil {
		return err
	}
	db, err := store.OpenReadOnly(c.String("db"))
	if err != nil {
		return noRecording(err)
	}
	defer db.Close()
	rec, err := db.Recording()
	if err != nil {
		return err
	}
	t.sayHeld(c, db.Holder())
	secrets := exchange.Secrets{Named: c.StringSlice("secrets"), Stored: rec.Redacted()}
	whole, damage := uint64(0), []*store.DamageError(nil)
	for e, err := range store.Readable(db.Exchanges(), func(d *store.DamageError) { damage = append(damage, d) }) {
		if err != nil {
			return err
		}
		whole++
		secrets.Exchange(e)
	}
	if whole == 0 && len(damage) > 0 {
		return fmt.Errorf("export %s: %w", c.String("db"), damage[0])
	}
	for _, d := range damage {
		fmt.Fprintf(t.err, "flaketap: left out: %v\n", d)
	}
	options := formats.WriteOptions{Redactor: exchange.Redactor{Key: rec.Key, Known: secrets.Known(), Reveal: c.Bool("reveal")}, Version: version()}
	write := func(w io.Writer) error {
		return formats.WriteHAR(w, store.Readable(db.Exchanges(), nil), options)
	}
	if strings.HasSuffix(strings.ToLower(c.String("out")), ".gz") {
		write = zipped(write)
	}
	return t.emit(c, console.Count(whole, "exchange"), write)
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
