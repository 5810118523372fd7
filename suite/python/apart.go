package python

import (
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/python/before"
	"github.com/flaketap/flaketap/suite/python/importing"
	"github.com/flaketap/flaketap/suite/script"
)

// apart reports whether a set-up of a test stands apart from it, in a fixture of its own: pytest has that done before
// other fixtures that the test names, of which some send requests. early are the functions that run before it.
func (w *suiteFile) apart(t *script.Test) (m model, early map[*function]bool, ok bool) {
	f := w.functions[t]
	m, why := w.modelOf(t)
	taken := w.module.called(before.FixtureName(f.name)) != nil
	if why != "" || m.Awaits != "" || w.unit(f) || !importing.Imports(w.stmts, "pytest") || taken {
		return m, nil, false
	}
	early = w.early(t, m)
	return m, early, slices.ContainsFunc(t.Calls, func(c *script.Call) bool { return c.Hook && !early[w.hooks[c]] })
}

// ahead reports whether a call is sent before a set-up could be: by what runs before any fixture that a test names, by
// a fixture that is kept for several tests, or by one that the set-up itself asks for.
func (w *suiteFile) ahead(_ *script.Script, t *script.Test, c *script.Call) bool {
	_, early, ok := w.apart(t)
	return !ok || early[w.hooks[c]]
}

// early are the functions that run before a set-up of a test that stands apart.
func (w *suiteFile) early(t *script.Test, m model) map[*function]bool {
	f, out := w.functions[t], map[*function]bool{}
	asks := w.follower(t, f)
	var add func(f *function)
	add = func(f *function) {
		if f == nil || out[f] {
			return
		}
		out[f] = true
		for _, p := range f.params {
			add(asks.fixtureOf(f.class, p.name))
		}
	}
	for _, first := range w.module.before(f.class) {
		add(first)
	}
	for _, c := range t.Calls {
		if c.Once != "" {
			add(w.hooks[c])
		}
	}
	for _, name := range asked(f, m.Source()) {
		add(asks.fixtureOf(f.class, name))
	}
	return out
}

// asked are the parameters of a test that some source speaks of, in their order.
func asked(f *function, source string) (names []string) {
	spoken := namesIn(source)
	for _, p := range f.params {
		if slices.Contains(spoken, p.name) {
			names = append(names, p.name)
		}
	}
	return names
}

// fixtureOf is the set-up of a test that stands apart.
func (w *suiteFile) fixtureOf(t *script.Test, m model, open, used []string) before.Fixture {
	f := w.functions[t]
	out := before.Fixture{Test: t, Lines: open, Gives: used}
	if f.class != "" {
		out.Asks = append(out.Asks, "self")
	}
	out.Asks = append(out.Asks, asked(f, m.Source())...)
	if slices.ContainsFunc(open, finalizes) && !slices.Contains(out.Asks, "request") {
		out.Asks = append(out.Asks, "request")
	}
	return out
}

// finalizes and sends report whether a line of a set-up begins what cleans up, or what sends a request.
func finalizes(line string) bool {
	return strings.HasPrefix(strings.TrimLeft(line, " "), "request.addfinalizer(")
}

var sendsBefore = regexp.MustCompile(`^` + script.SetUpPrefix + `\d+ = `)

func sends(line string) bool { return sendsBefore.MatchString(line) }
