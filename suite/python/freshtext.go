package python

import (
	"fmt"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/handset"
	"github.com/flaketap/flaketap/suite/python/before"
	"github.com/flaketap/flaketap/suite/script"
)

// freshText draws a text that is another in each run.
func freshText(_ *script.Script, _ *script.Test, v script.FreshText) string {
	drawn := fmt.Sprintf(`__import__("uuid").uuid4().hex[:%d]`, v.Length)
	switch v.Letters {
	case script.UpperHexDigits:
		drawn += ".upper()"
	case script.Digits:
		drawn = fmt.Sprintf(`str(__import__("uuid").uuid4().int)[-%d:]`, v.Length)
	}
	text := v.Name + " = " + literal.Python(v.Before) + " + " + drawn
	if v.After != "" {
		text += " + " + literal.Python(v.After)
	}
	return text
}

// everywhere puts a variable into the literals of a test's own statements.
func (w *suiteFile) everywhere(s *script.Script, t *script.Test, text, variable string,
	but []script.Span) ([]script.Edit, bool) {
	return handset.Everywhere(s.Text, before.Literals(s, w.functions[t].body), text, variable, but, before.Words())
}
