package volatility

import (
	"cmp"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/condition"
)

// runBook is what is known of the runs: from the start, and from what was counted of their answers.
type runBook struct {
	all      []exchange.Run
	timeRank map[int]int            // in time; nil where their numbers say it
	starts   map[int]exchange.Start // the state that they began in
	repeated map[int]bool           // those of kind exchange.RunRepeat
	// their conditions, as perturbed gives them; those played as recorded are not there
	perturbed map[int]string
	turned    map[int]exchange.ClockStep // those whose clock was moved by a step, or a time
	mixed     bool                       // some were played as recorded, and others were not
	atOnce    map[int]int                // how many times those under load sent a request at once
	clients   map[int]bool               // those in which new clients asked
	playedOn  condition.PlayedOn         // the machines of those that workers played
	misled    map[int]bool               // those that sent values that mean nothing to the API

	// how many times the recording's requests were sent again before each run began, by runs of any kind
	sentBefore map[int]float64

	observed map[int]int // their observations
	failed   map[int]int // of these, the faults of what was answered in the recording
	answered map[int]int // the observations of those whose answers are counted apart
}

func newRunBook(rec exchange.Recording, runs []exchange.Run) *runBook {
	b := &runBook{
		all: runs, timeRank: condition.InTime(runs), playedOn: condition.NewPlayedOn(runs),
		starts: make(map[int]exchange.Start), repeated: make(map[int]bool), perturbed: make(map[int]string),
		turned: make(map[int]exchange.ClockStep), misled: make(map[int]bool),
		atOnce: make(map[int]int), clients: make(map[int]bool),
		observed: make(map[int]int), failed: make(map[int]int), answered: make(map[int]int),
	}
	for _, r := range runs {
		b.starts[r.Number] = r.Conditions.Start
		b.repeated[r.Number] = r.Kind == exchange.RunRepeat
		if name := perturbed(r); name != "" {
			b.perturbed[r.Number] = name
		}
		if step := r.Conditions.ClockStep(); step != "" {
			b.turned[r.Number] = step
		}
		if n := r.Conditions.AtOnce(); n > 0 {
			b.atOnce[r.Number] = n
		}
		if slices.Contains(r.Conditions.Perturb, exchange.FreshClients) {
			b.clients[r.Number] = true
		}
		if r.Misled() {
			b.misled[r.Number] = true
		}
	}
	plain, others := 0, 0
	for _, r := range runs {
		switch {
		case b.misled[r.Number]:
		case b.perturbed[r.Number] != "" || b.repeated[r.Number]:
			others++
		default:
			plain++
		}
	}
	b.mixed = plain > 0 && others > 0
	b.sentBefore = sentBefore(b.inTime(runs), rec.Count)
	return b
}

// conditions sums up the runs.
func (b *runBook) conditions() conditions {
	c := conditions{runs: len(b.observed), perturbed: map[string]int{}, turned: map[exchange.ClockStep]int{}}
	for number := range b.observed {
		c.reset = c.reset || b.startedAnew(number)
		c.perturbed[b.perturbed[number]]++
	}
	for number, step := range b.turned {
		if b.answered[number] > 0 {
			c.turned[step]++
		}
	}
	for number, again := range b.repeated {
		if name := b.perturbed[number]; name != "" && (again || b.answered[number] > 0) {
			c.perturbed[name]++
		}
	}
	return c
}

// aside reports whether what a run answered is counted apart: it made something else of the recording.
func (b *runBook) aside(run int) bool {
	return perturbedConditions[b.perturbed[run]].judgement != "" || b.repeated[run]
}

// asRecorded sums up the runs that were played as recorded.
func (b *runBook) asRecorded() conditions {
	c := conditions{perturbed: map[string]int{}}
	for number := range b.observed {
		if b.perturbed[number] != "" {
			continue
		}
		c.runs++
		c.reset = c.reset || b.startedAnew(number)
	}
	c.perturbed[""] = c.runs
	return c
}

// startedAnew reports whether a run began on a fresh or a reset API.
func (b *runBook) startedAnew(number int) bool {
	s := b.starts[number]
	return s == exchange.StartFresh || s == exchange.StartReset
}

// inTime returns the runs in the order in which they began, as far as that is known.
func (b *runBook) inTime(runs []exchange.Run) []exchange.Run {
	if b.timeRank == nil {
		return runs
	}
	return slices.SortedFunc(slices.Values(runs),
		func(x, y exchange.Run) int { return cmp.Compare(b.timeRank[x.Number], b.timeRank[y.Number]) })
}

// sentBefore adds up what runs sent that began one after the other, in recordings of so many exchanges: a run that
// sends each request several times counts as often.
func sentBefore(runs []exchange.Run, exchanges uint64) map[int]float64 {
	out, sum := make(map[int]float64, len(runs)), 0.0
	for _, r := range runs {
		out[r.Number] = sum
		sum += max(1, float64(r.Steps)/float64(max(exchanges, 1)))
	}
	return out
}

// evidence returns the observations of a step that tell of the API, in the order in which their runs began. Those of a
// misled run tell whether a value is to be carried over, which package flow asks, and nothing else.
func (b *runBook) evidence(observations []*exchange.Observation) []*exchange.Observation {
	if b.timeRank == nil && len(b.misled) == 0 {
		return observations
	}
	observations = slices.DeleteFunc(slices.Clone(observations),
		func(o *exchange.Observation) bool { return o == nil || b.misled[o.Run] })
	if b.timeRank != nil {
		slices.SortStableFunc(observations,
			func(x, y *exchange.Observation) int { return cmp.Compare(b.timeRank[x.Run], b.timeRank[y.Run]) })
	}
	return observations
}
