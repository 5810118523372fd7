package volatility

import (
	"iter"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/ahead"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
	"github.com/flaketap/flaketap/volatility/relation"
)

// Relations are looked for behind the rest of the judgement, in the same order: nothing in it asks for them before all
// steps are judged, and they take a third of its time.

// looked is a step that was judged, and what is left to be done of it.
type looked struct {
	work     []relating
	released []*compare.Answer // that nobody needs after that
	size     int               // bytes of the bodies
}

// relating is the answers of one step that relations are looked for in.
type relating struct {
	miner   *relation.Miner
	places  []relation.SeenPlace
	rec     *compare.Answer
	answers []*compare.Answer // those that differ from rec
}

// judged judges steps while relations are looked for in those before them.
func (j *judge) judged(steps iter.Seq2[exchange.Step, error], operation func(*exchange.Exchange) exchange.Operation) iter.Seq2[*looked, error] {
	all := func(yield func(*looked, error) bool) {
		for r, err := range j.ahead(steps) {
			l := &looked{}
			if err == nil {
				l = j.step(r, operation(r.step.Exchange))
			}
			if !yield(l, err) {
				return
			}
		}
	}
	return ahead.Of(all, func(l *looked) int { return l.size })
}

// relate does what is left to be done of a step.
func (j *judge) relate(l *looked) {
	for i := range l.work {
		l.work[i].relate()
	}
	for _, a := range l.released {
		j.reader.Release(a)
	}
}

// relating gathers what relations are looked for in.
func (w *work) relating() relating {
	r := relating{miner: &w.operation.miner, places: w.operation.newPlaces(), rec: w.rec.answer}
	for _, s := range w.same {
		if s.moved {
			r.answers = append(r.answers, s.answer)
		}
	}
	return r
}

// newPlaces returns the places that were seen for the first time in this step, sorted.
func (o *operation) newPlaces() []relation.SeenPlace {
	if len(o.tallies) == o.told || o.tellings == relation.MaxOpened {
		return nil
	}
	o.told = len(o.tallies)
	o.tellings++
	var fresh []relation.SeenPlace
	for _, t := range o.tallies {
		if t.told {
			continue
		}
		if t.told = true; mapfile.MovesByProtocol(t.place) || t.place == exchange.PlaceStatus {
			continue
		}
		v := &t.values
		fresh = append(fresh, relation.SeenPlace{
			Place: t.place, Skip: v.n > 0 && !v.scalars() && !v.types[notation.Array], Array: v.types[notation.Array], Whole: v.only(notation.Integer, notation.Number),
		})
	}
	slices.SortFunc(fresh, func(a, b relation.SeenPlace) int { return strings.Compare(string(a.Place), string(b.Place)) })
	return fresh
}

// relate takes in the answers of one step.
func (r *relating) relate() {
	r.miner.Learn(r.places, r.rec, r.answers)
}
