package history

import (
	"maps"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
)

// maxLines bounds how many places of answers are followed through the executions.
const maxLines = 500

// Line is what one concrete place of the answer to one request had, in each execution that answered it.
type Line struct {
	Values  []any
	Lacking int // how many answers do not have the place
}

// History is what a place had, in all answers to an operation.
type History struct {
	Lines    []Line
	Complete bool // false where there was more than is gathered
}

// At gathers the history of a place, with wildcards, of the body: of the answers with a status to the requests of some
// steps.
func At(steps []*exchange.Step, status int, place exchange.Place) History {
	h := History{Complete: true}
	for _, s := range steps {
		answers := 0
		lines := map[exchange.Place]*Line{}
		for _, e := range executionsOf(s) {
			r := e.Response
			if r == nil || r.Status != status {
				continue
			}
			answers++
			each(r, place, func(at exchange.Place, v any) bool {
				if lines[at] == nil {
					lines[at] = &Line{}
				}
				lines[at].Values = append(lines[at].Values, v)
				return len(lines) < maxLines
			})
		}
		for _, at := range slices.Sorted(maps.Keys(lines)) {
			if len(h.Lines) == maxLines {
				h.Complete = false
				return h
			}
			lines[at].Lacking = answers - len(lines[at].Values)
			h.Lines = append(h.Lines, *lines[at])
		}
	}
	return h
}

// executionsOf are the executions of a request: the recorded one, as run 0, and those of later runs.
func executionsOf(s *exchange.Step) []*exchange.Observation {
	recorded := &exchange.Observation{Start: s.Exchange.Start, Response: s.Exchange.Response}
	return append([]*exchange.Observation{recorded}, s.Observations...)
}

// Flips reports whether a statement about the value is true in one execution of a line and false in another. What is
// not there is not looked at.
func (h History) Flips(holds func(v any) bool) bool {
	return slices.ContainsFunc(h.Lines, func(l Line) bool {
		first := holds(l.Values[0])
		return slices.ContainsFunc(l.Values[1:], func(v any) bool { return holds(v) != first })
	})
}

// Leaves reports whether a value for which a statement is true is there in one execution and lacks in another.
func (h History) Leaves(holds func(v any) bool) bool {
	return slices.ContainsFunc(h.Lines, func(l Line) bool { return l.Lacking > 0 && slices.ContainsFunc(l.Values, holds) })
}

// Moves reports whether two values of one type differ in a line.
func (h History) Moves() bool {
	return slices.ContainsFunc(h.Lines, func(l Line) bool {
		for i, v := range l.Values[1:] {
			if expr.TypeOf(v) == expr.TypeOf(l.Values[i]) && !expr.Equal(v, l.Values[i]) {
				return true
			}
		}
		return false
	})
}

// Count is how many values a statement is true of.
func (h History) Count(holds func(v any) bool) int {
	n := 0
	for _, l := range h.Lines {
		for _, v := range l.Values {
			if holds(v) {
				n++
			}
		}
	}
	return n
}

// Gather calls a function for each value that is no array and no object and stands at a place, with wildcards, of the
// body of an answer, until it has had enough.
func Gather(r *exchange.Response, place exchange.Place, take func(v any) bool) {
	if r == nil {
		return
	}
	each(r, place, func(_ exchange.Place, v any) bool {
		switch v.(type) {
		case expr.Items, map[string]any:
			return true
		}
		return take(v)
	})
}

// each calls a function for each value that stands at a place, with wildcards, of the body of an answer, until it has
// had enough.
func each(r *exchange.Response, place exchange.Place, take func(at exchange.Place, v any) bool) {
	if place.Root() != "body" {
		return
	}
	root, err := expr.NewResponse(r, nil).JSON()
	if err != nil {
		return
	}
	more := true
	var walk func(v any, at exchange.Place)
	walk = func(v any, at exchange.Place) {
		if more && place.Matches(at) {
			more = take(at, v)
		}
		if !more {
			return
		}
		switch v := v.(type) {
		case expr.Items:
			for i, e := range v {
				walk(e, at.Index(i))
			}
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				walk(v[k], at.Key(k))
			}
		}
	}
	walk(root, exchange.PlaceBody)
}
