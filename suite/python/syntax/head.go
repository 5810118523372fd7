package syntax

import (
	"regexp"
	"strings"
)

// preamble are the lines that stay first in a file: what runs it, and how it is encoded.
var preamble = regexp.MustCompile(`^(?:#!.*\n)?(?:#.*coding[:=].*\n)?`)

// FirstImport is where imports go in a file that has none above its first definition, and what stands there then:
// behind its docstring, else at its top. Lines end with eol.
func FirstImport(text string, stmts []Statement, imports, eol string) (at int, insert string) {
	if first := stmts[0]; len(first.Tokens) == 1 && first.Tokens[0].Kind == TokenString {
		rest, _, _ := strings.Cut(text[first.End:], "\n")
		return first.End + len(strings.TrimSuffix(rest, "\r")), eol + eol + imports
	}
	return len(preamble.FindString(text)), imports + eol + eol + eol
}
