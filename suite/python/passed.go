package python

import (
	"regexp"
	"strings"

	"github.com/flaketap/flaketap/suite/script"
)

// An expression of names and keys in an f-string, and one that is put behind a text.
var (
	inFString   = regexp.MustCompile(`([^"'\s]*/)\{(` + names + `)\}`)
	behindAText = regexp.MustCompile(`([^"'\s]*/)["']\s*\+\s*(` + names + `)\s*[,)+]`)
)

const names = `[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\["\w+"\]|\['\w+'\])*`

// notePassed notes the variables that paths are made with, and items of them.
func notePassed(s *script.Script) {
	s.Pass(inFString, behindAText)
	for _, t := range s.Tests {
		for _, c := range t.Calls {
			c.Given = strings.ReplaceAll(c.Given, "'", `"`) // as black has it
		}
	}
}
