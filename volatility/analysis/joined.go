package analysis

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/align"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/store"
)

// source is what a judgement reads: a recording with its runs, in one database or in several.
type source interface {
	Path() string
	Recording() (exchange.Recording, error)
	Runs() ([]exchange.Run, error)
	Exchanges() iter.Seq2[*exchange.Exchange, error]
	Steps() iter.Seq2[exchange.Step, error]
	Externals() iter.Seq2[*exchange.External, error]
	Holder() *store.Holder
}

// joined are several recordings of one client as one: the newest, and the older ones with all their runs as runs of it.
// Each run counts alike.
type joined struct {
	*store.Store // the newest
	older        []*older
	runs         []exchange.Run // of all of them
}

// Externals has none: whose they are is told by the times of each recording's own exchanges.
func (*joined) Externals() iter.Seq2[*exchange.External, error] {
	return func(func(*exchange.External, error) bool) {}
}

// older is a recording beside the newest one.
type older struct {
	db      *store.Store
	name    string   // of its file
	of      []uint64 // by position in the newest: its exchange that asks for the same; 0 where it has none
	inOrder []bool   // by position in the newest: it is read when its turn comes
	added   []uint64 // those of its exchanges that the newest has no counterpart of
	run     int      // the number of what it recorded, as a run
	numbers map[int]int
}

// JudgeAll judges the recordings of one client in several database files, as nightly jobs leave them, as one: the
// newest, of which the older ones and their runs are further runs. Of more than last recordings the newest so many
// count; 0 for all. It refuses a file twice, recordings in which tokens stand for secrets, which are others in each,
// and one of which nothing was asked in the newest.
func JudgeAll(paths []string, last int, o Options) (*Result, error) {
	return judgeAll(paths, last, o, retainMap)
}

// JudgeAllWithSteps does what [JudgeAll] does, and keeps the outlines of the exchanges, and the steps.
func JudgeAllWithSteps(paths []string, last int, o Options) (*Result, error) {
	return judgeAll(paths, last, o, retainSteps)
}

func judgeAll(paths []string, last int, o Options, retain retention) (*Result, error) {
	if len(paths) == 1 {
		return judge(paths[0], o, retain)
	}
	all, err := openAll(paths)
	defer func() {
		for _, r := range all {
			r.db.Close()
		}
	}()
	if err != nil {
		return nil, err
	}
	if last > 0 && len(all) > last {
		for _, r := range all[:len(all)-last] {
			r.db.Close()
		}
		all = all[len(all)-last:]
	}
	j, err := join(all)
	if err != nil {
		return nil, err
	}
	r, err := judgeStored(j, o, retain)
	if err != nil {
		return nil, err
	}
	r.Recordings = len(all)
	changed, err := j.changed(r, r.rules)
	r.Map.Warnings = append(r.Map.Warnings, changed...)
	return r, err
}

// opened is a recording to be joined with others.
type opened struct {
	db  *store.Store
	rec exchange.Recording
}

// openAll opens the recordings, and puts them in the order in which they were begun. It returns those that it has
// opened where it fails, too.
func openAll(paths []string) ([]opened, error) {
	var all []opened
	for _, path := range paths {
		db, err := store.OpenReadOnly(path)
		if err != nil {
			return all, err
		}
		all = append(all, opened{db: db})
		r := &all[len(all)-1]
		if r.rec, err = db.Recording(); err != nil {
			return all, err
		}
		for _, other := range all[:len(all)-1] {
			if bytes.Equal(other.rec.Key, r.rec.Key) {
				return all, fmt.Errorf("join recordings: %s and %s are the same recording", other.db.Path(), path)
			}
		}
		switch {
		case r.rec.Count == 0:
			return all, fmt.Errorf("join recordings: %s contains no exchanges", path)
		case r.rec.Redacted():
			return all, console.Advise(fmt.Errorf("join recordings: %s has tokens in the place of secrets, other ones in each recording",
				path), "without --redact-at-rest they can be joined")
		}
	}
	slices.SortStableFunc(all, func(a, b opened) int { return a.rec.Started.Compare(b.rec.Started) })
	return all, nil
}

// join aligns the last of some recordings with the ones before it.
func join(all []opened) (*joined, error) {
	newest := all[len(all)-1]
	j := &joined{Store: newest.db}
	var err error
	if j.runs, err = newest.db.Runs(); err != nil {
		return nil, err
	}
	recorded, err := track(newest.db)
	if err != nil {
		return nil, err
	}
	for _, r := range all[:len(all)-1] {
		o := &older{db: r.db, name: filepath.Base(r.db.Path()), of: make([]uint64, newest.rec.Count+1),
			numbers: map[int]int{}}
		if err := j.add(o, r.rec, recorded); err != nil {
			return nil, err
		}
		j.older = append(j.older, o)
	}
	return j, nil
}

func track(db *store.Store) (*align.Track, error) {
	t := &align.Track{}
	for e, err := range store.Readable(db.Exchanges(), nil) {
		if err != nil {
			return nil, err
		}
		t.Add(e)
	}
	return t, nil
}

// add aligns an older recording, and makes runs of what it recorded and of its runs.
func (j *joined) add(o *older, rec exchange.Recording, recorded *align.Track) error {
	own, err := track(o.db)
	if err != nil {
		return err
	}
	first := rec.Passes[0]
	run := exchange.Run{Number: j.next(), Kind: exchange.RunClient, Label: cmp.Or(first.Label, o.name),
		Started: rec.Started, Ended: rec.Passes[len(rec.Passes)-1].Ended, Target: first.Target,
		Conditions: exchange.Conditions{Start: first.Start}}
	for _, m := range align.Tracks(recorded, own) {
		switch {
		case m.Run < 0:
			run.Lost++
		case m.Recorded < 0:
			run.Added++
			o.added = append(o.added, own.Seq(m.Run))
		default:
			run.Steps++
			o.of[recorded.Seq(m.Recorded)] = own.Seq(m.Run)
		}
	}
	if run.Steps == 0 {
		return fmt.Errorf("join recordings: none of the %s in %s is a request that %s has", console.Count(rec.Count, "exchange"),
			o.db.Path(), j.Path())
	}
	o.inOrder, o.run = rising(o.of), run.Number
	j.runs = append(j.runs, run)
	runs, err := o.db.Runs()
	for _, r := range runs {
		o.numbers[r.Number] = j.next()
		r.Number, r.Label = j.next(), cmp.Or(r.Label, o.name)
		r.Dependences = nil // they name exchanges of their own recording
		j.runs = append(j.runs, r)
	}
	return err
}

// next is the number of the next run.
func (j *joined) next() int {
	if len(j.runs) == 0 {
		return 1
	}
	return j.runs[len(j.runs)-1].Number + 1
}

// Runs returns those of all recordings: the newest's own, and then for each other, the oldest first, what it recorded
// and what its runs observed.
func (j *joined) Runs() ([]exchange.Run, error) { return slices.Clone(j.runs), nil }

// Steps returns the newest recording's exchanges, each with what it answered in all runs. Memory stays flat: all
// recordings are read beside each other.
func (j *joined) Steps() iter.Seq2[exchange.Step, error] {
	return func(yield func(exchange.Step, error) bool) {
		cursors := make([]*stepCursor, len(j.older))
		for i, o := range j.older {
			next, stop := iter.Pull2(store.Readable(o.db.Steps(), nil))
			defer stop()
			cursors[i] = &stepCursor{older: o, next: next}
		}
		for step, err := range j.Store.Steps() {
			if err == nil {
				step.Observations = slices.Clone(step.Observations)
			}
			for _, c := range cursors {
				if err != nil {
					break
				}
				step.Observations, err = c.appendAt(step.Observations, step.Exchange.Seq)
				if err != nil && !errors.As(err, new(*store.DamageError)) {
					break
				}
				if err != nil { // the rest is told
					if !yield(exchange.Step{}, err) {
						return
					}
					err = nil
				}
			}
			if !yield(step, err) {
				return
			}
		}
	}
}

// stepCursor goes through the steps of an older recording in the order of the newest.
type stepCursor struct {
	*older
	next func() (exchange.Step, error, bool)
	at   exchange.Step // that was read last
}

// appendAt appends what answers the newest recording's exchange at seq.
func (c *stepCursor) appendAt(out []*exchange.Observation, seq uint64) ([]*exchange.Observation, error) {
	own := c.of[seq]
	if own == 0 {
		return out, nil
	}
	step, err := c.step(own, c.inOrder[seq])
	if err != nil || step.Exchange == nil {
		return out, err
	}
	e := step.Exchange
	if (e.Response != nil || e.Fault != nil) && (e.Fault == nil || e.Fault.Kind != exchange.FaultDial) {
		out = append(out, &exchange.Observation{Run: c.run, Seq: seq, Start: e.Start, Latency: e.Latency, Sent: e.Request,
			Response: e.Response, Fault: e.Fault})
	}
	for _, o := range step.Observations {
		moved := *o
		moved.Run, moved.Seq = c.numbers[o.Run], seq
		out = append(out, &moved)
	}
	return out, nil
}

// step returns the step at a position, an empty one where it cannot be read.
func (c *stepCursor) step(own uint64, inOrder bool) (exchange.Step, error) {
	if !inOrder {
		return c.db.Step(own)
	}
	for c.at.Exchange == nil || c.at.Exchange.Seq < own {
		step, err, ok := c.next()
		if err != nil || !ok {
			return exchange.Step{}, err
		}
		c.at = step
	}
	if c.at.Exchange.Seq != own {
		return exchange.Step{}, nil
	}
	return c.at, nil
}

// rising marks a longest sequence of positions at which the values that are not 0 rise.
func rising(values []uint64) []bool {
	var ends []int // by length: the position of the smallest value that a rising sequence of it ends with
	before := make([]int, len(values))
	for i, v := range values {
		if v == 0 {
			continue
		}
		n, _ := slices.BinarySearchFunc(ends, v, func(at int, v uint64) int { return cmp.Compare(values[at], v) })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, 0)
		}
		ends[n] = i
	}
	marked := make([]bool, len(values))
	if len(ends) > 0 {
		for i := ends[len(ends)-1]; i >= 0; i = before[i] {
			marked[i] = true
		}
	}
	return marked
}
