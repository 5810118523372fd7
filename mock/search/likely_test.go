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

// severalServices answers by what three services say, of which the last is asked where the others answer.
func severalServices(w *world, _ Request) (int, string) {
	for _, host := range []string{"a.example:80", "b.example:80", "c.example:80"} {
		r := w.get(host, "/x")
		switch {
		case r.gone:
			return 504, `{"error": "gone"}`
		case r.status != 200:
			return 502, `{"error": "down"}`
		case at(r.json, "id") == "hidden":
			return 200, `{"of": "` + host + `"}`
		}
	}
	return 200, `{"all": 1}`
}

// Asking what is likely to come changes nothing of what comes; and of most trials it is told.
func TestLikely(t *testing.T) {
	o := options()
	o.Requests = append(o.Requests, Request{Method: "GET", Target: "/price?item=b8"})
	for name, api := range map[string]func() API{
		"a shop":           func() API { return &shop{} },
		"several services": func() API { return &world{handle: severalServices} },
	} {
		t.Run(name, func(t *testing.T) {
			alone := &foreseer{API: api()}
			want, err := Run(t.Context(), alone, o)
			if err != nil {
				t.Fatal(err)
			}
			ahead := &foreseer{API: api(), asks: true}
			got, err := Run(t.Context(), ahead, o)
			if err != nil || !slices.Equal(ahead.tried, alone.tried) || !slices.Equal(outline(got.Behaviors), outline(want.Behaviors)) {
				t.Errorf("%d trials led to %q, and where it is asked %d to %q, %v", len(alone.tried), outline(want.Behaviors),
					len(ahead.tried), outline(got.Behaviors), err)
			}
			if ahead.right*10 < len(ahead.tried)*7 {
				t.Errorf("%d of %d trials were foreseen", ahead.right, len(ahead.tried))
			}
			t.Logf("%d of %d trials were foreseen", ahead.right, len(ahead.tried))
		})
	}
}
