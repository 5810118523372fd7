package jest

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/handset"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/script"
)

// fresh draws a text that is another in each run.
func (w *written) fresh(_ *script.Script, t *script.Test, v script.FreshText) string {
	return "const " + v.Name + " = `" + v.Before + "${" + js.Drawn(v) + "}" + v.After + "`" + w.layout(t).End
}

// everywhere puts a variable into the literals of a test's own statements.
func (w *written) everywhere(s *script.Script, t *script.Test, text, variable string,
	but []script.Span) ([]script.Edit, bool) {
	own := w.literalsIn(script.Span{Start: t.BodyStart, End: t.BodyEnd})
	return handset.Everywhere(s.Text, own, text, variable, but, bindingWords())
}

// outside puts a variable into the literals of constants, functions and hooks, those aside that run before other tests
// alone, and has it stand above the first, and what may call that.
func (w *written) outside(s *script.Script, t *script.Test, text, variable string) (edits []script.Edit, at, gap int,
	ok bool) {
	all, others := w.literalsIn(script.Span{End: len(s.Text)}), w.hooksOfOthers(t)
	all = slices.DeleteFunc(all, func(l handset.Literal) bool {
		return slices.ContainsFunc(others, func(h script.Span) bool { return h.Start <= l.Start && l.End <= h.End })
	})
	edits, at, ok = handset.Outside(s, t, all, text, variable, bindingWords())
	if len(edits) == 0 {
		return nil, 0, 0, ok
	}
	first := at
	for _, e := range edits {
		first = min(first, js.Reached(s.Text, w.tokens, e.Start))
	}
	if word, _, _ := strings.Cut(s.Text[first:], " "); word != "const" && word != "let" && word != "var" {
		gap = 1
	}
	return edits, handset.Above(s.Text, first, "//"), gap, true
}

// hooksOfOthers are where the hooks stand that do not run before a test.
func (w *written) hooksOfOthers(t *script.Test) (spans []script.Span) {
	own := map[*js.Node]bool{}
	each := func(do func(c testCase, h hook)) {
		for _, c := range w.cases {
			for g := &c.group; g != nil; g = g.up {
				for _, h := range g.hooks {
					do(c, h)
				}
			}
		}
	}
	each(func(c testCase, h hook) { own[h.fn] = own[h.fn] || c.fn == w.bodies[t] })
	each(func(_ testCase, h hook) {
		if !own[h.fn] {
			spans = append(spans, w.spanOf(h.st.First, h.st.Last))
		}
	})
	return spans
}

// freshText is fresh in the generator's words.
func (dialect) freshText(_ *script.Script, _ *script.Test, v script.FreshText) string {
	return "const " + v.Name + " = `" + v.Before + "${" + js.Drawn(v) + "}" + v.After + "`;"
}
