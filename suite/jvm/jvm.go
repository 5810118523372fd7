package jvm

import (
	"cmp"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/script"
)

// disable comments a link or a statement out. What ends the statement behind a chain's last link stays, before the
// comment mark; a link that shares its line with what follows it is put between the marks of a comment that ends, or,
// where it has such marks in it, on a line of its own: the comment above it has ended the line before.
func (j *dialect) disable(s *script.Script, a *script.Assertion) []script.Edit {
	at := a.At
	rest := s.Text[at.End:]
	if i := strings.IndexAny(rest, "\r\n"); i >= 0 {
		rest = rest[:i]
	}
	code := strings.TrimSpace(rest)
	if !strings.HasPrefix(a.Text, ".") || code == "" || strings.HasPrefix(code, "//") {
		return s.CommentOut(at)
	}
	if code == ";" || strings.HasPrefix(code, ";") && strings.HasPrefix(strings.TrimSpace(code[1:]), "//") {
		end := at.End + strings.IndexByte(rest, ';')
		edits := s.CommentOut(at)
		edits[0].Text = "; " + edits[0].Text
		return append(edits, script.Edit{Start: end, End: end + 1, Text: ""})
	}
	if strings.Contains(a.Text, "*/") || strings.Contains(a.Text, "/*") { // Kotlin's comments nest
		eol := cmp.Or(script.LineEnd(s.Lines[at.FirstLine-1]), "\n")
		return []script.Edit{{Start: at.Start, End: at.End, Text: "// " + strings.ReplaceAll(s.Text[at.Start:at.End], "\n",
			"\n// ") + eol}}
	}
	return []script.Edit{{Start: at.Start, End: at.Start, Text: "/* "}, {Start: at.End, End: at.End, Text: " */"}}
}

// define declares a location that the generator uses and nothing sets: the helpers take an empty one for none.
func (j *dialect) define(c *script.Call) ([]string, bool) {
	if !strings.HasPrefix(c.Unset, "location_") {
		return nil, false
	}
	if j.kotlin {
		return []string{"val " + c.Unset + `: String? = ""`}, true
	}
	return []string{"String " + c.Unset + ` = "";`}, true
}

func (j *dialect) skip(reason string) string {
	name := "@org.junit.jupiter.api.Disabled("
	if j.old {
		name = "@org.junit.Ignore("
	}
	return name + j.literal("flaketap: "+reason) + ")"
}

// path is the path of a field as a literal within quotes, but where it is the size that is asserted.
func (*dialect) path(_ *script.Test, a *script.Assertion, subject expr.Expr) string {
	p := meaning.Source(subject)
	if p == "" || strings.Contains(a.Text, "size()") || strings.Contains(a.Text, "isEmpty()") {
		return p
	}
	return `"` + p + `"`
}
