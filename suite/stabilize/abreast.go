package stabilize

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/flaketap/flaketap/internal/console"
)

// abreast are the runs of a series, which are done by as many runners as there are, side by side.
type abreast struct {
	series
	done []execution // those that were done before
	// enough is how many runs count, by the first of them
	enough func(runs []execution) int
	do     func(ctx context.Context, by Runner, b begun) (execution, error)
}

// begun is a run that begins. Runs of a series begin in the order of their numbers, which is that of their times: what
// goes on from run to run is judged by these.
type begun struct {
	number int
	at     time.Time
}

// ended is a run that has ended.
type ended struct {
	number int
	by     Runner
	execution
	err error
}

// runAbreast does the runs of a series until there are enough, and returns those that count. A run is kept, and told,
// once those before it are: what is kept is the same in whatever order they end, and so is what an interruption leaves.
// Runs that turn out to be too many are forgotten.
func (s *session) runAbreast(ctx context.Context, a abreast) ([]execution, error) {
	q := &queue{session: s, abreast: a, before: len(a.done), free: slices.Clone(s.runners),
		begun: map[int]time.Time{}, over: map[int]ended{}}
	q.progress = s.console.Progress(q.series.title())
	ends, next := make(chan ended), len(a.done)+1
	for {
		for q.failed == nil && len(q.free) > 0 && next <= q.enough(q.done) {
			q.begin(ctx, next, ends)
			next++
		}
		if len(q.begun) == 0 {
			return q.done, errors.Join(q.failed, q.forget())
		}
		q.show()
		x := <-ends
		q.progress.Clear()
		delete(q.begun, x.number)
		q.over[x.number], q.free = x, append(q.free, x.by)
		q.keep()
	}
}

// queue is a series under way.
type queue struct {
	*session
	abreast
	before   int // runs that were done before
	free     []Runner
	begun    map[int]time.Time // when the runs under way began, by number
	over     map[int]ended     // those that wait for one before them
	failed   error             // of the first run that failed to be done
	progress *console.Progress
}

// begin begins a run.
func (q *queue) begin(ctx context.Context, number int, ends chan<- ended) {
	by, b := q.free[0], begun{number, time.Now()}
	q.free, q.begun[number] = q.free[1:], b.at
	go func() {
		x, err := q.do(ctx, by, b)
		ends <- ended{number, by, x, err}
	}()
}

// keep keeps the runs whose turn it is.
func (q *queue) keep() {
	for q.failed == nil && len(q.done) < q.enough(q.done) {
		x, ok := q.over[len(q.done)+1]
		if !ok {
			return
		}
		if q.failed = x.err; q.failed == nil {
			q.failed = q.work.keepRun(q.series, x.number, x.execution)
		}
		if q.failed == nil {
			q.done = append(q.done, x.execution)
			delete(q.over, x.number)
			q.say()
		}
	}
}

// forget takes away the runs that turned out to be too many.
func (q *queue) forget() (err error) {
	for number := range q.over {
		err = errors.Join(err, discard(q.work.part(number)))
	}
	return err
}

// show shows on a terminal how far the series is; elsewhere the line of each run says enough.
func (q *queue) show() {
	if q.console.Terminal() {
		q.progress.Update(len(q.done)+len(q.over)-q.before, q.enough(q.done)-q.before)
	}
}

// say tells of the last run that was kept.
func (q *queue) say() {
	x, failed := q.done[len(q.done)-1], 0
	for _, t := range x.Results {
		if t.Failed() {
			failed++
		}
	}
	left, wanted := "", max(len(q.done), q.enough(q.done))
	if len(q.done) < wanted {
		left = ", " + console.About(q.left(wanted)) + " left in this round"
	}
	q.console.Say("round %d, %s %d of %d: %s, %d failed (%s%s)", q.round, q.word(), len(q.done), wanted,
		console.Count(len(x.Results), "test"), failed, x.Wall.Round(10*time.Millisecond), left)
}

// left is about how long it takes until so many runs have ended.
func (q *queue) left(wanted int) time.Duration {
	var spent time.Duration
	ran := slices.Clone(q.done)
	for _, x := range q.over {
		ran = append(ran, x.execution)
	}
	for _, x := range ran {
		spent += x.Wall
	}
	each := spent / time.Duration(len(ran))
	var underway []time.Duration
	for _, began := range q.begun {
		underway = append(underway, time.Since(began))
	}
	return timeLeft(each, underway, wanted-len(q.done)-len(q.over)-len(underway), len(q.runners))
}

// timeLeft is how long runs that take so long each take until all have ended: those that are under way for so long, and
// further ones, each of which begins when one of the runners is free.
func timeLeft(each time.Duration, underway []time.Duration, further, runners int) time.Duration {
	ends := make([]time.Duration, runners) // when each of them is free
	for i, since := range underway {
		ends[i] = max(0, each-since)
	}
	for range further {
		i := slices.Index(ends, slices.Min(ends))
		ends[i] += each
	}
	return slices.Max(ends)
}

// elapsed is how long runs took, each moment counting once, however many were under way.
func elapsed(runs []execution) time.Duration {
	var out time.Duration
	var end time.Time
	byBegin := func(a, b execution) int { return cmp.Or(a.Began.Compare(b.Began), cmp.Compare(a.Wall, b.Wall)) }
	for _, x := range slices.SortedFunc(slices.Values(runs), byBegin) {
		if x.Began.IsZero() { // kept by a flaketap that did one after the other, and did not say when
			out += x.Wall
			continue
		}
		over := x.Began.Add(x.Wall)
		if x.Began.After(end) {
			end = x.Began
		}
		if over.After(end) {
			out, end = out+over.Sub(end), over
		}
	}
	return out
}
