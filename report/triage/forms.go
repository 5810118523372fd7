package triage

import (
	"io"

	"github.com/flaketap/flaketap/report"
)

// form is a form of the report.
type form struct {
	name  string
	write func(*Report, io.Writer) error
}

// forms lists them, the first of which is that for people.
var forms = [...]form{
	{"text", (*Report).Text},
	{"json", func(r *Report, out io.Writer) error { return report.JSON(out, r) }},
	{"github", (*Report).Annotations},
	{"markdown", (*Report).Markdown},
}

// Forms are the names of the forms that [Report.Write] knows.
func Forms() []string {
	var out []string
	for _, f := range forms {
		out = append(out, f.name)
	}
	return out
}

// Write writes the report in one of the [Forms].
func (r *Report) Write(out io.Writer, name string) error {
	for _, f := range forms {
		if f.name == name {
			return f.write(r, out)
		}
	}
	return r.Text(out)
}
