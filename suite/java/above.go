package java

import (
	"strings"

	"github.com/flaketap/flaketap/suite/script"
)

// Alone is the indentation of what gets a line of its own: that of the line that it stands in, and a unit more for a
// link of a chain, and for what is all that a block or a lambda has, { assertTrue(x) }, which ok says.
func Alone(s *script.Script, at script.Span, unit string) (indent string, ok bool) {
	before := strings.TrimRight(s.Text[:at.Start], " \t")
	after := strings.TrimLeft(s.Text[at.End:], " \t")
	line := s.Lines[at.FirstLine-1]
	indent = line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	ok = strings.HasSuffix(before, "{") && strings.HasPrefix(after, "}")
	if ok || strings.HasPrefix(s.Text[at.Start:], ".") {
		indent += unit
	}
	return indent, ok
}

// Above returns the edits that write lines above an assertion, which moves to a line of its own where it does not stand
// on one: so much further in than the line that it stood in.
func Above(s *script.Script, at script.Span, unit string, lines []string) []script.Edit {
	eol, text := script.LineEnd(s.Lines[0]), ""
	if s.BeginsLine(at) {
		for _, line := range lines {
			text += at.Indent + line + eol
		}
		start := at.Start - len(at.Indent)
		return []script.Edit{{Start: start, End: start, Text: text}}
	}
	indent, inLambda := Alone(s, at, unit)
	for _, line := range append(lines, "") {
		text += eol + indent + line
	}
	start := len(strings.TrimRight(s.Text[:at.Start], " \t"))
	edits := []script.Edit{{Start: start, End: at.Start, Text: text}}
	if inLambda {
		end := len(s.Text) - len(strings.TrimLeft(s.Text[at.End:], " \t"))
		edits = append(edits, script.Edit{Start: at.End, End: end, Text: eol + strings.TrimSuffix(indent, unit)})
	}
	return edits
}
