package findings

import (
	"cmp"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// maxActions is how many things to do are told: who has done these comes back.
const maxActions = 4

// headline says what the sequences were counted by, and what would help most.
func (g *gathering) headline(f *Findings) {
	h := &f.Headline
	h.Unit, h.Of, h.Actions = "sequence", h.Sequences, []Action{}
	advice := map[*mapfile.Field]report.Advice{}
	at := map[string]int{}
	for _, op := range g.judged.Map.Operations {
		for _, field := range op.Fields {
			a := report.Advise(field, g.judged.Map.Runs)
			if a.Do == "" || !field.Counts() {
				continue
			}
			advice[field] = a
			if _, known := at[a.Do]; !known {
				at[a.Do] = len(h.Actions)
				h.Actions = append(h.Actions, Action{Advice: a})
			}
			h.Actions[at[a.Do]].Places++
			h.Actions[at[a.Do]].outcome = h.Actions[at[a.Do]].outcome || field.Place == exchange.PlaceStatus
		}
	}
	g.helped(h, func(field *mapfile.Field) (int, bool) {
		i, ok := at[advice[field].Do]
		return i, ok
	})
	slices.SortStableFunc(h.Actions, func(a, b Action) int {
		// Where the outcome itself differs, nothing else of the answer can be relied on.
		return cmp.Or(cmp.Compare(rankOf(a.outcome), rankOf(b.outcome)), cmp.Compare(b.Sequences, a.Sequences),
			cmp.Compare(b.Places, a.Places))
	})
	h.Actions = h.Actions[:min(len(h.Actions), maxActions)]
}

// rankOf orders what concerns outcomes before the rest.
func rankOf(outcome bool) int {
	if outcome {
		return 0
	}
	return 1
}

// helped counts the sequences that each action helps.
func (g *gathering) helped(h *Headline, action func(*mapfile.Field) (int, bool)) {
	for _, steps := range g.inSequences {
		told := map[int]bool{}
		for _, n := range steps {
			for _, field := range g.volatiles[n] {
				if i, ok := action(field); ok && !told[i] {
					told[i] = true
					h.Actions[i].Sequences++
				}
			}
		}
	}
}
