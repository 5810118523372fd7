package volatility

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/across"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/request"
	"github.com/flaketap/flaketap/volatility/verdict"
)

// A recording can be judged in parts, each by operations of its own, in different processes: what is counted of one
// operation depends on others by nothing but an across.State and the totals of the runs. A [Divider] sees all steps and
// keeps these, without comparing any answers; a part does the rest (JudgePart), and the Divider makes the map of what
// the parts found. It is the map that Judge makes, byte for byte.

// ErrWhole is why a recording cannot be judged in parts.
var ErrWhole = errors.New("it can only be judged as a whole")

// Case is what a judgement is given beside the steps, as [Judge] is.
type Case struct {
	Recording  exchange.Recording
	Runs       []exchange.Run
	Operations map[uint64]exchange.Operation
	Bindings   []exchange.Binding
	Options    Options
}

func (c *Case) judge() *judge {
	return newJudge(c.Recording, c.Runs, c.Operations, c.Bindings, c.Options)
}

// Judge is [Judge] of the steps.
func (c *Case) Judge(steps iter.Seq2[exchange.Step, error]) (*mapfile.Map, error) {
	return Judge(c.Recording, c.Runs, steps, c.Operations, c.Bindings, c.Options)
}

// Producers returns the operations of the exchanges that bindings come from: no part needs to know others beforehand.
func (c *Case) Producers() map[uint64]exchange.Operation {
	out := map[uint64]exchange.Operation{}
	for _, b := range c.Bindings {
		if op, ok := c.Operations[b.Producer.Seq]; ok {
			out[b.Producer.Seq] = op
		}
	}
	return out
}

// Piece is what a part of a judgement is given next.
type Piece struct {
	Events    []across.Event // what came about since the last piece
	Operation exchange.Operation
	Step      exchange.Step // without an Exchange where there are events alone
}

// Totals are what runs answered, in all operations.
type Totals struct{ Observed, Failed, Answered map[int]int }

// Divider divides a recording.
type Divider struct {
	judge      *judge
	journal    *across.Journal
	operations map[uint64]exchange.Operation
	parts      map[exchange.Operation]int
	count      int
}

// NewDivider divides a recording into so many parts, of about as many exchanges each. The error is an [ErrWhole] where
// the judgement of some operations needs the answers of others.
func NewDivider(c *Case, parts int) (*Divider, error) {
	switch {
	case c.Options.Outside != nil:
		return nil, fmt.Errorf("%w: the API asked external services", ErrWhole)
	case request.OfClients(c.Runs):
		return nil, fmt.Errorf("%w: the client itself ran again, and may have made up values of its own", ErrWhole)
	}
	j := c.judge()
	d := &Divider{judge: j, operations: c.Operations, parts: across.Divide(c.Operations, parts), count: parts}
	d.journal = across.NewJournal(j.across, parts)
	return d, nil
}

// Take yields what parts are to be given because of the next step of the recording.
func (d *Divider) Take(step exchange.Step, give func(part int, p Piece) error) error {
	if step.Exchange == nil {
		return nil
	}
	step.Observations = d.judge.runs.evidence(step.Observations)
	op := operationOf(step.Exchange, d.operations, d.judge.options.Redactor)
	part := d.parts[op]
	if err := give(part, Piece{Events: d.journal.Since(part), Operation: op, Step: step}); err != nil {
		return err
	}
	d.judge.glance(step, op)
	d.journal.Saw(part)
	for part := 0; d.journal.Full() && part < d.count; part++ {
		if err := give(part, Piece{Events: d.journal.Since(part)}); err != nil {
			return err
		}
	}
	return nil
}

// Totals returns what runs answered, in the steps that were taken.
func (d *Divider) Totals() Totals {
	r := d.judge.runs
	return Totals{r.observed, r.failed, r.answered}
}

// Map makes the map of what the parts found.
func (d *Divider) Map(found []*verdict.Operation) *mapfile.Map {
	m := d.judge.head(found)
	verdict.Finish(m, found, d.judge.options.Redactor)
	return m
}

// JudgePart judges the operations of one part, and returns them in no order. Of the operations of the case it needs
// those of [Case.Producers]; totals are asked for behind the last piece.
func JudgePart(c *Case, pieces iter.Seq2[Piece, error], totals func() Totals) ([]*verdict.Operation, error) {
	j := c.judge()
	if err := j.count(pieces); err != nil {
		return nil, err
	}
	t := totals()
	j.runs.observed, j.runs.failed, j.runs.answered = t.Observed, t.Failed, t.Answered
	return j.found(), nil
}

// stage is where in a judgement an event is taken in: see ahead and judged.
type stage int

const (
	readAhead stage = iota
	judgedInOrder
)

// takeNews takes in those of the events that belong to a stage: when runs began is asked where their answers are read.
func (j *judge) takeNews(events []across.Event, s stage) {
	for _, e := range events {
		of := judgedInOrder
		if e.Kind == across.Started && !j.runs.aside(e.Run) {
			of = readAhead
		}
		if of == s {
			j.across.Take(e)
		}
	}
}

// glance takes in what a step tells of later ones, and of the runs.
func (j *judge) glance(step exchange.Step, op exchange.Operation) {
	e := step.Exchange
	rec := j.recorded(e)
	s := &readStep{Piece: Piece{Operation: op, Step: step}, rec: rec, views: make([]*answerView, len(step.Observations))}
	var read []*compare.Answer
	answerOf := func(r *exchange.Response, f *exchange.Fault) *compare.Answer {
		a := j.reader.Read(r, f)
		read = append(read, a)
		return a
	}
	for i, ob := range step.Observations {
		if ob != nil && (ob.Response != nil || ob.Fault != nil) && !j.runs.aside(ob.Run) {
			s.views[i] = j.asked(ob, rec)
			if makes(e) {
				s.views[i].answer = answerOf(ob.Response, ob.Fault)
			}
		}
	}
	seen := j.sortOut(s)
	j.tellAges(e, rec, seen.views)
	j.noteHosts(rec, seen.views)
	j.across.Sends(rec.values)
	if makes(e) {
		rec.answer = answerOf(e.Response, e.Fault)
		j.noteCreated(e, rec, seen.views)
	}
	j.glanceRows(e, rec, seen.rows)
	if j.repeats != nil {
		key := repeatKey{exchange.Exact(e), 0}
		if e.Response != nil {
			key.status = e.Response.Status
		}
		j.repeats.hold(key, e, &compare.Answer{})
	}
	for _, a := range read {
		j.reader.Release(a)
	}
}

// glanceRows is what rows is to step.
func (j *judge) glanceRows(e *exchange.Exchange, rec *answerView, all []*exchange.Observation) {
	if len(all) == 0 {
		return
	}
	recorded := compare.Read(e.Response, e.Fault)
	for row := range rowsOf(all) {
		first := slices.IndexFunc(row, func(o *exchange.Observation) bool {
			return compare.Read(o.Response, o.Fault).SameStatus(recorded)
		})
		if first < 0 {
			continue
		}
		var others []*answerView
		for i, o := range row {
			if i != first {
				others = append(others, j.asked(o, rec))
			}
		}
		own := j.asked(row[first], rec)
		if len(others) > 0 {
			j.noteHosts(own, others)
			j.across.Sends(own.values)
		}
	}
}
