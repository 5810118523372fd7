package oracle

import (
	"sort"
	"strings"
)

// Fate says what became of a change when waits were chosen.
type Fate string

// The fates. All but the first say why nothing waits for a change.
const (
	Awaited    Fate = "awaited"    // a command is told by it that it may go on
	Background Fate = "background" // its property changes again and again at about the same intervals
	Driven     Fate = "driven"     // its property changes again and again by a timer or a socket that no action is behind
	Plain      Fate = "plain"      // its property shows nowhere, and the suite does not speak of it
	Hidden     Fate = "hidden"     // its element is not shown, or outside of the body
	Unasked    Fate = "unasked"    // no client asks for its property: a style, a shadow root
	Direct     Fate = "direct"     // what the suite did, or the loading of the page, brought it about at once
	Undone     Fate = "undone"     // up to the next action it is as it was before
	Passing    Fate = "passing"    // its property changed once more up to the next action
	Unneeded   Fate = "unneeded"   // no command came too early for it
)

// Fates are those of the mutations of a run, by its index in the session that the model was learned from.
func (m *Model) Fates(s *Session, run int) []Fate {
	r := &s.Runs[run]
	awaited := m.awaited(r)
	spans := r.spans()
	out := make([]Fate, len(r.Mutations))
	for i, c := range r.Mutations {
		span := spans[i].properties[c.property()]
		switch {
		case m.aside[c.property()] != "":
			out[i] = m.aside[c.property()]
		case awaited[c]:
			out[i] = Awaited
		case !c.Visible:
			out[i] = Hidden
		case !readable(c.Property):
			out[i] = Unasked
		case !c.Later || spans[i].first:
			out[i] = Direct
		case r.Mutations[span.last].New == r.Mutations[span.first].Old:
			out[i] = Undone
		case span.last != i:
			out[i] = Passing
		default:
			out[i] = Unneeded
		}
	}
	return out
}

// awaited are the changes of a run by which its commands are told that they may go on.
func (m *Model) awaited(r *Run) map[Mutation]bool {
	out := map[Mutation]bool{}
	for _, w := range r.windows() {
		wait := m.waits[w.Key]
		if wait == nil || !wait.Prone() {
			continue
		}
		shown := strings.Trim(wait.Answer.Value, `"`)
		for _, c := range w.changes {
			if w.Kind == Reads && c.Later && shown != "" && wait.Answer.Error == "" && c.bears(w.Command, shown) {
				out[c] = true
			}
		}
		for _, c := range w.before() {
			for _, want := range wait.After {
				if c.same(want) {
					out[c] = true
				}
			}
		}
	}
	return out
}

// span is what changed in one browser between two actions.
type span struct {
	first      bool // no action was before it
	properties map[property]turns
}

// turns are the first and the last change of a property, by their index.
type turns struct{ first, last int }

// spans are those that the mutations of a run lie in.
func (r *Run) spans() []*span {
	acts := r.acts()
	type at struct{ browser, act int }
	all := map[at]*span{}
	out := make([]*span, len(r.Mutations))
	for i, c := range r.Mutations {
		own := acts[c.Browser]
		n := sort.Search(len(own), func(i int) bool { return own[i].Start >= c.At })
		s := all[at{c.Browser, n}]
		if s == nil {
			s = &span{first: n == 0, properties: map[property]turns{}}
			all[at{c.Browser, n}] = s
		}
		t, known := s.properties[c.property()]
		if !known {
			t.first = i
		}
		t.last = i
		s.properties[c.property()] = t
		out[i] = s
	}
	return out
}

// acts are the actions of a run by their browsers, in order.
func (r *Run) acts() map[int][]*Command {
	all := map[int][]*Command{}
	for i := range r.Commands {
		if c := &r.Commands[i]; c.Kind == Acts {
			all[c.Browser] = append(all[c.Browser], c)
		}
	}
	return all
}
