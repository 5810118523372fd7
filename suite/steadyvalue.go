package suite

import (
	"math/big"
	"slices"
	"strings"
	"unicode"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/history"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// enoughThere is in how many executions a value has to be there, as it is expected.
const enoughThere = 2

// measured is below which a number may be what was measured, or drawn of a few, the same in each execution by chance.
const measured = 10

// isSteady reports whether an assertion that holds wherever there is something to look at goes on to, though the map
// says that its place moves: in no execution of any request of the operation a value that it admits stood where one
// stood in another that it does not. That the answers to other requests have values that move is no evidence against
// this one. A time, and what a clock measures, is.
func (w *weakening) isSteady() bool {
	over, always := w.trials, len(w.guards) == 0
	if !always {
		over = w.active
	}
	if _, failed := hold(w.a.Meaning, over); failed > 0 || len(over) < enoughThere ||
		w.field.Judgement != mapfile.Jitter || w.field.Category == mapfile.Crypt ||
		!w.field.Place.Matches(w.a.Place) || w.a.Place.Root() != "body" {
		return false
	}
	subject := w.a.Subject()
	h, ok := w.history()
	if !ok || subject == nil {
		return false
	}
	var values []any
	for _, s := range over {
		v, err := s.Eval(subject)
		if err != nil || w.mayMove(v, h) {
			return false
		}
		values = append(values, v)
	}
	for _, says := range []expr.Expr{w.a.Meaning, expr.Last(w.a.Meaning)} { // which may stand behind what has to be there
		admits := func(v any) bool { return expr.HoldsOf(says, subject, v) }
		if slices.ContainsFunc(values, func(v any) bool { return !admits(v) }) {
			continue
		}
		return w.awaited() || !h.Flips(admits) && (!always || !h.Leaves(admits) && h.Count(admits) >= EnoughAnswers)
	}
	return false
}

// awaited reports whether a loop of the test waits for the answer: that the answers before it have other values, and
// those of tests which do not wait, is why.
func (w *weakening) awaited() bool { return w.a.Relation != "" && w.t.Calls[w.a.Call].Last }

// mayMove reports whether a value is of a kind that moves though it was seen not to: what the clock says, or measures.
func (w *weakening) mayMove(v any, h history.History) bool {
	if w.a.Relation == exchange.Contains {
		_, isList := v.(expr.Items)
		return !isList // of texts see isSteadyPiece
	}
	if _, moment := expr.Second(v); moment {
		return true // but see isPast
	}
	byClock := w.field.Category == mapfile.Time
	switch v := v.(type) {
	case string:
		return byClock && strings.ContainsFunc(v, unicode.IsDigit)
	case *big.Int:
		return h.Moves() && (byClock || v.CmpAbs(big.NewInt(measured)) < 0)
	case float64:
		return h.Moves() && (byClock || v > -measured && v < measured)
	}
	return false
}

// history is that of the place which the map says moves, and which the assertion looks at; false where it is not known.
func (w *weakening) history() (history.History, bool) {
	step := w.p.step(w.t, w.a)
	if step == nil {
		return history.History{}, false
	}
	op := w.p.src.operation(step.Exchange)
	if op == nil {
		return history.History{}, false
	}
	h := w.p.historyOf(siteOf{op, w.field.Place})
	return h, h.Complete && len(h.Lines) > 0
}

// historyOf gathers the history of a place once.
func (p *patcher) historyOf(at siteOf) history.History {
	if h, ok := p.histories[at]; ok {
		return h
	}
	if p.histories == nil {
		p.histories = map[siteOf]history.History{}
	}
	var steps []*exchange.Step
	for i := range p.src.Steps {
		if s := &p.src.Steps[i]; p.src.operation(s.Exchange) == at.operation {
			steps = append(steps, s)
		}
	}
	p.histories[at] = history.At(steps, at.operation.Status, at.place)
	return p.histories[at]
}
