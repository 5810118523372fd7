package ui

import (
	"net/http"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/inspect"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// whyView says how the places of an exchange's answer are judged, and of one of them why.
type whyView struct {
	N      uint64
	Age    age
	Op     string
	Status int
	Places []placeLine // that move, then the others
	Why    *report.Why // nil where no place was asked for
	ID     exchange.Place
	Steps  []whyStep
	Of     int // exchanges of the operation
	Seen   int // that Why is told of
}

// placeLine is a place with its judgement in short.
type placeLine struct {
	Place       exchange.Place
	Judgement   mapfile.Judgement
	Category    mapfile.Category
	Changed, Of int
	Rule        *mapfile.Ruling
	On          bool // it is the one that is told of
}

// whyStep is what one exchange had at the place.
type whyStep struct {
	report.WhyStep
	Rows []whyRow
}

// whyRow is what it had in one run, with what differs from the recording in the middle.
type whyRow struct {
	Name, Words string
	Values      []part
}

// The bounds on what is read of the exchanges of an operation for one explanation.
const (
	maxWhySteps  = 100
	maxWhyShown  = 10
	maxWhyPlaces = 2000
	maxWhyValues = 20
)

func showWhy(s *Server, r *http.Request) (any, error) {
	at, step, done, err := s.step(r)
	if err != nil {
		return nil, err
	}
	defer done()
	j, err := s.judge.get(r.Context())
	if err != nil {
		return nil, err
	}
	op, err := j.at(step.Exchange)
	if err != nil {
		return nil, err
	}
	v := whyView{N: step.Exchange.Seq, Age: s.age(j), Op: op.Operation.String(), Status: op.Status, Of: op.Exchanges}
	place := exchange.Place(r.URL.Query().Get("place"))
	if place != "" {
		if err := v.explain(at, j, op, place); err != nil {
			return nil, err
		}
	}
	for _, f := range op.Fields[:min(len(op.Fields), maxWhyPlaces)] {
		v.Places = append(v.Places, placeLine{f.Place, f.Judgement, f.Category, f.Changed, f.Of, f.Rule, f.Place == v.ID})
	}
	rank := func(l placeLine) int { return slices.Index(mapfile.Judgements(), l.Judgement) }
	slices.SortStableFunc(v.Places, func(a, b placeLine) int { return rank(a) - rank(b) })
	return v, nil
}

// explain says why a place is judged as it is, by the exchanges of the operation around the one that was asked for.
func (v *whyView) explain(at *snapshot, j *judged, op *mapfile.Operation, place exchange.Place) error {
	f := op.At(place)
	if f == nil {
		return wrong("no answer of %s has a place %s", op.Operation, report.ShowEnds(string(place), maxShown))
	}
	v.ID = f.Place
	one := *j.result
	played := one.Played()
	one.Steps = nil
	for _, seq := range j.near(op, v.N) {
		step, err := at.db.Step(seq)
		if err != nil {
			continue // it is damaged: the others tell
		}
		one.Steps = append(one.Steps, played(step))
	}
	v.Seen = len(one.Steps)
	v.Why = inspect.Explain(&one, op, f, place, 0)
	for _, s := range v.Why.Steps[:min(len(v.Why.Steps), maxWhyShown)] {
		v.Steps = append(v.Steps, newWhyStep(s))
	}
	return nil
}

// near are the exchanges of an operation, as many as are read for one explanation: that one, and then the first.
func (j *judged) near(op *mapfile.Operation, n uint64) []uint64 {
	seqs := []uint64{}
	for seq, of := range j.result.Operations {
		if of == op.Operation {
			seqs = append(seqs, seq)
		}
	}
	slices.Sort(seqs)
	if i := slices.Index(seqs, n); i > 0 {
		copy(seqs[1:i+1], seqs[:i])
		seqs[0] = n
	}
	seqs = seqs[:min(len(seqs), maxWhySteps)]
	return seqs
}

func newWhyStep(s report.WhyStep) whyStep {
	out := whyStep{WhyStep: s, Rows: []whyRow{{Name: runName(0), Values: plain(s.Recorded)}}}
	for _, seen := range s.Runs {
		row := whyRow{Name: runName(seen.Run)}
		switch {
		case !seen.Counts:
			row.Words = "answered " + report.Show(seen.Outcome, 40) + ", not compared"
		case len(seen.Values) == 0:
			row.Words = "nothing there"
		case !seen.Moved:
			row.Words = "as recorded"
		case len(seen.Values) == 1 && len(s.Recorded) == 1:
			recorded, value := tokenOf(s.Recorded[0]), tokenOf(seen.Values[0])
			row.Values = []part{marked(recorded, value)}
		default:
			row.Values = plain(seen.Values)
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

func tokenOf(v report.Value) string { return report.Show(v.Token, maxValue) }

func plain(values []report.Value) []part {
	var out []part
	for _, v := range values[:min(len(values), maxWhyValues)] {
		out = append(out, part{Before: tokenOf(v)})
	}
	return out
}
