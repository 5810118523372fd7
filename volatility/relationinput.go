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

// judgedStep is a step that was judged, and what is left to be done of it.
type judgedStep struct {
	relations []relationInput
	released  []*compare.Answer // that nobody needs after that
	size      int               // bytes of the bodies
}

// relationInput is the answers of one step that relations are looked for in.
type relationInput struct {
	miner   *relation.Miner
	places  []relation.SeenPlace
	rec     *compare.Answer
	answers []*compare.Answer // those that differ from rec
}

// judged judges steps while relations are looked for in those before them.
func (j *judge) judged(pieces iter.Seq2[Piece, error]) iter.Seq2[*judgedStep, error] {
	all := func(yield func(*judgedStep, error) bool) {
		for r, err := range j.ahead(pieces) {
			l := &judgedStep{}
			j.takeNews(r.Events, judgedInOrder)
			if err == nil && r.Step.Exchange != nil {
				l = j.step(r)
			}
			if !yield(l, err) {
				return
			}
		}
	}
	return ahead.Of(all, func(l *judgedStep) int { return l.size })
}

// relate does what is left to be done of a step.
func (j *judge) relate(l *judgedStep) {
	for i := range l.relations {
		l.relations[i].relate()
	}
	for _, a := range l.released {
		j.reader.Release(a)
	}
}

// relationInput gathers what relations are looked for in.
func (w *stepAnalysis) relationInput() relationInput {
	r := relationInput{miner: &w.operation.miner, places: w.operation.newPlaces(), rec: w.rec.answer}
	for _, s := range w.same {
		if s.moved {
			r.answers = append(r.answers, s.answer)
		}
	}
	return r
}

// newPlaces returns the places that were seen for the first time in this step, sorted.
func (o *operation) newPlaces() []relation.SeenPlace {
	if len(o.places) == o.registered || o.registrations == relation.MaxOpened {
		return nil
	}
	o.registered = len(o.places)
	o.registrations++
	var fresh []relation.SeenPlace
	for _, t := range o.places {
		if t.registered {
			continue
		}
		if t.registered = true; mapfile.MovesByProtocol(t.place) || t.place == exchange.PlaceStatus {
			continue
		}
		v := &t.values
		fresh = append(fresh, relation.SeenPlace{
			Place: t.place, Skip: v.n > 0 && !v.scalars() &&
				!v.types[notation.Array], Array: v.types[notation.Array], Whole: v.only(notation.Integer, notation.Number),
		})
	}
	slices.SortFunc(fresh, func(a, b relation.SeenPlace) int { return strings.Compare(string(a.Place), string(b.Place)) })
	return fresh
}

// relate takes in the answers of one step.
func (r *relationInput) relate() {
	r.miner.Learn(r.places, r.rec, r.answers)
}
