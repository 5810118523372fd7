package triage

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/report"
)

// maxAnnotations is how many annotations of a kind GitHub shows of one step; it drops the rest without a word.
const maxAnnotations = 10

// Annotations writes the report as workflow commands of GitHub Actions, a line for each failed test: an error for a
// regression, a warning for what somebody has to look at, a notice for what is known to move. Of each kind the first
// are written, and how many there are besides.
func (r *Report) Annotations(out io.Writer) error {
	written, more := map[string]int{}, 0
	for i := range r.Tests {
		t := &r.Tests[i]
		level := "warning"
		switch t.Verdict {
		case Regression:
			level = "error"
		case Volatile:
			level = "notice"
		}
		if written[level]++; written[level] > maxAnnotations {
			more++
			continue
		}
		var says []string
		for _, e := range t.Evidence {
			if where := e.where(); where != "" {
				says = append(says, where)
			}
		}
		says = slices.Concat(says, t.Missing, t.Next)
		at := ""
		if file, line, ok := cutLast(t.Where, ":"); ok {
			at = fmt.Sprintf("file=%s,line=%s,", report.WorkflowProperty(report.Located(file)),
				report.WorkflowProperty(line))
		}
		_, err := fmt.Fprintf(out, "::%s %stitle=%s::%s\n", level, at,
			report.WorkflowProperty(console.OneLine(fmt.Sprintf("%s: %s", t.Verdict, t.name()))),
			message(strings.Join(append([]string{t.Reason}, says...), "\n")))
		if err != nil {
			return err
		}
	}
	if more == 0 {
		return nil
	}
	_, err := fmt.Fprintf(out, "and %s: flaketap triage --format text tells of all\n",
		console.Count(more, "other failed test"))
	return err
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return "", "", false
	}
	return s[:i], s[i+1:], true
}

// message is the text of a workflow command, in whose lines nothing steers a terminal.
func message(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = console.OneLine(l)
	}
	return report.WorkflowText(strings.Join(lines, "\n"))
}

// Markdown writes the report as a job summary: a table of the tests, with the evidence below each.
func (r *Report) Markdown(out io.Writer) error {
	t := &text{out: out}
	t.line("### %s", plain(r.headline()))
	t.line("")
	t.line("%s", plain(r.Basis.says()))
	if len(r.Tests) > 0 {
		t.line("")
		t.line("| verdict | test | why |")
		t.line("|---|---|---|")
	}
	for i := range r.Tests {
		f := &r.Tests[i]
		t.line("| %s | %s | %s |", mark(f.Verdict), plain(f.name()), plain(f.Reason))
	}
	for i := range r.Tests {
		t.details(&r.Tests[i])
	}
	if len(r.Unnoticed) > 0 {
		t.line("")
		t.line("Answers as they never were before, that no failed test has:")
		t.line("")
		for i := range r.Unnoticed {
			t.item(&r.Unnoticed[i])
		}
		if r.More > 0 {
			t.line("- and %s", console.Count(r.More, "more place"))
		}
	}
	return t.err
}

// mark shows a verdict so that regressions stand out.
func mark(v Verdict) string {
	if v == Regression {
		return "**regression**"
	}
	return string(v)
}

// details writes what speaks for the verdict of a test.
func (t *text) details(f *Test) {
	t.line("")
	t.line("<details><summary>%s: %s</summary>", f.Verdict, plain(f.name()))
	t.line("")
	if f.Where != "" {
		t.line("- at %s", plain(f.Where))
	}
	for i := range f.Evidence {
		t.item(&f.Evidence[i])
	}
	for _, s := range f.Missing {
		t.line("- missing: %s", plain(s))
	}
	for _, s := range f.Next {
		t.line("- do: %s", plain(s))
	}
	t.line("")
	t.line("</details>")
}

// item writes a piece of evidence.
func (t *text) item(e *Evidence) {
	where := plain(e.where())
	if where != "" {
		where += ": "
	}
	t.line("- %s%s", where, plain(e.Says))
}

// plain makes a text fit for a line of Markdown, and for an element of HTML in it, in which nothing of it is markup.
func plain(s string) string {
	var b strings.Builder
	for _, r := range console.OneLine(s) {
		switch r {
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '&':
			b.WriteString("&amp;")
		case '@', '\\', '`', '*', '_', '[', ']', '|', '~', '#', '!', '$':
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
