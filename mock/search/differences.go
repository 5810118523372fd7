package search

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/shape"
	"github.com/flaketap/flaketap/mock/search/tree"
	"github.com/flaketap/flaketap/mock/search/wordings"
)

// moved is what is not the same in what an API did twice.
type moved struct {
	places []exchange.Place // of its answer, the status among them
	calls  []Endpoint       // in target, body, or number
	log    bool
}

// did is what an API did in one trial, as far as it is compared.
type did struct {
	end    End
	status int
	body   any // its JSON, or its text
	calls  map[Endpoint]string
	log    string
	// lacks are names of fields that an error says are missing or wrong.
	lacks []string
}

// didIn is what an API did in a trial whose errors told something. given are the values that it was given: segments of
// a path that are one of them vary.
func didIn(o Outcome, told []wordings.Told, given map[string]bool) did {
	d := did{end: o.End, status: o.Status, calls: counted(o, given), log: shape.Lines(o.Log)}
	for _, t := range told {
		if t.Plain && o.Status/100 == 4 {
			continue // it is refused, in words about something else
		}
		d.lacks = append(d.lacks, tree.Name(t.Place))
	}
	if json.Unmarshal(o.Body, &d.body) != nil {
		d.body = string(o.Body)
	}
	return d
}

// differences are what is not the same in two trials. Where only one of them is a success, all of its answer is
// another, and is not listed.
func differences(a, b did) (m moved) {
	same := a.end == b.end && a.status == b.status
	if !same {
		m.places = []exchange.Place{exchange.PlaceStatus}
	}
	if same || a.status/100 == 2 && b.status/100 == 2 {
		m.places = append(m.places, tree.Unlike(a.body, b.body, exchange.PlaceBody)...)
	}
	for _, o := range []map[Endpoint]string{a.calls, b.calls} {
		for e := range o {
			if a.calls[e] != b.calls[e] && !slices.Contains(m.calls, e) {
				m.calls = append(m.calls, e)
			}
		}
	}
	slices.SortFunc(m.calls, Endpoint.compare)
	m.log = a.log != b.log
	return m
}

// counted are the calls of an outcome by their endpoints: what was asked, and how often.
func counted(o Outcome, given map[string]bool) map[Endpoint]string {
	out := map[Endpoint]string{}
	for _, c := range o.Calls {
		out[c.endpoint(given)] += fmt.Sprintln(c.Target, c.Times, c.Sent)
	}
	return out
}

// and is what is moved in both.
func (m moved) and(o moved) moved {
	in := func(p exchange.Place) bool { return !slices.Contains(o.places, p) }
	of := func(e Endpoint) bool { return !slices.Contains(o.calls, e) }
	return moved{slices.DeleteFunc(slices.Clone(m.places), in), slices.DeleteFunc(slices.Clone(m.calls), of),
		m.log && o.log}
}

// without is what is moved, and not in another.
func (m moved) without(o moved) moved {
	in := func(p exchange.Place) bool { return slices.Contains(o.places, p) }
	of := func(e Endpoint) bool { return slices.Contains(o.calls, e) }
	return moved{slices.DeleteFunc(slices.Clone(m.places), in), slices.DeleteFunc(slices.Clone(m.calls), of),
		m.log && !o.log}
}

// or is what is moved in either.
func (m moved) or(o moved) moved {
	more := o.without(m)
	return moved{slices.Concat(m.places, more.places), slices.Concat(m.calls, more.calls), m.log || o.log}
}

func (m moved) none() bool { return len(m.places) == 0 && len(m.calls) == 0 && !m.log }
