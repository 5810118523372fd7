package suite

import (
	"cmp"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
)

// disable comments a link or a statement out. What ends the statement behind a chain's last link stays, before the comment
// mark; a link that shares its line with what follows it is put between the marks of a comment that ends, or, where it has such
// marks in it, on a line of its own: the comment above it has ended the line before.
func (j *junit) disable(s *Script, a *Assertion) []edit {
	at := a.at
	rest := s.text[at.end:]
	if i := strings.IndexAny(rest, "\r\n"); i >= 0 {
		rest = rest[:i]
	}
	code := strings.TrimSpace(rest)
	if !strings.HasPrefix(a.Text, ".") || code == "" || strings.HasPrefix(code, "//") {
		return s.commentOut(at)
	}
	if code == ";" || strings.HasPrefix(code, ";") && strings.HasPrefix(strings.TrimSpace(code[1:]), "//") {
		end := at.end + strings.IndexByte(rest, ';')
		edits := s.commentOut(at)
		edits[0].text = "; " + edits[0].text
		return append(edits, edit{end, end + 1, ""})
	}
	if strings.Contains(a.Text, "*/") || strings.Contains(a.Text, "/*") { // Kotlin's comments nest
		eol := cmp.Or(lineEnd(s.lines[at.first-1]), "\n")
		return []edit{{at.start, at.end, "// " + strings.ReplaceAll(s.text[at.start:at.end], "\n", "\n// ") + eol}}
	}
	return []edit{{at.start, at.start, "/* "}, {at.end, at.end, " */"}}
}

// lenient has nothing to do: a header that an answer lacks is null here, which the generator's helpers take for none.
func (*junit) lenient(*Script, *taking) (string, expr.Expr, bool) { return "", nil, false }

// unset declares a location that the generator uses and nothing sets: the helpers take an empty one for none.
func (j *junit) unset(c *Call) ([]string, bool) {
	if !strings.HasPrefix(c.Unset, "location_") {
		return nil, false
	}
	if j.kotlin {
		return []string{"val " + c.Unset + `: String? = ""`}, true
	}
	return []string{"String " + c.Unset + ` = "";`}, true
}

func (j *junit) skip(reason string) string {
	name := "@org.junit.jupiter.api.Disabled("
	if j.old {
		name = "@org.junit.Ignore("
	}
	return name + j.literal("flaketap: "+reason) + ")"
}

// path is the path of a field as a literal within quotes, but where it is the size that is asserted.
func (*junit) path(_ *Test, a *Assertion, subject expr.Expr) string {
	p := gpathSource(subject)
	if p == "" || strings.Contains(a.Text, "size()") || strings.Contains(a.Text, "isEmpty()") {
		return p
	}
	return `"` + p + `"`
}
