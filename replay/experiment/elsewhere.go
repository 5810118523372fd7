package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/queue"
	"github.com/flaketap/flaketap/replay/runs"
	"github.com/flaketap/flaketap/replay/service"
)

// Elsewhere has workers play the runs, each with an API of its own.
type Elsewhere struct {
	Board queue.Board
	Key   *queue.Key
	// Whole has a run played as one, from one start of the API. Else sequences that take no values from each other are
	// played apart, each from a start of its own.
	Whole bool
}

// maxItem bounds, in bytes, the messages of what a worker plays at once: it holds them.
const maxItem = 64 << 20

// forWorkers returns options for runs that workers play: it refuses what they cannot do, and leaves to them what an API
// takes to run.
func (o Options) forWorkers() (Options, error) {
	alone := ""
	switch {
	case len(o.Experiments) > 0:
		alone = "--perturb"
	case o.Bound > 0:
		alone = "--bound"
	case o.Requests.every > 0:
		alone = "--unsafe at a rate"
	}
	if alone != "" {
		return o, console.Usage(fmt.Errorf("use either %s or the workers of a hub, not both: it needs all of a run in one place", alone))
	}
	p := &o.Player
	if p.Service != nil || p.Reset != "" || o.Target != "" {
		o.Console.Say("flaketap: the workers start, find and reset the API: --start, --reset and --target are theirs")
	}
	p.Service, p.Reset, p.ResetEach, p.TLS, p.Dial, o.Target = nil, "", false, nil, nil, ""
	return o, nil
}

// elsewhere is a plan whose runs workers play.
type elsewhere struct {
	session *session
	round   *queue.Round
	items   [][]uint64     // their exchanges, in order
	skipped map[string]int // why how many exchanges are part of none
	parts   []int          // the runs, in order
	offered int            // of these, how many were put on the board
	failed  int            // items of runs that could not be played
}

// recordedAt says where the API was recorded, in whose place each worker has its own.
func (s *session) recordedAt() string {
	return cmp.Or(service.RecordedTarget(s.recording), "http://"+s.survey.first.addr)
}

// beginElsewhere puts a plan on the board.
func (s *session) beginElsewhere(ctx context.Context, p *plan) (*elsewhere, error) {
	f := &elsewhere{session: s, skipped: map[string]int{}}
	for _, r := range p.runs {
		f.parts = append(f.parts, r.run.Part)
	}
	if len(f.parts) == 0 {
		return f, nil
	}
	if err := f.divide(); err != nil {
		return nil, err
	}
	var err error
	f.round, err = queue.Begin(ctx, s.Elsewhere.Board, s.Elsewhere.Key, p.runs[0].run.Plan, s.job(), s.Console)
	if err != nil {
		return nil, err
	}
	s.Console.Say("flaketap: waiting for flaketap workers at that hub to play %s in each run", console.Count(len(f.items), "item"))
	values := s.survey.bindingsBySeq()
	for i, seqs := range f.items {
		item, err := s.item(seqs, values)
		if err == nil {
			err = f.round.Keep(ctx, i, item)
		}
		if err == nil {
			err = f.round.Offer(ctx, f.parts[0], i)
		}
		if err != nil {
			return f, err
		}
	}
	f.offered = 1
	return f, nil
}

// job is what all items have in common.
func (s *session) job() *queue.Job {
	p := &s.player
	j := &queue.Job{Recorded: p.Recorded, Recorders: p.Recorders, Credentials: p.Credentials,
		Lapsed: slices.Sorted(maps.Keys(p.Lapsed)), Pace: p.Pace.String(), Timeout: p.Timeout, Settle: p.Settle,
		SettleAll: s.SettleAll}
	for _, pass := range s.recording.Passes {
		if p.Restarts(pass.Number) {
			j.Restarts = append(j.Restarts, pass.Number)
		}
	}
	return j
}

// divide makes the items, of the exchanges that are sent.
func (f *elsewhere) divide() error {
	u, err := f.session.survey.units()
	if err != nil {
		return err
	}
	of := u.apart()
	if f.session.Elsewhere.Whole {
		clear(of)
	}
	place := map[int]int{}
	size := []int{}
	for e, err := range f.session.db.Exchanges() {
		if err != nil {
			return err
		}
		if _, skip := f.session.player.Destination(e); skip != "" {
			f.skipped[skip]++
			continue
		}
		n := of[u.of[e.Seq]]
		i, known := place[n]
		if !known {
			i = len(f.items)
			place[n], f.items, size = i, append(f.items, nil), append(size, 0)
		}
		f.items[i] = append(f.items[i], e.Seq)
		if size[i] += e.Size(); size[i] > maxItem {
			return fmt.Errorf("what begins with exchange %d has to be played at one place, and has more than %s: "+
				"workers take no more at once; replay it without them", f.items[i][0], console.Size(maxItem))
		}
	}
	return nil
}

// apart numbers units so that those have one number that are bound to each other, by whatever way.
func (u *units) apart() []int {
	into := make([]int, len(u.steps))
	for i := range into {
		into[i] = i
	}
	root := func(i int) int {
		for into[i] != i {
			into[i] = into[into[i]]
			i = into[i]
		}
		return i
	}
	for i, needs := range u.needs {
		for _, needed := range needs {
			into[root(i)] = root(needed)
		}
	}
	for i := range into {
		into[i] = root(i)
	}
	return into
}

// bindingsBySeq lists the bindings by the exchange that gives the value.
func (s *survey) bindingsBySeq() map[uint64][]exchange.Binding {
	out := map[uint64][]exchange.Binding{}
	for _, b := range s.Kept {
		out[b.Producer.Seq] = append(out[b.Producer.Seq], b)
	}
	return out
}

// item reads an item.
func (s *session) item(seqs []uint64, values map[uint64][]exchange.Binding) (*queue.Item, error) {
	item := &queue.Item{}
	for e, err := range s.db.Select(seqs) {
		if err != nil {
			return nil, err
		}
		item.List = append(item.List, e)
		item.Bindings = append(item.Bindings, values[e.Seq]...)
	}
	return item, nil
}

// offer puts a run on the board that is played next, and the one behind it, so that workers do not run out of work.
func (f *elsewhere) offer(ctx context.Context, part int) error {
	for end := slices.Index(f.parts, part) + 2; f.offered < min(end, len(f.parts)); f.offered++ {
		for i := range f.items {
			if err := f.round.Offer(ctx, f.parts[f.offered], i); err != nil {
				return err
			}
		}
	}
	return nil
}

// play has a run played, and stores what is answered, item by item. Earlier is what is stored of the run already.
func (f *elsewhere) play(ctx context.Context, sink *runs.Sink, earlier iter.Seq2[exchange.Step, error],
	tell func(replay.Progress)) (sum replay.Summary, err error) {
	run := &playedElsewhere{elsewhere: f, sink: sink, stored: map[uint64]bool{}, machines: map[exchange.Machine][]uint64{}}
	defer func() {
		sink.Run.Machines = run.played()
		run.sum.Unresolved = slices.Compact(slices.Sorted(slices.Values(run.sum.Unresolved)))
		sum = run.sum
	}()
	begun := time.Now()
	for reason, n := range f.skipped {
		for range n {
			run.sum.Skip(reason)
		}
	}
	if earlier != nil {
		for step, err := range earlier {
			if err != nil {
				return sum, err
			}
			run.stored[step.Exchange.Seq] = true
		}
	}
	if err := f.offer(ctx, sink.Run.Part); err != nil {
		return sum, err
	}
	for range f.items {
		i, result, err := f.round.Next(ctx, sink.Run.Part)
		if err == nil && (i < 0 || i >= len(f.items)) {
			err = fmt.Errorf("a worker played item %d, of %d", i, len(f.items))
		}
		if err == nil {
			err = run.take(f.items[i], result)
		}
		if err != nil {
			return sum, err
		}
		run.sum.Elapsed = time.Since(begun)
		tell(replay.Progress{Done: run.sum.Sent + run.sum.Skipped, Total: f.session.survey.total, Elapsed: run.sum.Elapsed})
	}
	return sum, nil
}

// playedElsewhere is what is known of a run meanwhile.
type playedElsewhere struct {
	*elsewhere
	sink     *runs.Sink
	sum      replay.Summary
	stored   map[uint64]bool               // what the run has of the time before it was cut off
	machines map[exchange.Machine][]uint64 // the steps that each played
	told     int                           // items that were said to have failed
}

// shownFailed is how many items of a run are told that could not be played.
const shownFailed = 10

// take takes in what came of an item.
func (r *playedElsewhere) take(seqs []uint64, result *queue.Result) error {
	if result.Failed != "" {
		r.failed++
		if r.told++; r.told <= shownFailed {
			r.session.Console.Warn("flaketap: run %d: exchanges %d to %d were not played, after %s: %s", r.sink.Run.Part,
				seqs[0], seqs[len(seqs)-1], console.Count(result.Attempt, "attempt"), console.OneLine(result.Failed))
		}
		for range seqs {
			r.sum.Skip("no worker could play them")
		}
		return nil
	}
	answers := map[uint64]*exchange.Observation{}
	for _, o := range result.Observations {
		answers[o.Seq] = o
	}
	for e, err := range r.session.db.Select(seqs) {
		if err != nil {
			return err
		}
		o := answers[e.Seq]
		if o == nil {
			r.sum.Skip("the worker did not send it")
			continue
		}
		r.sum.Note(e, o, r.session.player.Order.Sequence(e))
		r.machines[result.Machine] = append(r.machines[result.Machine], e.Seq)
		if r.stored[e.Seq] {
			continue
		}
		if err := r.sink.Observe(o); err != nil {
			return err
		}
	}
	r.sum.Unresolved = append(r.sum.Unresolved, result.Unresolved...)
	return nil
}

// played lists the machines that played the run.
func (r *playedElsewhere) played() []exchange.Played {
	var out []exchange.Played
	for m, seqs := range r.machines {
		out = append(out, exchange.Played{Machine: m, Steps: exchange.StepsOf(seqs)})
	}
	slices.SortFunc(out, func(a, b exchange.Played) int { return strings.Compare(a.String(), b.String()) })
	return out
}

// end takes the plan off the board, unless some of it is stored, and err is to be mended and the rest played then. It
// says what could not be played.
func (f *elsewhere) end(err error) error {
	if f.round == nil {
		return err
	}
	if err != nil && f.begun() {
		f.round.Leave()
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), partingTime)
	defer cancel()
	err = errors.Join(err, f.round.End(ctx))
	if f.failed > 0 {
		err = errors.Join(err, fmt.Errorf("%s could not be played by any worker; what was answered otherwise is stored",
			console.Count(f.failed, "item")))
	}
	return err
}

// partingTime is how long a board may take to clear what is done.
const partingTime = 10 * time.Second

// begun reports whether some run of the plan is stored, which --resume goes on with.
func (f *elsewhere) begun() bool {
	stored, err := f.session.db.Runs()
	return err != nil || slices.ContainsFunc(stored, func(r exchange.Run) bool { return r.Plan == f.round.Plan() })
}
