package align

import (
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/match"
)

// SameTarget compares the target that a suite writes with the one that was sent. A NUL in the former stands for
// anything, which no other package knows: what else makes two targets the same, package match says.
func SameTarget(written, sent string) bool {
	if !strings.Contains(written, "\x00") {
		return match.SameTarget(written, sent)
	}
	return globNUL(match.Target(written), match.Target(sent))
}

// globNUL matches a text against a pattern in which each NUL, of which there is one at least, stands for any text.
func globNUL(pattern, text string) bool {
	parts := strings.Split(pattern, "\x00")
	if !strings.HasPrefix(text, parts[0]) {
		return false
	}
	text = text[len(parts[0]):]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text = text[i+len(part):]
	}
	return strings.HasSuffix(text, parts[len(parts)-1])
}

// sameDepth reports whether a path that was resolved from a location can be the one sent: the generator fills what the
// location lacks of the template's segments from the template, so that the result has at least as many.
func sameDepth(template, sent string) bool {
	a, _ := exchange.SplitTarget(template)
	b, _ := exchange.SplitTarget(sent)
	return strings.Count(b, "/") >= strings.Count(a, "/")
}
