package jest

import (
	"path"
	"strings"

	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/script"
)

// Bounds of what is read beside a file of tests: files, and paths that are looked for.
const (
	maxFiles = 50
	maxPaths = 1000
)

// beside reads the files that a file of tests takes functions from.
type beside struct {
	text  script.Beside
	files map[string]*module // by path; nil for one that cannot be read
	read  int
}

// find reads the file that another one imports by a relative path; nil where there is none, or none that can be read.
func (b *beside) find(file, name string) *module {
	if name != "." && name != ".." && !strings.HasPrefix(name, "./") && !strings.HasPrefix(name, "../") {
		return nil // a package
	}
	at := path.Join(path.Dir(script.Slashed(file)), name)
	for _, end := range js.Endings(script.Slashed(file), name) {
		if m := b.module(strings.TrimSuffix(at, end[0]) + end[1]); m != nil {
			return m
		}
	}
	return nil
}

// module reads a file; nil where there is none, or none that can be read.
func (b *beside) module(file string) *module {
	if m, known := b.files[file]; known || len(b.files) >= maxPaths || b.read >= maxFiles {
		return m
	}
	b.files[file] = nil
	text, ok := b.text(file)
	if !ok {
		return nil
	}
	b.read++
	if path.Ext(file) == ".json" {
		text = moduleExports + " = " + text
	}
	tokens, err := js.Tokens(file, text)
	if err != nil {
		return nil
	}
	m := newModule(file, tokens)
	m.declares()
	b.files[file] = m
	return m
}

// taken is what a name stands for that a file imports; false where that is not to be found.
func (r *follower) taken(l js.Link) (value, bool) {
	m := r.module
	if l.From != "" {
		if m = r.file.beside.find(r.module.path, l.From); m == nil {
			return value{}, false
		}
	}
	if l.Key == "*" {
		return r.whole(m), true
	}
	return r.exported(m, l.Key)
}

// whole is all that a file exports, or what it says that it is.
func (r *follower) whole(m *module) value {
	if m.assigned && len(m.exports) == 0 {
		return r.within(m).lookup(moduleExports)
	}
	return value{module: m, text: script.Unknown, what: "a module"}
}

// exported is what a file exports by a name; false where it does not, or where that goes round in circles.
func (r *follower) exported(m *module, key string) (value, bool) {
	*r.nodes++
	m = r.file.beside.giver(m, key, map[*module]bool{})
	if m == nil || *r.nodes > maxNodes || r.hops >= maxHops {
		return value{}, false
	}
	in := r.within(m)
	l, ok := m.exports[key]
	switch {
	case ok && l.From == "":
		return in.lookup(l.Key), true
	case ok:
		return in.taken(l)
	case key == "default" && m.assigned:
		return in.lookup(moduleExports), true
	case key == "default":
		return r.whole(m), true
	}
	return in.member(in.lookup(moduleExports), key)
}

// giver is the file that a file exports a name of: itself, or one of which it exports all; nil where there is none.
func (b *beside) giver(m *module, key string, seen map[*module]bool) *module {
	if _, ok := m.exports[key]; ok || m.assigned || m.common && key == "default" {
		return m
	}
	seen[m] = true
	for _, from := range m.stars {
		if other := b.find(m.path, from); other != nil && !seen[other] && key != "default" {
			if of := b.giver(other, key, seen); of != nil {
				return of
			}
		}
	}
	return nil
}

// within is the follower in the scope of a file.
func (r *follower) within(m *module) *follower {
	s, entered := r.scopes[m]
	if !entered {
		s = &scope{vars: map[string]value{}, declared: m.top.declared}
		r.scopes[m] = s
	}
	in := r.at(m, s)
	in.hops++
	return in
}

// at is the follower in a scope of a file, outside of functions.
func (r *follower) at(m *module, s *scope) *follower {
	in := *r
	in.module, in.tokens, in.scope = m, m.tokens, s
	in.own = r.own && m == r.file.module
	in.reading = in.newReading()
	return &in
}
