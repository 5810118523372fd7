package search

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

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
