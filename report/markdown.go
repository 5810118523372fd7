package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/flaketap/flaketap/volatility/mapfile"
)

// MarkdownWriter gathers lines of GitHub's Markdown. What an API said stands in code spans only, where nothing of it is
// markup, a link, or the name of somebody who would be notified.
type MarkdownWriter struct{ out bytes.Buffer }

// Line adds a line.
func (m *MarkdownWriter) Line(format string, args ...any) { fmt.Fprintf(&m.out, format+"\n", args...) }

// Row adds the row of a table.
func (m *MarkdownWriter) Row(cells ...string) { m.Line("| %s |", strings.Join(cells, " | ")) }

// To writes what was gathered.
func (m *MarkdownWriter) To(w io.Writer) error {
	if _, err := w.Write(m.out.Bytes()); err != nil {
		return fmt.Errorf("write markdown: %w", err)
	}
	return nil
}

// CodeSpan returns text as a code span that may stand in a table; "" where there is none. A run of backticks is fenced
// by a longer one, and a bar is escaped, which tables undo even within code.
func CodeSpan(s string) string {
	if s == "" {
		return ""
	}
	longest, run := 0, 0
	for _, r := range s {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if longest > 0 || strings.HasPrefix(s, " ") && strings.HasSuffix(s, " ") {
		s = " " + s + " "
	}
	return fence + strings.ReplaceAll(s, "|", `\|`) + fence
}

// Prose returns text of our own in which nothing is markup.
func Prose(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\\`*_{}[]<>#|~@&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Markdown writes the map as tables by operation, for people and pull requests.
func Markdown(w io.Writer, m *mapfile.Map, o FormOptions) error {
	v := newView(Input{Map: m})
	out := &MarkdownWriter{}
	out.Line("# Volatile places\n")
	if v.Figures == "" {
		out.Line("%s", Prose(v.Summary))
	} else {
		out.Line("%s  ", Prose(v.Summary))
		out.Line("%s", Prose(v.Figures))
	}
	for i, s := range v.Warnings {
		if i == 0 {
			out.Line("")
		}
		out.Line("- warning: %s", CodeSpan(s))
	}
	common, operations := m.Fold(func(f *mapfile.Field) bool { return o.lists(f) && (!f.Protocol || o.All) })
	for i, c := range common {
		if i == 0 {
			out.Line("\n## Most operations\n")
			out.Line("These places are in the operations below too, but for those named.\n")
			out.Row("place", "judgement", "category", "moved", "holds", "why", "but for")
			out.Row("---", "---", "---", "--:", "---", "---", "---")
		}
		var but []string
		for _, name := range first(c.Except, maxExcept) {
			but = append(but, CodeSpan(show(name, maxName)))
		}
		if more := len(c.Except) - maxExcept; more > 0 {
			but = append(but, fmt.Sprintf("and %d more", more))
		}
		out.Row(append(cells(c.Field), strings.Join(but, ", "))...)
	}
	for _, op := range operations {
		if len(op.Fields) == 0 {
			continue
		}
		out.Line("\n## %s\n", CodeSpan(show(op.Operation.String(), maxName)+" "+status(op.Status)))
		out.Line("%s\n", count(op.Exchanges, "exchange"))
		out.Row("place", "judgement", "category", "moved", "holds", "why")
		out.Row("---", "---", "---", "--:", "---", "---")
		for _, f := range op.Fields {
			out.Row(cells(f)...)
		}
	}
	return out.To(w)
}

// maxExcept is how many operations that lack a common place are named.
const maxExcept = 5

// cells are the columns of a place.
func cells(f *mapfile.Field) []string {
	r := newRow(f)
	judged := r.Verdict
	switch {
	case f.Rule != nil:
		judged += ", by a rule: " + show(string(f.Rule.Kind), 20)
	case f.Protocol:
		judged += ", the protocol's own"
	}
	var holds []string
	for _, s := range r.Holds {
		holds = append(holds, CodeSpan(s))
	}
	return []string{CodeSpan(r.Place), Prose(judged), r.Category, Share(r.Changed, r.Of),
		strings.Join(holds, ", "), CodeSpan(strings.Join(r.Evidence, " "))}
}
