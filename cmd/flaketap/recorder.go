package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/flaketap/flaketap/capture/client"
	"github.com/flaketap/flaketap/certs"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/interrupt"
	"github.com/flaketap/flaketap/proxy"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/store"
	"github.com/urfave/cli/v2"
)

// silence is how long a recorder waits for a first exchange before it says what may be wrong.
const silence = 8 * time.Second

// drain is how long a stopping recorder waits for exchanges that are under way. An API that hangs may take its time
// elsewhere; what it has not answered by then is stored as a fault.
const drain = 3 * time.Second

// recorder records one pass.
type recorder struct {
	*tool
	c      *cli.Context
	db     *store.Store
	proxy  *proxy.Proxy
	ln     net.Listener
	second net.Listener // nil where one is enough
	ca     *certs.Authority
	served chan error
	keep   *keeper
	held   uint64 // exchanges that the recording held before

	service *service.Service  // the API, nil where others run it
	reset   service.Reset     // what puts it back to its start, before the pass
	api     *service.Instance // that service as it runs

	line   *statusLine      // nil where there is none
	status status           // what it shows
	tick   <-chan time.Time // when it is to be written
}

// run records the pass: with the proxy, and the client if there is one. It returns the client's status.
func (r *recorder) run() (int, error) {
	if err := r.begin(); err != nil {
		return 0, err
	}
	status, err := r.pass()
	return status, errors.Join(err, r.finish(err == nil))
}

// pass lets the client through, until it or the user ends. It returns the client's status.
func (r *recorder) pass() (int, error) {
	if r.line != nil {
		ticker := time.NewTicker(console.TerminalEvery)
		defer ticker.Stop()
		defer r.line.set("")
		r.tick = ticker.C
	}
	go func() { r.served <- r.proxy.Serve(r.ln) }()
	if r.second != nil {
		go func() { r.served <- r.proxy.Serve(r.second) }()
	}
	status, err := r.drive()
	r.drain()
	r.line.set("")
	return status, err
}

// showStatus keeps a status line on the terminal, where there is one and no client has it to itself.
func (r *recorder) showStatus() {
	if r.console(r.c).Terminal() && len(r.tool.client) == 0 && !r.c.Bool("quiet") {
		r.line = &statusLine{terminal: r.err.(*os.File)}
		r.tool.err = r.line
	}
}

// begin puts the API back to its start, if the user wants that, and begins the pass.
func (r *recorder) begin() error {
	rec, err := r.db.Recording()
	if err != nil {
		return err
	}
	r.held, r.status.redactor.Key = rec.Count, rec.Key
	pass := exchange.Pass{
		Label: r.c.String("label"), Started: time.Now(), Target: targetsText(r.proxy), Source: "record",
		Listen: r.ln.Addr().String(), Start: exchange.StartUnknown,
	}
	markRedacted(r.c, &pass, rec, r.keep.rest)
	if len(r.client) > 0 {
		pass.Command = []string{filepath.Base(r.client[0])} // its arguments may hold credentials
	}
	if r.reset != "" {
		if err := r.api.Reset(r.reset).Within(r.c.Context, r.c.Duration("reset-timeout")); err != nil {
			if r.c.Context.Err() != nil {
				return errors.New("interrupted: the API was being reset; nothing is recorded")
			}
			return err
		}
		pass.Start = exchange.StartReset
	}
	if r.api != nil {
		pass.Start = exchange.StartFresh
	}
	_, err = r.db.BeginPass(pass)
	return err
}

// drive lets the client run, or waits for the user to stop the recorder. It returns the client's status; an error is
// the proxy's own, or that the client could not be started.
func (r *recorder) drive() (int, error) {
	ctx, cancel := context.WithCancel(r.c.Context)
	defer cancel()
	type result struct {
		status int
		err    error
	}
	ended := make(chan result, 1)
	stop := ctx.Done()
	if len(r.client) > 0 {
		env, err := client.Environment(os.Environ(), client.Recorder{Addr: r.ln.Addr(), CA: r.ca, Auth: r.proxy.Auth, Control: r.proxy.Control})
		if err != nil {
			return 0, err
		}
		cmd := client.Command{Args: r.client, Env: env, Stdout: r.out, Stderr: r.err, Console: r.console(r.c)}
		go func() {
			status, err := cmd.Run(ctx)
			ended <- result{status, err}
		}()
		stop = nil // the client is told of it, and ends
	}
	quiet := time.NewTimer(silence)
	defer quiet.Stop()
	died := r.api.Ended()
	for {
		select {
		case <-died:
			died = nil
			r.say(r.c, "flaketap: %s", message(r.api.Died("before the recording did")))
		case err := <-r.served:
			cancel()
			if len(r.client) > 0 {
				<-ended
			}
			if r.keep.failure() != nil {
				err = nil // finish tells of it
			}
			return 0, err
		case result := <-ended:
			return result.status, result.err
		case <-quiet.C:
			if s := r.proxy.Stats(); s.Exchanges+s.Excluded+s.Blind == 0 {
				r.say(r.c, "flaketap: nothing has come through yet. %s", r.whyNothing())
			}
		case <-r.tick:
			r.show()
		case <-stop:
			return 0, nil
		}
	}
}

// show writes the status line.
func (r *recorder) show() { r.line.set(r.status.text(time.Now(), r.proxy.Stats(), r.keep.last.Load())) }

// drain waits a short while for the exchanges that are under way, and cuts the others off: the proxy hands them on as
// faults. A signal ends the waiting.
func (r *recorder) drain() {
	ctx, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	if n := r.proxy.Stats().Pending; n > 0 {
		once := "again "
		if r.c.Context.Err() == nil {
			once = ""
		}
		r.say(r.c, "flaketap: waiting for %s under way; Ctrl-C %sstops at once", console.Count(n, "exchange"), once)
	}
	done := make(chan error, 1)
	go func() { done <- r.proxy.Shutdown(ctx) }()
	for next := interrupt.Next(r.c.Context); ; {
		select {
		case err := <-done:
			if err != nil {
				_ = r.proxy.Close() // it has no error
			}
			return
		case <-next:
			cancel()
			next = nil
		case <-r.tick:
			r.show()
		}
	}
}

// end ends the pass. The error is why the store does not have all of it.
func (r *recorder) end() error {
	if r.keep.failure() == nil {
		err := r.db.EndPass(time.Now())
		if err = errors.Join(err, r.db.Flush()); err != nil {
			r.keep.failed(err)
		}
	}
	return r.keep.failure()
}

// finish ends the pass and, where it went as it should, says what came of it. The error is that of the store.
func (r *recorder) finish(well bool) error {
	failure := r.end()
	if failure == nil {
		if well || r.proxy.Stats().Exchanges > 0 {
			r.summary()
		}
		return nil
	}
	db := r.c.String("db")
	kept := db + " keeps what was stored before"
	if rec, err := r.db.Recording(); err == nil {
		stored := int64(rec.Count - r.held)
		kept = fmt.Sprintf("%s recorded in %s, %d more came through and could not be stored",
			console.Count(stored, "exchange"), db, r.proxy.Stats().Exchanges-stored)
	}
	if r.keep.goOn {
		r.say(r.c, "flaketap: %s: %v", kept, failure)
		return nil
	}
	return console.Advise(fmt.Errorf("%s: %w", kept, failure), notStoredAdvice)
}

// close stops the API, if flaketap runs it, closes the recording, and returns what came of the pass as a command's error.
func (r *recorder) close(status int, err error) error {
	r.stopAPI()
	if err != nil && r.proxy.Stats().Exchanges == 0 && !r.c.Bool("append") {
		defer os.Remove(r.c.String("db")) // an empty recording would only stand in the way of the next try
	}
	if cerr := r.db.Close(); cerr != nil && err == nil && r.keep.failure() == nil {
		return fmt.Errorf("close recording: %w", cerr)
	}
	if err == nil && status != 0 {
		return console.ExitStatus(status)
	}
	return err
}

// notStoredAdvice is what to do where a recording cannot grow: the disk is full, or as good as that.
const notStoredAdvice = "make room, or put the recording elsewhere (--db FILE); --on-store-error=pass lets the client go on unrecorded"

// storeFailed says, when it happens, that exchanges cannot be stored, and what that leads to.
func (r *recorder) storeFailed(err error) {
	if r.keep.goOn {
		r.say(r.c, "flaketap: what comes through cannot be stored any more and passes unrecorded: %v", err)
		return
	}
	fmt.Fprintf(r.err, "flaketap: stopping: what comes through cannot be stored any more: %v\n", err)
}

// summary says what was recorded.
func (r *recorder) summary() {
	s, db := r.proxy.Stats(), r.c.String("db")
	r.sayDenied(r.c, s)
	r.sayUnrecorded(r.c, s)
	if r.keep.rest != nil && r.keep.rest.Full() {
		r.say(r.c, "flaketap: there were more secrets than can be remembered: the last of them are redacted only where they are named")
	}
	if s.Exchanges == 0 && s.Excluded+s.Blind == 0 {
		state := fmt.Sprintf("the recording in %s is empty", db)
		if r.held > 0 {
			state = fmt.Sprintf("nothing was added to %s, which holds %s", db, console.Count(r.held, "exchange"))
		}
		r.say(r.c, "flaketap: nothing came through; %s.\nflaketap: %s", state, r.whyNothing())
		return
	}
	lost := int64(dropped(r.db))
	stored := s.Exchanges - lost
	text := fmt.Sprintf("flaketap: %s recorded in %s", console.Count(stored, "exchange"), db)
	if r.held > 0 {
		text += fmt.Sprintf(", %d with those before", uint64(stored)+r.held)
	}
	switch {
	case s.Faults == 1:
		text += ", 1 of them a fault (no HTTP answer came)"
	case s.Faults > 1:
		text += fmt.Sprintf(", %d of them faults (no HTTP answer came)", s.Faults)
	}
	r.say(r.c, "%s", text)
	if lost > 0 {
		r.say(r.c, "flaketap: %d more passed and were dropped, because they came faster than they could be stored", lost)
	}
}
