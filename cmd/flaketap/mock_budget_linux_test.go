package main

import (
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/external"
	"github.com/flaketap/flaketap/mock/search"
)

// budgetStep is after how many trials it is told each time how much was reached.
const budgetStep = 150

// logBudget says what the trials of a search went to, and which of them showed behaviors and bugs that none before did.
func (j *judge) logBudget(t *testing.T, l *external.Labels) {
	t.Helper()
	type spent struct{ trials, behaviors, bugs int }
	by := map[search.Purpose]*spent{}
	known := map[string]bool{}
	news := func(ids []string) (n int) {
		for _, id := range ids {
			if !known[id] {
				known[id] = true
				n++
			}
		}
		return n
	}
	for i, p := range j.purposes {
		if by[p] == nil {
			by[p] = &spent{}
		}
		score := l.Score(j.seen[i : i+1])
		by[p].trials++
		by[p].behaviors += news(score.Behaviors.Found)
		by[p].bugs += news(score.Bugs.Found)
		if (i+1)%budgetStep == 0 {
			t.Logf("after %d trials: %d behaviors and bugs", i+1, len(known))
		}
	}
	for _, p := range search.Purposes() {
		if s := by[p]; s != nil {
			t.Logf("trials for %s: %d, new behaviors %d, bugs %d", p, s.trials, s.behaviors, s.bugs)
		}
	}
}
