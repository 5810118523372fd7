package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/flaketap/flaketap/capture"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/interrupt"
	"github.com/flaketap/flaketap/replay/runs"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/suite/steady"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/waits/settle"
)

// Options say which client is served, and by what an API is held still for it.
type Options struct {
	capture.Options        // how client, proxy and API stand to each other
	DB              string // the recording of the client
	Label           string // the recorded pass that the client repeats; "": the first
	// of that recording, secrets revealed: what is held still is compared with what the API says
	Judged  *analysis.Result
	Raw     string // file that lists what passed unchanged, as lines of JSON; "": none
	Explain bool   // say in every answer what passed unchanged, in a header
	Hold    bool   // hold reads until the API answers as in passing runs: see [settle.Learner]
	// files and folders in which the client's test runner leaves results: their times tell which tests' reads were held
	Results []string
}

// Run serves the API until the client, or ctx, ends, and says what was held still. It returns the client's status.
func Run(ctx context.Context, o Options) (status int, err error) {
	db, err := store.OpenReadOnly(o.DB)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	pass, err := o.Options.Recall(db, o.Label)
	if err != nil {
		return 0, fmt.Errorf("steady %s: %w", o.DB, err)
	}
	raw, err := openRawLog(o.Raw, o.DB)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, raw.close()) }()
	show := shower{o.Judged.Redactor}
	show.redactor.Reveal = false
	waits, err := o.learnWaits(db)
	if err != nil {
		return 0, err
	}
	rewriter, err := newSteady(db, pass, o, waits, raw, show)
	if err != nil {
		return 0, err
	}
	s, err := capture.Open(o.Options)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	s.WarnOpen()
	holds := &holder{Steady: rewriter, again: s.Proxy.Again, over: s.Proxy.Context()}
	s.Proxy.Rewriter, s.Proxy.Recorder = holds, discard{}
	interrupt.CatchBrokenPipe()
	if err := startAPI(ctx, s, db); err != nil {
		return 0, err
	}
	o.Console.Warn("flaketap: holding still %s -> %s", s.Addr(), cmp.Or(s.Targets(), "any"))
	holds.began = time.Now()
	status, err = s.Run(ctx)
	if sum := rewriter.Summary(); sum.Requests > 0 {
		show.say(o.Console, sum)
		show.sayHeld(o, holds)
	} else {
		sayNothing(o.Console, s)
	}
	return status, err
}

// waits is what is known of reads that an API may answer later: how far it is, and what is waited for.
type waits struct {
	stages  map[uint64]*settle.Stages
	oracles map[uint64]*settle.Oracle // where reads are held
}

// learnWaits learns that from the recording and its runs.
func (o Options) learnWaits(db *store.Store) (waits, error) {
	l, played := settle.New(o.Judged.Operations), o.Judged.Played()
	for s, err := range store.Readable(db.Steps(), nil) { // the judgement tells what is damaged
		if err != nil {
			return waits{}, fmt.Errorf("read recording: %w", err)
		}
		l.Add(played(s))
	}
	w := waits{stages: l.Stages()}
	if !o.Hold {
		return w, nil
	}
	if w.oracles = l.Oracles(); len(w.oracles) == 0 {
		o.Console.Say("flaketap: no read in %s is known to be ready later, so none is held; "+
			"flaketap replay --runs 10 --settle 5s sees how long reads take", o.DB)
	}
	return w, nil
}

// newSteady returns what holds the answers to a pass still.
func newSteady(db *store.Store, pass exchange.Pass, o Options, w waits, raw *rawLog,
	show shower) (*steady.Steady, error) {
	so := steady.Options{
		Exchange: db.Exchange, Operations: o.Judged.Operations, Bindings: o.Judged.Bindings, Map: o.Judged.Map,
		Explain: o.Explain, Oracles: w.oracles, Stages: w.stages,
	}
	if raw != nil {
		so.Raw = func(r steady.Raw) { raw.write(show.operation(r.Operation), show.place(r.Place), r) }
	}
	return steady.New(store.Readable(iter.Seq2[*exchange.Exchange, error](runs.OfPass(db, pass.Number)), nil), so)
}

// startAPI readies the API, where that is asked for.
func startAPI(ctx context.Context, s *capture.Session, db *store.Store) error {
	recording, err := db.Recording()
	if err != nil {
		return err
	}
	if err := s.StartAPI(ctx, capture.APILog{DB: db.Path(), Kind: "steady", Number: 1, Key: recording.Key}); err != nil {
		return err
	}
	return s.ResetAPI(ctx)
}

// discard takes exchanges that nobody keeps.
type discard struct{}

func (discard) Record(*exchange.Exchange) error { return nil }

// sayNothing says what may be wrong where no request was answered.
func sayNothing(c *console.Console, s *capture.Session) {
	if stats := s.Proxy.Stats(); stats.Faults > 0 {
		c.Say("flaketap: %s, %s", console.Count(stats.Exchanges, "request"), s.NoneAnswered())
		return
	}
	c.Say("flaketap: no requests arrived. %s", s.WhyNothing())
}
