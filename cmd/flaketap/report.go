package main

import (
	"fmt"
	"io"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/urfave/cli/v2"
)

func (t *tool) reportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "write a report on what moved, why, how sure that is, and what still holds",
		UsageText: "flaketap report [--format html|text] [--out FILE]",
		Flags: common(
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`FILE` to write (default: stdout)"},
			&cli.StringFlag{Name: "format", Value: "html", Usage: "`FORM` of the report: html or text"},
			&cli.StringFlag{Name: "title", Usage: "`TEXT` for the title"},
			secretsFlag(),
			openapiFlag(),
			forceFlag(),
		),
		Action: t.writeReport,
	}
}

func (t *tool) writeReport(c *cli.Context) error {
	if err := t.alone(c); err != nil {
		return err
	}
	write, err := reportForm(c.String("format"))
	if err != nil {
		return err
	}
	out, err := t.outputOptions(c)
	if err != nil {
		return err
	}
	j, err := analysis.Judge(c.String("db"), t.analysisOptions(c))
	if err != nil {
		return noRecording(err)
	}
	err = out.emit("report", func(w io.Writer) error {
		return write(w, report.Input{Map: j.Map, Title: c.String("title")})
	})
	if err == nil && c.IsSet("out") { // on stdout the report itself says it
		sayWarnings(out.talk, j.Map)
	}
	return err
}

// reportForm returns what writes a report in a form.
func reportForm(form string) (func(io.Writer, report.Input) error, error) {
	switch form {
	case "html":
		return report.HTML, nil
	case "text":
		return report.Text, nil
	}
	return nil, console.Usage(fmt.Errorf("unknown --format %q: want one of html, text", form))
}
