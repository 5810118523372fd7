package link

import (
	"cmp"
	"strings"

	"github.com/flaketap/flaketap/suite/script"
)

// Disable comments a link or a statement out. What ends the statement behind a chain's last link stays, before the
// comment mark; a link that shares its line with what follows it is put between the marks of a comment that ends, or,
// where it has such marks in it, on a line of its own: the comment above it has ended the line before.
func Disable(s *script.Script, a *script.Assertion) []script.Edit {
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
