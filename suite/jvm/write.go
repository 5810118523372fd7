package jvm

import (
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/jvm/link"
	"github.com/flaketap/flaketap/suite/script"
)

// literal writes a text as the language does.
func (j *dialect) literal(s string) string { return link.Style{Kotlin: j.kotlin}.Literal(s) }

// write says an expression as one link of a chain.
func (j *dialect) write(_ *script.Script, t *script.Test, a *script.Assertion, x expr.Expr) (string, bool) {
	return j.style.Write(t, a, x)
}

// behind goes on with the chain of calls that an assertion is a link of.
func (*dialect) behind(s *script.Script, _ *script.Test, a *script.Assertion, adds []script.Addition) (script.Edit,
	bool) {
	edit, ok := s.Within(a.At, adds)
	return edit, ok && strings.HasPrefix(a.Text, ".")
}
