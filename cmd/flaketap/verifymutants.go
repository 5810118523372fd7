package main

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite/mutant"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/volatility"
)

// tried is a mutant with what became of it in a run of each suite.
type tried struct {
	mutant.Mutant
	verdicts []verdict // by suite
}

// verdict is what one suite made of a mutant.
type verdict struct {
	Answers int64        // that were changed; 0 where the suite asks for none of them
	By      []results.ID // the tests that told
	Late    bool         // the run was cut off: the suite waited for what did not come, which tells too
}

// killed reports whether the suite told the fault.
func (v verdict) killed() bool { return v.Answers > 0 && (len(v.By) > 0 || v.Late) }

// operations are those of the answers that the original suite sees.
type operations struct {
	paths *flow.Paths
	of    map[uint64]exchange.Operation // by Seq
}

// operationsOf tells the operations of a suite's requests apart: by the map's templates where one fits, so that its
// judgements apply, and else by what can be seen.
func operationsOf(exchanges []*exchange.Exchange, known *volatility.Map) operations {
	var templates []string
	if known != nil {
		for _, op := range known.Operations {
			templates = append(templates, op.Template)
		}
	}
	stated := flow.NewPaths(templates)
	bindings := flow.Bindings(exchanges)
	seen := flow.Operations(exchanges, bindings)
	for _, e := range exchanges {
		if _, ok := stated.Template(&e.Request); !ok {
			templates = append(templates, seen[e.Seq].Template)
		}
	}
	o := operations{paths: flow.NewPaths(templates)}
	o.of = flow.Rules{Paths: o.paths}.Operations(exchanges, bindings)
	return o
}

// fault plants a mutant in the answers that pass. It implements [proxy.Rewriter].
type fault struct {
	mutant.Mutant
	paths   *flow.Paths
	changed atomic.Int64
}

func (f *fault) Request(*exchange.Exchange) []byte { return nil }

func (f *fault) Response(e *exchange.Exchange) []byte {
	if e.Request.Method != f.Operation.Method || e.Response == nil {
		return nil
	}
	if template, ok := f.paths.Template(&e.Request); !ok || template != f.Operation.Template {
		return nil
	}
	raw, changed := f.Apply(e.Response)
	if !changed {
		return nil
	}
	f.changed.Add(1)
	return raw
}

// mutate plants mutants, one in each run of each suite: only so is it certain which one a test fails of.
func (v *verifier) mutate(out *verification) error {
	first := v.suites[0]
	ops := operationsOf(first.seen.exchanges, v.known)
	var survey mutant.Survey
	for _, e := range first.seen.exchanges {
		if op := ops.of[e.Seq]; e.Response != nil && op.Host == "" {
			survey.Add(op, e.Response)
		}
	}
	judge := judging(first.seen, ops, v.known, v.rules.places)
	all := survey.Mutants(v.kinds, 0, out.seed, judge)
	chosen := all
	if n := v.c.Int("mutants"); n > 0 {
		chosen = survey.Mutants(v.kinds, n, out.seed, judge)
	}
	out.candidates, out.chosen = len(all), len(chosen)
	v.planned += len(chosen) * len(v.suites)
	if first.seen.missed > 0 {
		v.say(v.c, "flaketap: %s too many to remember: mutants are of the first %d", console.Count(first.seen.missed, "exchange"), len(first.seen.exchanges))
	}
	v.say(v.c, "flaketap: %s planted, of %d, one in each run%s", console.Count(len(chosen), "mutant"), len(all), v.estimate())
	limit := v.c.Duration("timeout")
	if limit == 0 {
		limit = 4*v.slowest + 30*time.Second
	}
	for i, m := range chosen {
		p := &tried{Mutant: m}
		for _, s := range v.suites {
			told, err := v.plant(m, s, ops.paths, limit, fmt.Sprintf("mutant-%03d", i+1))
			if v.c.Context.Err() != nil {
				return err
			}
			if err != nil {
				return fmt.Errorf("%s: %w", m, err)
			}
			p.verdicts = append(p.verdicts, told)
		}
		out.mutants = append(out.mutants, p)
		v.say(v.c, "mutant %d of %d%s: %s", i+1, len(chosen), v.estimate(), oneLine(p.summary(v.suites)))
	}
	return nil
}

// estimate says how long the runs that are left will take.
func (v *verifier) estimate() string {
	if v.done == 0 || v.planned == v.done {
		return ""
	}
	return ", " + about(time.Since(v.begun)/time.Duration(v.done)*time.Duration(v.planned-v.done)) + " left"
}

// plant runs a suite with a mutant planted.
func (v *verifier) plant(m mutant.Mutant, s *verified, paths *flow.Paths, limit time.Duration, id string) (verdict, error) {
	f := &fault{Mutant: m, paths: paths}
	e, err := v.execute(s, nil, f, limit, id)
	v.done++
	if err != nil || v.c.Context.Err() != nil {
		return verdict{}, err
	}
	told := verdict{Answers: f.changed.Load(), Late: e.late}
	if told.Answers > 0 {
		told.By = results.Kills(s.reliable, s.whole, e.results, e.status != 0 || e.late)
	}
	return told, nil
}

// answersAt is a place in the answers of an operation that have one status.
type answersAt struct {
	op     exchange.Operation
	status int
	place  exchange.Place
}

// judging says of places what the map knows, and of answers that it does not know, what moved in the runs of the suite itself.
// These see less: what moves seldom may have stood still, so that the same seed may choose other mutants the next time.
func judging(w *witness, ops operations, known *volatility.Map, rules []volatility.Rule) func(exchange.Operation, int, exchange.Place) mutant.Judgement {
	moved, holds, gone := map[answersAt]bool{}, map[answersAt]bool{}, map[answersAt]bool{} // places, those that they are parts of; those that come and go
	for m, was := range w.moved {
		e := w.exchanges[m.at]
		if e.Response == nil {
			continue
		}
		at := answersAt{ops.of[e.Seq], e.Response.Status, m.place}
		moved[at] = true
		gone[at] = gone[at] || was.gone
		around(at, holds)
	}
	if known != nil {
		for _, op := range known.Operations {
			for _, f := range op.Fields {
				if f.Volatile() {
					around(answersAt{op.Operation, op.Status, f.Place}, holds)
				}
			}
		}
	}
	ignored := ignores(rules)
	return func(op exchange.Operation, status int, place exchange.Place) mutant.Judgement {
		if known != nil && known.Operation(op, status) != nil {
			j := told(known.Operation(op, status), place)
			j.Unordered = j.Unordered || holds[answersAt{op, status, place}]
			return j
		}
		j := mutant.Judgement{Volatile: moved[answersAt{op, status, exchange.PlaceStatus}]}
		for p := place; p != ""; p = p.Parent() {
			j.Volatile = j.Volatile || moved[answersAt{op, status, p}]
		}
		at := answersAt{op, status, place}
		j.Unordered, j.Optional, j.Ignored = holds[at], gone[at], ignored(op, status, place)
		return j
	}
}

// ignores reports for places that no map knows whether the user's rules ignore them, or what they are in.
func ignores(rules []volatility.Rule) func(exchange.Operation, int, exchange.Place) bool {
	return func(op exchange.Operation, status int, place exchange.Place) bool {
		if len(rules) == 0 {
			return false
		}
		one := &volatility.Operation{Operation: op, Status: status}
		for p := place; p != ""; p = p.Parent() {
			one.Fields = append(one.Fields, &volatility.Field{Place: p, Judgement: volatility.Stable})
		}
		volatility.Apply(&volatility.Map{Operations: []*volatility.Operation{one}}, rules)
		return slices.ContainsFunc(one.Fields, (*volatility.Field).Ignored)
	}
}

// around marks what a place is a part of: where something moves within an array, its order may be what moves.
func around(at answersAt, marked map[answersAt]bool) {
	for at.place = at.place.Parent(); at.place != ""; at.place = at.place.Parent() {
		marked[at] = true
	}
}

// told is what a map says of a place: that it moves, or something that it is a part of, or the status, without which
// nothing else can be relied on.
func told(op *volatility.Operation, place exchange.Place) (j mutant.Judgement) {
	if f := op.At(exchange.PlaceStatus); f != nil && f.Volatile() {
		j.Volatile = true
	}
	for p := place; p != ""; p = p.Parent() {
		f := op.At(p)
		if f == nil {
			continue
		}
		j.Volatile = j.Volatile || f.Volatile()
		j.Ignored = j.Ignored || f.Ignored()
		if p == place {
			if f.Place != place {
				j.Place = f.Place
			}
			j.Optional = f.Holds.Optional
			j.Unordered = f.Holds.Order != "" || f.Category == volatility.Unord
		}
	}
	return j
}
