package search

import (
	"context"
	"slices"
	"testing"
)

// foreseer asks before each trial what is likely to come, where it is told to, and counts how often that is right.
type foreseer struct {
	API
	asks     bool
	tried    []string
	foreseen map[string]bool
	right    int
}

func (f *foreseer) Try(ctx context.Context, t Trial) (Outcome, error) {
	id := t.Request.Target + string(t.Stubs)
	f.tried = append(f.tried, id)
	if f.foreseen[id] {
		f.right++
	}
	if f.foreseen = map[string]bool{}; f.asks && t.Likely != nil {
		all := t.Likely(4)
		if len(all) > 4 {
			all = nil // more than were asked for
		}
		for _, next := range all {
			f.foreseen[next.Request.Target+string(next.Stubs)] = true
		}
	}
	return f.API.Try(ctx, t)
}

// However few trials are left, it is told without harm what is likely to come.
func TestLikelyAtTheEnd(t *testing.T) {
	for trials := range 40 {
		o := options()
		o.Trials = trials + 1
		if _, err := Run(t.Context(), &foreseer{API: &shop{}, asks: true}, o); err != nil {
			t.Error(err)
		}
	}
}

// Asking what is likely to come changes nothing of what comes; and of most trials it is told.
func TestLikely(t *testing.T) {
	o := options()
	o.Requests = append(o.Requests, Request{Method: "GET", Target: "/price?item=b8"})
	alone := &foreseer{API: &shop{}}
	want, err := Run(t.Context(), alone, o)
	if err != nil {
		t.Fatal(err)
	}
	ahead := &foreseer{API: &shop{}, asks: true}
	got, err := Run(t.Context(), ahead, o)
	if err != nil || !slices.Equal(ahead.tried, alone.tried) || !slices.Equal(outline(got.Behaviors), outline(want.Behaviors)) {
		t.Errorf("%d trials led to %q, and where it is asked %d to %q, %v", len(alone.tried), outline(want.Behaviors),
			len(ahead.tried), outline(got.Behaviors), err)
	}
	if ahead.right*10 < len(ahead.tried)*7 {
		t.Errorf("%d of %d trials were foreseen", ahead.right, len(ahead.tried))
	}
	t.Logf("%d of %d trials were foreseen", ahead.right, len(ahead.tried))
}
