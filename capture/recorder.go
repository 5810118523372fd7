package capture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/proxy"
	"github.com/flaketap/flaketap/store"
)

// recorder records one pass of a session into a store.
type recorder struct {
	session  *Session
	marks    *proxy.Sequencer
	to       Destination
	label    string
	db       *store.Store
	keep     *keeper
	packing  *console.Progress
	shipping *shipping // nil where it is sent nowhere
	held     uint64    // exchanges that the recording held before
}

// showStatus keeps a status line on the terminal, where there is one and no client has it to itself.
func (r *recorder) showStatus() {
	s := r.session
	if !s.console.Terminal() || s.console.Quiet || len(s.o.Command) > 0 {
		return
	}
	line := &statusLine{terminal: s.console.Err.(*os.File)}
	s.console, s.Proxy.Log = &console.Console{Err: line}, s.o.logger(line)
	s.display = &display{line: line, stats: s.Proxy.Stats, last: r.keep.last.Load}
	r.keep.remembersLast = true
}

// connect has the proxy hand over what it records: to be marked, redacted where that is wanted, and stored.
func (r *recorder) connect(sequences *proxy.Sequencer) {
	sequences.Recorder, r.marks = r.keep, sequences
	r.session.Proxy.Recorder = sequences
	if api := r.session.o.Service; api != nil {
		api.Asked = r.keep.external
	}
	if r.keep.rest == nil { // else a body must be there as a whole before any of it is stored
		r.session.Proxy.Keeper = r.keep
	}
}

// run records the pass. It returns the client's status.
func (r *recorder) run(ctx context.Context) (int, error) {
	if err := r.begin(ctx); err != nil {
		return 0, err
	}
	status, err := r.pass(ctx)
	if failure := r.end(); failure != nil {
		return status, errors.Join(err, r.incomplete(failure))
	}
	if err == nil || r.session.Proxy.Stats().Exchanges > 0 {
		r.summary(status)
	}
	return status, err
}

// begin puts the API back to its start, if the user wants that, and begins the pass.
func (r *recorder) begin(ctx context.Context) error {
	rec, err := r.db.Recording()
	if err != nil {
		return err
	}
	s := r.session
	r.held = rec.Count
	if s.display != nil {
		s.display.text.redactor.Key = rec.Key
	}
	pass := exchange.Pass{
		Label: r.label, Started: time.Now(), Target: s.Targets(), Source: "record", Listen: s.Addr().String(),
		Start: exchange.StartUnknown,
	}
	r.to.mark(&pass, rec, r.keep.rest)
	if len(s.o.Command) > 0 {
		pass.Command = []string{filepath.Base(s.o.Command[0])} // its arguments may hold credentials
	}
	if err := s.ResetAPI(ctx); err != nil {
		return err
	}
	switch {
	case s.api != nil:
		pass.Start = exchange.StartFresh
	case s.o.Reset != "":
		pass.Start = exchange.StartReset
	}
	_, err = r.db.BeginPass(pass)
	return err
}

// pass lets the client through. It returns the client's status. An error of the store is not among its errors: end
// returns that.
func (r *recorder) pass(ctx context.Context) (int, error) {
	status, err := r.session.Run(ctx)
	if err != nil && r.keep.failure() != nil {
		return 0, nil
	}
	return status, err
}

// end ends the pass. The error is why the store does not have all of it.
func (r *recorder) end() error {
	if r.keep.failure() == nil {
		err := r.db.FinishPass(func(p *exchange.Pass) {
			if p.Ended, p.Marks = time.Now(), r.marks.OwnMarks(); r.keep.rest != nil {
				*p = r.keep.rest.Pass(*p)
			}
		})
		if err = errors.Join(err, r.db.Flush()); err != nil {
			r.keep.failed(err)
		}
	}
	return r.keep.failure()
}

// incomplete tells how much is stored where the store failed: as an error, unless the user wanted the client to go on.
func (r *recorder) incomplete(failure error) error {
	passed := r.session.Proxy.Stats().Exchanges
	kept := r.to.DB + " keeps what was stored before"
	if rec, err := r.db.Recording(); err == nil {
		stored := int64(rec.Count - r.held)
		kept = fmt.Sprintf("%s recorded in %s, %d more passed but could not be stored",
			console.Count(stored, "exchange"), r.to.DB, passed-stored)
	}
	if r.keep.passUnrecorded {
		r.session.console.Say("flaketap: %s: %v", kept, failure)
		return nil
	}
	return console.Advise(fmt.Errorf("%s: %w", kept, failure),
		"free some disk space, or record into another file (--db FILE); --on-store-error=pass lets the client continue unrecorded")
}

// close stops the API, if it was started here, closes the recording, and returns what came of the pass as a command's
// error.
func (r *recorder) close(status int, err error) error {
	r.session.stopAPI()
	if serr := r.shipping.finish(context.Background(), recordPatience); serr != nil { // no failure of the client's
		r.session.console.Warn("flaketap: %v; %s", serr, console.Advice(serr))
	}
	if r.keep.failure() == nil && empty(r.db) {
		defer os.Remove(r.to.DB) // it would only stand in the way of the next try
	}
	cerr := r.db.Close()
	r.packing.Clear()
	if cerr != nil && err == nil && r.keep.failure() == nil {
		return fmt.Errorf("close recording: %w", cerr)
	}
	if err == nil && status != 0 {
		return console.ExitStatus(status)
	}
	return err
}

// sayFailure says, when it happens, that exchanges cannot be stored, and what that leads to.
func (r *recorder) sayFailure(err error) {
	if r.keep.passUnrecorded {
		r.session.console.Say("flaketap: writing the recording failed, traffic continues unrecorded: %v", err)
		return
	}
	r.session.console.Say("flaketap: stopping, because writing the recording failed: %v", err)
}

// summary says what was recorded of a client that ended with a status.
func (r *recorder) summary(status int) {
	stats, say := r.session.Proxy.Stats(), r.session.console.Say
	r.session.sayDenied()
	if stats.Excluded > 0 {
		say("flaketap: %s with excluded hosts passed through unrecorded", console.Count(stats.Excluded, "exchange"))
	}
	if stats.Blind > 0 {
		say("flaketap: %s passed through unrecorded", console.Count(stats.Blind, "tunnel"))
	}
	if r.keep.rest != nil && r.keep.rest.Full() {
		say("flaketap: too many secrets to remember; the last ones are redacted only where their name marks them")
	}
	if stats.Exchanges == 0 && stats.Excluded+stats.Blind == 0 {
		state := r.to.DB + " is not written"
		if r.held > 0 {
			state = fmt.Sprintf("nothing was added to %s, which still holds %s", r.to.DB, console.Count(r.held, "exchange"))
		}
		why := r.session.WhyNothing()
		if ranNoTest(r.session.o.Command, status) {
			why = noTestAdvice
		}
		say("flaketap: no requests arrived; %s.\nflaketap: %s", state, why)
		return
	}
	lost := int64(dropped(r.db))
	stored := stats.Exchanges - lost
	text := fmt.Sprintf("flaketap: %s recorded in %s", console.Count(stored, "exchange"), r.to.DB)
	if r.held > 0 {
		text += fmt.Sprintf(", %d in total", uint64(stored)+r.held)
	}
	switch {
	case stats.Faults > 0 && stats.Faults == stats.Exchanges:
		text += ", " + r.session.NoneAnswered()
	case stats.Faults == 1:
		text += ", 1 of them a fault (no HTTP answer came)"
	case stats.Faults > 1:
		text += fmt.Sprintf(", %d of them faults (no HTTP answer came)", stats.Faults)
	}
	say("%s", text)
	if lost > 0 {
		say("flaketap: %d more passed but were dropped, because they arrived faster than they could be stored", lost)
	}
}

// dropped returns how many exchanges of the last pass were lost, which RecordOptions.Drop allows.
func dropped(db *store.Store) int {
	rec, err := db.Recording()
	if err != nil || len(rec.Passes) == 0 {
		return 0 // the recording is whole; only this cannot be told
	}
	return rec.Passes[len(rec.Passes)-1].Dropped
}
