package search

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock"
)

// API runs trials. An error ends the search.
type API interface {
	Try(ctx context.Context, t Trial) (Outcome, error)
}

// Trial is one request, and what external services answer meanwhile.
type Trial struct {
	Request Request
	Stubs   []byte // a file of mappings, as mock.ParseStubs reads it
}

// Request is what the API is asked.
type Request struct {
	Method string
	Target string // path and query
	Header map[string]string
	Body   []byte
}

// End is how a request ended other than by an answer.
type End string

// The ends.
const (
	Answered End = ""
	Hung     End = "hang"  // there was no answer within the bound
	Broke    End = "broke" // the connection ended without one
)

// Outcome is what a trial showed.
type Outcome struct {
	End    End
	Status int
	Body   []byte
	Calls  []Call // those of one service in the order in which they were first made
	// Record is the trial for those who write tests of it: see [Journal]. The search keeps it, and does not look at it.
	Record []*exchange.Exchange
}

// Journal is the target of the exchange that stands behind that of the API in the record of a trial: what answers for
// external services is asked what it was asked.
const Journal = "/calls"

// Call is what the API asked of a service.
type Call struct {
	Service string // host:port
	Method  string
	Target  string
	Status  int // 0 where the connection was ended instead
	Times   int
}

// Endpoint is a kind of call. Its path is a template, in which {} stands for a segment that varies.
type Endpoint struct {
	Service, Method, Path string
}

func (e Endpoint) compare(f Endpoint) int {
	return cmp.Or(strings.Compare(e.Service, f.Service), strings.Compare(e.Path, f.Path),
		strings.Compare(e.Method, f.Method))
}

// Answer is what an endpoint is made to answer: an object of JSON, unless it has a body of its own.
type Answer struct {
	Status     int
	RetryAfter string         `json:",omitempty"`
	Fields     map[string]any `json:",omitempty"`
	Body       *string        `json:",omitempty"`
	Delay      time.Duration  `json:",omitempty"`
	Fault      mock.Fault     `json:",omitempty"`
}

// with is the answer with a field more.
func (a Answer) with(field string, value any) Answer {
	a.Fields = maps.Clone(a.Fields)
	if a.Fields == nil {
		a.Fields = map[string]any{}
	}
	a.Fields[field] = value
	return a
}

// without is the answer with a field less.
func (a Answer) without(field string) Answer {
	a.Fields = maps.Clone(a.Fields)
	delete(a.Fields, field)
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
