package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// waiting is an API that asks one service for each request, which is named as that, and waits for it up to a bound of
// its own; without one where there is none.
type waiting struct {
	long     int  // trials that were waited for longer
	tooEarly bool // in one of them a service answered
	bounds   map[string]time.Duration
}

func (a *waiting) handle(w *world, r Request) (int, string) {
	service := strings.TrimPrefix(r.Target, "/") + ".example:443"
	got := w.get(service, "/latest")
	if w.wait > 0 {
		a.long++
		a.tooEarly = a.tooEarly || !strings.Contains(string(w.stubs), fmt.Sprint(lateBy(w.wait).Milliseconds()))
	}
	switch after := a.bounds[r.Target]; {
	case !got.late:
		return max(got.status, 200), `{}`
	case after == 0 || after > w.wait:
		return 0, ""
	default:
		w.took = after
		return 504, `{"error": "late"}`
	}
}

// waits are the behaviors without an answer, each with its findings and what came of waiting longer.
func waits(found Result) (out []string) {
	for _, b := range found.Behaviors {
		if b.End == Hung {
			out = append(out, fmt.Sprintf("%s %s: %s", b.Request.Target, Listed(b.Findings), b.Wait))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func waitingOptions(targets ...string) Options {
	o := Options{Trials: 200 * len(targets), Patience: 3 * time.Second}
	for _, target := range targets {
		o.Requests = append(o.Requests, Request{Method: "GET", Target: target})
	}
	return o
}

// An API that waits longer than the search does, but not without an end, is told apart from one that never answers: once
// for each request and service, whichever behaviors it has.
func TestBoundsOfWaits(t *testing.T) {
	api := &waiting{bounds: map[string]time.Duration{"/stock": 10 * time.Second}}
	found := searchWorld(t, waitingOptions("/rates", "/stock"), api.handle)
	want := []string{"/rates hang: no answer in 30 s", "/stock slow: answered 504 after 10.0 s"}
	if got := waits(found); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if api.long != 2 || api.tooEarly {
		t.Errorf("%d trials waited longer, want 2; a service answered within one: %v", api.long, api.tooEarly)
	}
}

// Where much hangs, a search takes no longer than two long waits; of the others it says how long they were waited for.
func TestBoundsOfWaitsAreFew(t *testing.T) {
	api := &waiting{}
	found := searchWorld(t, waitingOptions("/a", "/b", "/c"), api.handle)
	want := []string{"/a hang: no answer in 30 s", "/b hang: no answer in 30 s", "/c hang: no answer in 3 s"}
	if got := waits(found); api.long != 2 || !slices.Equal(got, want) {
		t.Errorf("%d trials waited longer: %q", api.long, got)
	}
}

// impatient is an API whose trials end early where they would wait longer, as those of a search that is interrupted.
type impatient struct{ world }

func (i *impatient) Try(ctx context.Context, t Trial) (Outcome, error) {
	if t.Wait > 0 {
		return Outcome{}, context.Canceled
	}
	return i.world.Try(ctx, t)
}

// A search that ends before it has waited longer says how long it has.
func TestBoundsOfWaitsAreInterrupted(t *testing.T) {
	found, err := Run(t.Context(), &impatient{world{handle: (&waiting{}).handle}}, waitingOptions("/a"))
	if got := waits(found); !errors.Is(err, context.Canceled) || !slices.Equal(got, []string{"/a hang: no answer in 3 s"}) {
		t.Errorf("%q, %v", got, err)
	}
}
