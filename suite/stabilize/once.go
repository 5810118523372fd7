package stabilize

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/suite/verify"
)

// job is one run that is to be done.
type job struct {
	series
	begun
	suite   verify.Suite
	timeout time.Duration
	env     func([]string) []string // adds to the environment of the suite; nil: nothing
	pause   time.Duration           // before a change is answered; 0: none
}

// maxBody bounds what is recorded of one body, in bytes: assertions on a larger one are not judged. The judgement holds
// the answers of all runs to a test at once, as trees.
const maxBody = 16 << 20

// once does a run by a runner, again where the API was lost on the way. Its recording is not kept yet.
func (s *session) once(ctx context.Context, by Runner, j job) (x execution, err error) {
	err = service.Again(func() error {
		x, err = s.attempt(ctx, by, j)
		return err
	})
	return x, err
}

// attempt does a run by a runner.
func (s *session) attempt(ctx context.Context, by Runner, j job) (x execution, err error) {
	db, err := s.work.newRun(j.series, j.number)
	if err != nil {
		return x, err
	}
	seen := &recorder{db: db, addr: by.Addr, hold: func() { rest(ctx, j.pause) },
		pass: exchange.Pass{Source: "record", Started: j.at, Start: exchange.StartReset}}
	if s.o.Started {
		seen.pass.Start = exchange.StartFresh
	}
	x.Outcome, err = by.Run(ctx, verify.Execution{Suite: j.suite, Name: j.name(j.number),
		Title: fmt.Sprintf("run %d", j.number), Timeout: j.timeout, Recorder: seen, MaxBody: maxBody,
		Show: func(text string) string { return text }, Env: j.env, Asked: seen.external})
	x.Requests, x.Distinct = seen.stored, seen.distinct
	x.Began, x.Wall = seen.pass.Started, time.Since(seen.pass.Started)
	err = errors.Join(err, seen.end(), db.Close())
	if ctx.Err() != nil {
		return x, s.interrupted(fmt.Sprintf("during %s %d of round %d", j.word(), j.number, j.round))
	}
	if err == nil {
		err = seen.useless(x.Outcome)
	}
	if err != nil {
		return x, fmt.Errorf("%s %d of round %d: %w", j.word(), j.number, j.round, err)
	}
	return x, nil
}

// recorder stores the exchanges of one run.
type recorder struct {
	db   *store.Store
	addr func() string
	hold func() // waits before the client sees the end of what it was answered to a request that may change something

	mu       sync.Mutex
	pass     exchange.Pass
	stored   int
	answered int
	fault    string
	at       map[string]int                // how many requests went to each address
	lost     error                         // why something of what the API asked is not stored
	distinct int                           // without reads that were sent since the last request that may change something
	reads    map[exchange.Fingerprint]bool // those
}

// Record implements proxy.Recorder. The pass begins with its first exchange, which says where the API is.
func (r *recorder) Record(e *exchange.Exchange) error {
	if err := r.keep(e); err != nil || e.Request.Safe() {
		return err
	}
	r.hold()
	return nil
}

// keep stores an exchange.
func (r *recorder) keep(e *exchange.Exchange) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stored == 0 {
		r.pass.Target, r.pass.Listen = e.Scheme+"://"+e.Addr, r.addr()
		if _, err := r.db.BeginPass(r.pass); err != nil {
			return err
		}
		r.at = map[string]int{}
	}
	r.at[e.Addr]++
	r.stored++
	r.tell(e)
	if e.Response != nil {
		r.answered++
	} else if e.Fault != nil {
		r.fault = e.Fault.String()
	}
	return r.db.Record(e)
}

// rest waits for as long as that, or until the context ends.
func rest(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// external stores what the API asked of another service. What cannot be stored is said in the end.
func (r *recorder) external(x *exchange.External) {
	if err := r.db.RecordExternal(x); err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.lost = cmp.Or(r.lost, err)
	}
}

// tell counts a request, but for a read that was sent since something was last changed.
func (r *recorder) tell(e *exchange.Exchange) {
	of := exchange.Exact(e)
	if r.reads == nil || !e.Request.Safe() {
		r.reads = map[exchange.Fingerprint]bool{}
	}
	if !r.reads[of] {
		r.distinct++
	}
	r.reads[of] = e.Request.Safe()
}

// end ends the pass.
func (r *recorder) end() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stored == 0 {
		return r.lost
	}
	return errors.Join(r.lost, r.db.EndPass(time.Now()), r.db.Flush())
}

// reaches reports whether a request went to the port of an address: its host may have other names.
func (r *recorder) reaches(api string) bool {
	port := api[strings.LastIndexByte(api, ':')+1:]
	return slices.ContainsFunc(slices.Collect(maps.Keys(r.at)), func(addr string) bool {
		return strings.HasSuffix(addr, ":"+port)
	})
}

// most is the address that most requests went to.
func (r *recorder) most() string {
	return slices.MaxFunc(slices.Sorted(maps.Keys(r.at)), func(a, b string) int { return cmp.Compare(r.at[a], r.at[b]) })
}

// useless is why nothing can be learned of a run; nil where something can.
func (r *recorder) useless(o verify.Outcome) error {
	words := ""
	if o.LastWords != "" {
		words = "; its last output: " + console.OneLine(o.LastWords)
	}
	switch {
	case r.stored == 0 && o.Silent:
		return fmt.Errorf("the command ran no test: it ended with status %d, left no results and sent no request "+
			"to the API%s", o.Status, words)
	case r.stored == 0:
		return console.Advise(fmt.Errorf("no requests arrived at %s", o.Addr),
			"have the suite use the API's address in FLAKETAP_URL, or give the address that it has written in with --listen")
	case o.API != "" && !r.reaches(o.API):
		return console.Advise(fmt.Errorf("the suite sent its requests to %s, and none to the API that was started at %s",
			r.most(), o.API), "stop what runs there, and give that address with --listen, so that flaketap stands in its place; "+
			"or have the suite use the API's address in FLAKETAP_URL")
	case r.answered == 0:
		return fmt.Errorf("none of its %s was answered: %s; is the API running?",
			console.Count(r.stored, "request"), r.fault)
	}
	return nil
}
