package search

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/search/tree"
)

// Answer is what an endpoint is made to answer: JSON, an object unless it says otherwise, or a body of its own.
type Answer struct {
	Status  int
	Interim int               `json:",omitempty"` // the status of an answer that goes before this one; 0: there is none
	Header  map[string]string `json:",omitempty"` // beside Content-Type, unless it names that
	JSON    any               `json:",omitempty"`
	Body    *string           `json:",omitempty"`
	Delay   time.Duration     `json:",omitempty"`
	Fault   mock.Fault        `json:",omitempty"`
	Then    *Answer           `json:",omitempty"` // of all requests but the first; nil: the same
}

// ok is the plain good answer.
func ok() Answer { return Answer{Status: 200, JSON: map[string]any{}} }

// plain reports whether an answer is a good one whose JSON can be changed field by field.
func (a Answer) plain() bool {
	return a.Status/100 == 2 && a.Interim == 0 && a.Body == nil && a.Fault == "" && a.Delay == 0 && a.Then == nil
}

// fielded reports whether an answer has JSON that can be changed field by field, whatever its status.
func (a Answer) fielded() bool {
	return a.Interim == 0 && a.Body == nil && a.Fault == "" && a.Delay == 0 && a.Then == nil && a.Status != 204 &&
		a.Status/100 != 3
}

// with is the answer with another value at a place.
func (a Answer) with(p exchange.Place, value any) Answer {
	a.JSON = tree.Put(a.JSON, tree.Within(p), value)
	return a
}

// without is the answer without what stands at a place.
func (a Answer) without(p exchange.Place) Answer {
	a.JSON = tree.Drop(a.JSON, tree.Within(p))
	return a
}

// has reports whether something stands at a place.
func (a Answer) has(p exchange.Place) bool {
	_, there := tree.Get(a.JSON, tree.Within(p))
	return there
}

// headed is the answer with a header field.
func (a Answer) headed(name, value string) Answer {
	a.Header = maps.Clone(a.Header)
	if a.Header == nil {
		a.Header = map[string]string{}
	}
	a.Header[name] = value
	return a
}

// then is the answer, followed by another.
func (a Answer) then(b Answer) Answer {
	a.Then = &b
	return a
}

// setting is what each endpoint answers; one that is not there has no stub. It is never changed.
type setting map[Endpoint]Answer

func (s setting) with(e Endpoint, a Answer) setting {
	out := maps.Clone(s)
	out[e] = a
	return out
}

func (s setting) without(e Endpoint) setting {
	out := maps.Clone(s)
	delete(out, e)
	return out
}

func (s setting) endpoints() []Endpoint {
	return slices.SortedFunc(maps.Keys(s), Endpoint.compare)
}

// untrusted says whether a service is to show a certificate that nobody trusts, and whether it was asked nonetheless.
func (s setting) untrusted(calls []Call) (shown, asked bool) {
	for e, a := range s {
		if a.Fault == mock.Untrusted {
			shown = true
			taken := func(c Call) bool { return c.Scheme == "https" && c.Service == e.Service }
			asked = asked || slices.ContainsFunc(calls, taken)
		}
	}
	return shown, asked
}

// key tells settings apart.
func (s setting) key() string {
	var b strings.Builder
	for _, e := range s.endpoints() {
		raw, _ := json.Marshal(s[e]) // what it holds came from JSON, or is written here
		b.WriteString(e.Service + " " + e.Method + " " + e.Path + " ")
		b.Write(raw)
	}
	return b.String()
}
