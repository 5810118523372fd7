package jest

import (
	"regexp"

	"github.com/flaketap/flaketap/suite/script"
)

// An expression of names in a template, and one that is put behind a text.
var (
	inTemplate  = regexp.MustCompile("([^`'\"\\s]*/)\\$\\{(" + names + `)\}`)
	behindAText = regexp.MustCompile("([^`'\"\\s]*/)[`'\"]\\s*\\+\\s*(" + names + `)\s*[,)+;]`)
)

const names = `[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*`

// notePassed notes the variables that paths are made with, and members of them.
func notePassed(s *script.Script) { s.Pass(inTemplate, behindAText) }
