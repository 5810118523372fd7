package search

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// accounted counts trials by what they are for, and those that repeat one by what the repeats are for.
type accounted struct {
	shop
	trials, again map[Purpose]int
	ran           map[string]bool
}

func (a *accounted) Try(ctx context.Context, t Trial) (Outcome, error) {
	a.trials[t.Purpose]++
	if a.ran[string(t.Stubs)] {
		a.again[t.Purpose]++
	}
	a.ran[string(t.Stubs)] = true
	return a.shop.Try(ctx, t)
}

// Each trial is for something that is listed; those that begin come first, and what confirms repeats a trial.
func TestTrialsHavePurposes(t *testing.T) {
	a := &accounted{trials: map[Purpose]int{}, again: map[Purpose]int{}, ran: map[string]bool{}}
	found, err := Run(t.Context(), a, options())
	if err != nil {
		t.Fatal(err)
	}
	for p, n := range a.trials {
		if !slices.Contains(Purposes(), p) {
			t.Errorf("%d trials are for %q, which is not listed", n, p)
		}
	}
	if a.trials[toBegin] != 1 {
		t.Errorf("%d trials with no stubs, of one request", a.trials[toBegin])
	}
	if n := a.trials[toConfirm] + a.trials[toConfirmLog]; n < len(found.Behaviors) || n > 2*len(found.Behaviors) ||
		a.again[toConfirm]+a.again[toConfirmLog] != n {
		t.Errorf("%d trials confirm %d behaviors, %d of them repeat one", n, len(found.Behaviors), a.again[toConfirm])
	}
	for _, p := range []Purpose{toSucceed, toRefuse, toBreak, toDelay, toVary, toLessen, toProve, toTrace} {
		if a.trials[p] == 0 {
			t.Errorf("no trial is for %s: %v", p, slices.Sorted(maps.Keys(a.trials)))
		}
	}
}

func TestPurposeOfChange(t *testing.T) {
	e := Endpoint{"a.example:80", "GET", "/x"}
	had := &base{setting: setting{e: ok().with("/body/n", 1.0)}}
	of := func(p exchange.Place, a Answer) *change { return &change{base: had, endpoint: e, field: p, answer: a} }
	for _, one := range []struct {
		change *change
		want   Purpose
	}{
		{of("/body/n", ok().with("/body/n", 2.0)), toVary},
		{of("/body/m", ok().with("/body/m", "x")), toVary}, // whatever its type: there was none
		{of("/body/n", ok().with("/body/n", "x")), toMistype},
		{of("/body/n", ok()), toOmit},
		{of("", ok()), toSucceed},
		{of("", Answer{Status: 500}), toRefuse},
		{of("", bodied("")), toBreak},
		{of("", ok().headed("Content-Type", "text/html")), toHead},
		{of("", Answer{Status: 503}.then(ok())), toFollow},
	} {
		if got := one.change.purpose(); got != one.want {
			t.Errorf("%+v is for %s, not %s", one.change.answer, got, one.want)
		}
	}
}
