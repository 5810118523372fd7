package python

import (
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/handset"
	"github.com/flaketap/flaketap/suite/python/before"
	"github.com/flaketap/flaketap/suite/python/importing"
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

// freshText is [freshText] by what the file imports, or can.
func (w *suiteFile) freshText(s *script.Script, t *script.Test, v script.FreshText) string {
	text := freshText(s, t, v)
	if importing.Free(w.stmts, "uuid") || importing.Imports(w.stmts, "uuid") {
		text = strings.Replace(text, `__import__("uuid")`, "uuid", 1)
	}
	return text
}

// outside puts a variable into the literals of constants, fixtures and functions, and has it stand above the first.
func (w *suiteFile) outside(s *script.Script, t *script.Test, text, variable string) (edits []script.Edit, at, gap int,
	ok bool) {
	edits, at, ok = handset.Outside(s, t, before.Literals(s, w.stmts), text, variable, before.Words())
	if len(edits) == 0 {
		return nil, 0, 0, ok
	}
	first := 0
	for i, st := range w.stmts {
		decorated := i > 0 && w.stmts[i-1].Is("@")
		if st.Indent == "" && st.Start <= at && !decorated {
			first = i
		}
	}
	if st := w.stmts[first]; st.Is("@") || st.Is("def") || st.Is("async") || st.Is("class") {
		gap = 2
	}
	return edits, handset.Above(s.Text, w.stmts[first].Start, "#"), gap, true
}

// everywhere puts a variable into the literals of a test's own statements.
func (w *suiteFile) everywhere(s *script.Script, t *script.Test, text, variable string,
	but []script.Span) ([]script.Edit, bool) {
	return handset.Everywhere(s.Text, before.Literals(s, w.functions[t].body), text, variable, but, before.Words())
}
