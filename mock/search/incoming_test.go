package search

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/google/go-cmp/cmp"
)

// arriving has a request come after so many trials, and others once there is nothing else to try.
type arriving struct {
	after map[int]Request
	idle  []Request
	ready []Request
	best  string // as it was told last
	ended bool
	err   error
}

func (a *arriving) Next(_ context.Context, trials int, best func() []byte) ([]Request, error) {
	a.best = string(best())
	out := a.ready
	a.ready = nil
	if r, comes := a.after[trials]; comes {
		out = append(out, r)
		delete(a.after, trials)
	}
	return out, a.err
}

func (a *arriving) Wait(context.Context) bool {
	if len(a.idle) == 0 {
		return false
	}
	a.ready, a.idle = a.idle[:1], a.idle[1:]
	return true
}

func (a *arriving) End() { a.ended = true }

// twoWays is an API of two operations, each with a service.
func twoWays(w *world, r Request) (int, string) {
	path, _, _ := strings.Cut(r.Target, "?")
	got := w.get("shop.example:443", path)
	switch {
	case got.status != 200:
		return 502, fmt.Sprintf(`{"error": "no %s"}`, path[1:])
	case at(got.json, "gone") != nil:
		return 410, fmt.Sprintf(`{"gone": "%s"}`, path[1:])
	}
	return 200, fmt.Sprintf(`{"there": "%s"}`, path[1:])
}

// What comes while a search goes on is searched like what was there from the start, also where that has led to all that
// it leads to, or where there was nothing; and the search says by what answers requests get furthest.
func TestRunTakesWhatComes(t *testing.T) {
	first, second, third := Request{Method: "GET", Target: "/first"}, Request{Method: "GET", Target: "/second"}, Request{Method: "GET", Target: "/third"}
	for name, o := range map[string]Options{
		"in the middle": {Requests: []Request{first}, More: &arriving{after: map[int]Request{1: third, 20: second}}},
		"at the end":    {Requests: []Request{first}, More: &arriving{idle: []Request{second, third}}},
		"alone":         {More: &arriving{idle: []Request{first, second, third}}},
	} {
		var outlines [2][]string
		for i := range outlines {
			came := *o.More.(*arriving)
			came.after = map[int]Request{}
			for n, r := range o.More.(*arriving).after {
				came.after[n] = r
			}
			one := o
			one.More, one.Words, one.Trials, one.Seed = &came, wordsOf(`"gone" "there"`), 300, 1
			found := searchWorld(t, one, twoWays)
			for _, path := range []string{"first", "second", "third"} {
				wanted(t, found, `{error: "no `+path+`"}`, `{gone: "`+path+`"}`, `{there: "`+path+`"}`)
			}
			if outlines[i] = outline(found.Behaviors); !came.ended || !strings.Contains(came.best, `"/third"`) {
				t.Errorf("%s: ended %v, and the best answers are %s", name, came.ended, came.best)
			}
		}
		if diff := cmp.Diff(outlines[0], outlines[1]); diff != "" {
			t.Errorf("%s: it is not the same again: %s", name, diff)
		}
	}
}

// An error of where requests come from ends the search, with what was found.
func TestRunEndsWhereNothingCanCome(t *testing.T) {
	gone := errors.New("gone")
	found, err := Run(t.Context(), &shop{}, Options{Requests: options().Requests, Trials: 100, More: &arriving{err: gone}})
	if !errors.Is(err, gone) {
		t.Errorf("%d found; %v", len(found.Behaviors), err)
	}
}

// Of what comes, one of each operation and shape is taken, whatever the values are.
func TestArrivals(t *testing.T) {
	sent := func(line, body string, status int) *exchange.Exchange {
		head := line + " HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
		e := &exchange.Exchange{Request: exchange.ParseRequest(exchange.Message{
			Head: fmt.Appendf(nil, "%sContent-Length: %d\r\n\r\n", head, len(body)), Body: []byte(body)})}
		if status > 0 {
			e.Response = exchange.ParseResponse(exchange.Message{Head: fmt.Appendf(nil, "HTTP/1.1 %d X\r\nContent-Length: 0\r\n\r\n", status)})
		}
		return e
	}
	var a Arrivals
	a.Has(sent("GET /recorded?x=1", "", 0))
	for i, step := range []struct {
		line, body string
		status     int
		news       bool
	}{
		{"GET /recorded?x=9", "", 500, false}, // it is searched anyway
		{"GET /items/1", "", 200, true},
		{"GET /items/2", "", 200, false},
		{"GET /items/2", "", 404, false},
		{"GET /items/2?by=a", "", 200, true},
		{"GET /items/2?by=b", "", 200, false},
		{"DELETE /items/2", "", 200, true},
		{"POST /items", `{"tags": ["a"], "n": 1}`, 201, true},
		{"POST /items", `{"n": 2, "tags": ["b", "c"]}`, 201, false},
		{"POST /items", `{"n": 2}`, 201, true},
		{"POST /items", `{"m": 2}`, 201, true},
		{"POST /items", `{"o": 2}`, 201, false}, // so many are enough
		{"POST /items", `{"o": 2}`, 0, false},
		{"CONNECT a:443", "", 200, false},
	} {
		r, news := a.Take(sent(step.line, step.body, step.status))
		if news != step.news || news && r.Method+" "+r.Target != step.line {
			t.Errorf("%d: %s %s is taken: %v, as %+v", i, step.line, step.body, news, r)
		}
	}
	for i := range maxArrivals + 10 {
		a.Take(sent("GET "+strings.Repeat("/more", i/3+1)+"?"+strings.Repeat("a", i%3)+"=1", "", 200))
	}
	if len(a.taken) != maxArrivals {
		t.Errorf("%d are taken", len(a.taken))
	}
}
