package python

import (
	"slices"

	"github.com/flaketap/flaketap/suite/python/meaning"
	"github.com/flaketap/flaketap/suite/python/syntax"
	"github.com/flaketap/flaketap/suite/script"
)

// fixture is the value that a fixture gives a test.
func (r *follower) fixture(class, name string) syntax.Node {
	if f := r.fixtureOf(class, name); f != nil {
		return r.prepared(f)
	}
	return meaning.Opaque{What: "the parameter " + name}
}

// fixtureOf is the fixture of a name; nil where none is known.
func (r *follower) fixtureOf(class, name string) *function {
	if f := r.file.module.method(class, name); f != nil && f.fixture {
		return f
	}
	for _, m := range append([]*module{r.module, r.file.module}, r.file.module.conftests...) {
		if f := m.called(name); f != nil && f.fixture {
			return f
		}
	}
	return nil
}

// varies reports whether something that a function is given has a test run with several values.
func (r *follower) varies(f *function, depth int) bool {
	return depth > 0 && slices.ContainsFunc(f.params, func(p parameter) bool {
		of := r.fixtureOf(f.class, p.name)
		return of != nil && (of.many || r.varies(of, depth-1))
	})
}

// prepared is what a function gives that runs before a test: once for that, whatever asks for it.
func (r *follower) prepared(f *function) syntax.Node {
	if out, known := r.given[f]; known {
		return out
	}
	sent := len(r.test.Calls)
	out := r.inline(f, nil)
	script.SentByHook(r.test.Calls[sent:], f.onceFor(r.testClass))
	for _, c := range r.test.Calls[sent:] {
		if r.file.hooks[c] == nil { // else another sends it that this one asks for
			r.file.hooks[c] = f
		}
	}
	r.given[f] = out
	return out
}
