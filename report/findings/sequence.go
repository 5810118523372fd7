package findings

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// sequences tells the sequences, those first that have most to fear.
func (g *gathering) sequences(f *Findings) {
	all := flow.Sequences(g.outlines, g.judged.Bindings, g.judged.Operations)
	at := make(map[uint64]int, len(g.outlines)) // the outline of an exchange
	for i, e := range g.outlines {
		at[e.Seq] = i
	}
	within := make(map[uint64]int, len(g.outlines)) // the sequence of an exchange
	for i, s := range all {
		steps := make([]int, len(s.Steps))
		for k, seq := range s.Steps {
			within[seq], steps[k] = i, at[seq]
		}
		g.inSequences = append(g.inSequences, steps)
	}
	bindings := make([][]exchange.Binding, len(all))
	for _, b := range g.judged.Bindings {
		if i := within[b.Producer.Seq]; len(bindings[i]) < maxBindings {
			bindings[i] = append(bindings[i], b)
		}
	}
	f.Sequences = []Sequence{}
	for i, s := range all {
		one := g.risk(s, at)
		one.Bindings = g.bindings(bindings[i], func(seq uint64) bool { return within[seq] == i })
		f.Sequences = append(f.Sequences, one)
	}
	f.Headline.Sequences = len(all)
	for _, s := range f.Sequences {
		if s.Risk != Steady {
			f.Headline.AtRisk++
		}
		if s.Risk == NotReproduced {
			f.Headline.NotReproduced++
		}
		for i := range f.Runs {
			if slices.Contains(s.Otherwise, f.Runs[i].Number) {
				f.Runs[i].NotReproduced++
			}
		}
	}
	slices.SortStableFunc(f.Sequences, func(a, b Sequence) int {
		return cmp.Or(cmp.Compare(rank(a.Risk), rank(b.Risk)), cmp.Compare(len(b.Otherwise), len(a.Otherwise)),
			cmp.Compare(b.Places, a.Places))
	})
	if n := len(f.Sequences); n > maxSequences {
		f.Sequences, f.Left.Sequences = f.Sequences[:maxSequences], n-maxSequences
	}
	for i := range f.Sequences {
		g.steps(&f.Sequences[i], at)
	}
}

// rank orders risks, the worst first.
func rank(r Risk) int { return slices.Index([]Risk{NotReproduced, AtRisk, Steady}, r) }

// risk says what a sequence has to fear. Its steps are the first ones, by their numbers alone.
func (g *gathering) risk(s exchange.Sequence, at map[uint64]int) Sequence {
	first := g.outlines[at[s.Steps[0]]]
	out := Sequence{ID: id("s", fmt.Sprint(first.Pass), s.Name), Name: s.Name, Pass: first.Pass, Risk: Steady,
		Exchanges: len(s.Steps), Categories: []mapfile.Category{}, Otherwise: []int{}, Steps: []SequenceStep{}}
	if first.Sequence != "" {
		out.Name = report.Show(g.show.redactor.Show("", first.Sequence), 160)
	}
	places := map[*mapfile.Field]bool{}
	counts := map[mapfile.Category]int{}
	other := make([]bool, len(g.columns))
	for _, seq := range s.Steps {
		i := at[seq]
		if len(out.Steps) < maxSteps {
			out.Steps = append(out.Steps, SequenceStep{Seq: seq})
		}
		for _, f := range g.volatiles[i] {
			if !places[f] {
				places[f] = true
				counts[f.Category]++
			}
		}
		for c, how := range g.states[i] {
			other[c] = other[c] || how == otherwise
		}
	}
	out.Places = len(places)
	for _, c := range report.Categories() {
		if counts[c] > 0 {
			out.Categories = append(out.Categories, c)
		}
	}
	slices.SortStableFunc(out.Categories, func(a, b mapfile.Category) int { return cmp.Compare(counts[b], counts[a]) })
	for c, is := range other {
		if is {
			out.Otherwise = append(out.Otherwise, g.columns[c].Number)
		}
	}
	switch {
	case len(out.Otherwise) > 0:
		out.Risk = NotReproduced
		out.Do = g.pollutes(s.Steps)
	case out.Places > 0:
		out.Risk = AtRisk
	}
	return out
}

// pollutes says of a sequence what it was found to go otherwise after; "" where no search found that.
func (g *gathering) pollutes(steps []uint64) string {
	for _, r := range g.judged.Map.Runs {
		for _, d := range r.Dependences {
			if d.Victim != steps[0] || len(d.After) == 0 {
				continue
			}
			if d.Polluted {
				return fmt.Sprintf("it goes otherwise after the sequence that begins with exchange %d: begin each with its own data, or reset in between",
					d.After[0])
			}
			return fmt.Sprintf("it goes as recorded only after the sequence that begins with exchange %d: give it that as a set-up", d.After[0])
		}
	}
	return ""
}

// steps fills in the steps of a sequence that is told.
func (g *gathering) steps(s *Sequence, at map[uint64]int) {
	begin := g.outlines[at[s.Steps[0].Seq]].Start
	for i := range s.Steps {
		n := at[s.Steps[i].Seq]
		e := g.outlines[n]
		step := SequenceStep{Seq: e.Seq, Request: g.show.request(e), Outcome: outcome(e.Response, e.Fault),
			Begins: milliseconds(e.Start.Sub(begin)), Took: milliseconds(e.Latency), Places: len(g.volatiles[n]), Runs: []Went{}}
		for c, how := range g.states[n] {
			step.Runs = append(step.Runs, Went{g.columns[c].Number, how.String(), g.outcomes[[2]int{n, c}]})
		}
		s.Steps[i] = step
	}
}

// String names a state as [Went] has it.
func (s state) String() string { return [...]string{"missing", "same", "moved", "otherwise"}[s] }

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// bindings are those of a sequence, with their uses within it.
func (g *gathering) bindings(all []exchange.Binding, within func(seq uint64) bool) []Binding {
	out := []Binding{}
	for _, b := range all {
		one := Binding{Name: report.Show(b.Name, 60), Value: excerpt(g.bound(b), 0), From: b.Producer.Seq,
			Place: g.show.redactor.ShowPlace(b.Producer.Place)}
		for _, u := range b.Uses {
			if within(u.Seq) && len(one.Uses) < maxUses {
				u.Place = g.show.redactor.ShowPlace(u.Place)
				one.Uses = append(one.Uses, u)
			}
		}
		if len(one.Uses) > 0 {
			out = append(out, one)
		}
	}
	return out
}

// bound is the value of a binding, as it may be shown: it is secret where one of its places is that of a secret.
func (g *gathering) bound(b exchange.Binding) string {
	for _, ref := range append([]exchange.Ref{b.Producer}, b.Uses...) {
		if shown := g.show.redactor.Show(ref.Place, b.Value); shown != b.Value {
			return shown
		}
	}
	return b.Value
}
