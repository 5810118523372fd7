package jest

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/jest/before"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/script"
)

// hookOf is a hook and what it stands in.
type hookOf struct {
	hook
	in *group
}

// before is the function of a hook as it runs before a test, without what says that it runs before this one; false
// where it runs before another alone.
func (w *written) before(h hook, titles []string) (*js.Node, bool) {
	name, full, n := before.RunsFor(h.fn.Tokens[h.fn.From:h.fn.To])
	if n == 0 {
		return h.fn, true
	}
	own := titles[len(titles)-1]
	if full {
		own = strings.Join(titles, " ")
	}
	fn := *h.fn
	fn.From += n
	return &fn, own == name
}

// reaches reports whether a set-up of a test can be sent before a call that a hook sends: one that runs before each
// test can be preceded, and all that send behind it.
func (w *written) reaches(_ *script.Script, t *script.Test, c *script.Call) bool {
	_, ok := w.aboveOf(t)
	return ok && !w.hooks[c].once
}

// aboveOf is the first hook of those that run before each test and that send, as a place for a set-up of one; false
// where none can stand there.
func (w *written) aboveOf(t *script.Test) (above above, ok bool) {
	i := slices.IndexFunc(w.cases, func(c testCase) bool { return c.fn == w.bodies[t] })
	n := slices.IndexFunc(t.Calls, func(c *script.Call) bool { return w.hooks[c].in != nil && !w.hooks[c].once })
	if n < 0 || i < 0 || strings.Contains(t.Name, script.Unknown) {
		return above, false
	}
	h, c := w.hooks[t.Calls[n]], &w.cases[i]
	at := w.spanOf(h.st.First, h.st.Last)
	above.Hook = before.Hook{Runner: w.runner(h.word), Word: h.word, Indent: at.Indent, Start: at.Start, Group: at.Start,
		Titles: c.titles}
	if h.in.up != nil {
		above.Group = w.spanOf(h.in.first, h.in.first+1).Start
	}
	for g := c.up; g != nil && g != h.in; g = g.up {
		above.inner = append(above.inner, g)
	}
	above.in = h.in
	title := func(c testCase) string { return c.titles[len(c.titles)-1] }
	twice := func(other testCase) bool { return other.fn != c.fn && title(other) == title(*c) }
	return above, w.ownLine(at) && !slices.ContainsFunc(w.cases, twice)
}

// above is where a set-up stands that hooks are to find.
type above struct {
	before.Hook
	in    *group
	inner []*group // those between it and the test
}

// runner is that of a file, by where it has a hook from.
func (w *written) runner(hook string) before.Runner {
	switch from := w.module.packages[hook]; {
	case from == "vitest":
		return before.Vitest()
	case from == "test":
		return before.Node()
	case from == "@jest/globals", from == "" && w.jestExpects() && w.module.packages["expect"] == "":
		return before.Jest()
	}
	return before.Mocha()
}

// early puts a set-up before the hooks that send, and what cleans up in a finally around the test. What these two and
// the test speak of is declared beside the hooks.
func (w *written) early(s *script.Script, t *script.Test, fresh []string, steps, clean []script.SetUpRequest,
	used []string) ([]string, []script.Edit, bool) {
	above, ok := w.aboveOf(t)
	by := w.by(t)
	known := append(namesIn(by.Client+" "+by.Before+by.Base+by.After), above.Word)
	for _, g := range above.inner {
		ok = ok && !slices.ContainsFunc(known, func(name string) bool { _, own := g.declared[name]; return own })
	}
	if !ok {
		return nil, nil, false
	}
	for _, x := range clean {
		used = append(used, x.Variables()...)
	}
	slices.Sort(used)
	by.Given = slices.Compact(used)
	declared := func(name string) bool { _, there := above.in.declared[name]; return there }
	lines, edits := above.Edits(s, by, fresh, steps, declared)
	if len(clean) > 0 {
		end := append(append([]string{"} finally {"}, by.CleanUp(clean)...), "}")
		edits = append(edits, w.place(s, t, []string{"try {"}, end, nil)...)
		lines = append(lines, end...)
	}
	return lines, edits, true
}
