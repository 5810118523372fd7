package mend

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/waits/settle"
)

// Watcher plays exchanges as a [setup.Trier] does, in trials in which a read may be asked again: again says of each
// answer whether it is. It returns all answers, by the numbers of their exchanges.
type Watcher interface {
	Watch(ctx context.Context, exchanges []*exchange.Exchange, bindings []exchange.Binding,
		again func(*exchange.Observation) bool) ([]*exchange.Observation, error)
}

const (
	watches  = 5               // trials in which reads are asked again
	patience = 5 * time.Second // for which a read is
	maxVain  = 2               // reads of one operation that are asked again in vain, in a trial
)

// findWaits finds the reads that came too early, and what their tests are to wait for: by the recording with its runs,
// and, where there is an API to try on and a read was answered as by one that is not done yet, by trials of all that
// the suite sends. It comes before [Round.FindSetUps].
func (r *Round) findWaits(ctx context.Context, s *SetUps) error {
	if cmp.Or(r.o.Mode, suite.Relax) != suite.Relax || r.o.Restore {
		return nil
	}
	trials, err := r.watch(ctx, s)
	if err != nil {
		return fmt.Errorf("watch reads that come too early: %w", err)
	}
	oracles := r.awaited(trials)
	for _, f := range r.tests {
		f.Await(oracles, trials)
	}
	return nil
}

// awaited says what reads are waited for, by all that was seen.
func (r *Round) awaited(trials []suite.Trial) map[uint64]*settle.Oracle {
	last := 0
	for _, s := range r.o.Source.Steps {
		for _, o := range s.Observations {
			last = max(last, o.Run)
		}
	}
	l := settle.New(r.o.Source.Operations)
	for _, s := range r.o.Source.Steps {
		for i, trial := range trials {
			for _, o := range trial[s.Exchange.Seq] {
				seen := *o
				seen.Run = last + 1 + i
				s.Observations = append(s.Observations[:len(s.Observations):len(s.Observations)], &seen)
			}
		}
		l.Add(s)
	}
	return l.Awaited()
}

// watch makes the trials. There are none where no read came too early, or none of those that did came to be ready.
func (r *Round) watch(ctx context.Context, s *SetUps) ([]suite.Trial, error) {
	w := watched{reads: map[uint64][]suite.ReadAfterWrite{}, known: map[uint64]uint64{}}
	if s.search == nil || !w.among(r.tests) {
		return nil, nil
	}
	w.ends = r.awaited(nil)
	var sent []setup.Ran
	for _, f := range r.tests {
		sent = append(sent, f.Ran()...)
	}
	slices.SortStableFunc(sent, func(a, b setup.Ran) int { return cmp.Compare(a.Exchange.Seq, b.Exchange.Seq) })
	sent = slices.CompactFunc(sent, func(a, b setup.Ran) bool { return a.Exchange.Seq == b.Exchange.Seq })
	for i, ran := range sent {
		w.known[uint64(i+1)] = ran.Exchange.Seq
	}
	exchanges, bindings := trialOf(sent)
	trier := <-s.turns.free
	defer func() { s.turns.free <- trier }()
	by, ok := trier.(Watcher)
	if !ok {
		return nil, nil
	}
	defer s.watching.Clear()
	var out []suite.Trial
	for i := range watches {
		s.watching.Update(i+1, watches)
		w.begin()
		if _, err := by.Watch(ctx, exchanges, bindings, w.again); err != nil {
			return nil, err
		}
		if !w.came {
			return nil, nil
		}
		out = append(out, w.trial)
	}
	return out, nil
}

// watched are the reads that are watched in trials.
type watched struct {
	reads map[uint64][]suite.ReadAfterWrite // by the number of their exchange; several for the runs of a test, say
	known map[uint64]uint64                 // the numbers of recorded exchanges, by those of the trials
	ends  map[uint64]*settle.Oracle         // by their numbers, too: what reads come to that their tests wait for already
	came  bool                              // another read came to be ready that was not

	trial suite.Trial // the one that is under way
	vain  map[exchange.Operation]int
	told  map[uint64]time.Duration // after how long nothing told any more of an API at work
}

// among takes the reads of a suite that are to be watched: those that came too early, all others of their operations,
// and those that the tests of these wait for already, against which they may be held. It reports whether there are any.
func (w *watched) among(tests []boundFile) bool {
	all := make([][]suite.ReadAfterWrite, len(tests))
	early := map[exchange.Operation]bool{}
	for i, f := range tests {
		all[i] = f.Reads()
		for _, r := range all[i] {
			early[r.Operation] = early[r.Operation] || r.Early
		}
	}
	for _, reads := range all {
		of := map[string]bool{} // tests
		for _, r := range reads {
			of[r.Test] = of[r.Test] || early[r.Operation]
		}
		for _, r := range reads {
			if early[r.Operation] || r.Polled && of[r.Test] {
				w.reads[r.Seq] = append(w.reads[r.Seq], r)
			}
		}
	}
	return len(w.reads) > 0
}

func (w *watched) begin() {
	w.trial, w.vain, w.told = suite.Trial{}, map[exchange.Operation]int{}, map[uint64]time.Duration{}
}

// quiet is how long a read is asked at least, once nothing tells any more of an API at work.
const quiet = 200 * time.Millisecond

// again takes in an answer, and reports whether its read is to be asked again.
func (w *watched) again(o *exchange.Observation) bool {
	seq := w.known[o.Seq]
	seen := *o
	seen.Seq = seq
	w.trial[seq] = append(w.trial[seq], &seen)
	reads := w.reads[seq]
	if len(reads) == 0 || o.Response == nil {
		return false
	}
	all, told := true, true
	for _, r := range reads {
		holds, nothing := w.answered(&r)
		all, told = all && holds, told && nothing
	}
	looks := w.trial[seq]
	went := o.Start.Add(o.Latency).Sub(looks[0].Start)
	if told {
		w.came = w.came || len(looks) > 1 && w.told[seq] == 0 && !reads[0].Polled
		w.told[seq] = cmp.Or(w.told[seq], went)
	}
	op := reads[0].Operation
	switch {
	case all, told && (len(looks) == 1 || went > quiet+2*w.told[seq]):
		return false
	case w.vain[op] >= maxVain:
		return false
	case went > patience:
		w.vain[op]++
		return false
	}
	return true
}

// answered is [suite.ReadAfterWrite.Answered]; of a read that its test sends until it is ready, whether that is over.
func (w *watched) answered(r *suite.ReadAfterWrite) (all, told bool) {
	o := w.ends[r.Seq]
	if !r.Polled || o == nil {
		return r.Answered(w.trial)
	}
	looks := w.trial[r.Seq]
	last := looks[len(looks)-1].Response
	_, over := o.Vain(last)
	over = over || o.Ready(last)
	return over, over
}
