package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/flaketap/flaketap/certs"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/interrupt"
	"github.com/flaketap/flaketap/internal/tcp"
	"github.com/flaketap/flaketap/replay/runs"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/store"
	"github.com/urfave/cli/v2"
)

func (t *tool) rerunCommand() *cli.Command {
	return &cli.Command{
		Name:      "rerun",
		Usage:     "run the recorded client again, and store what the API answers it",
		UsageText: "flaketap rerun [--runs N] [--reset CMD|URL] [options] -- CMD ARG…",
		Description: "CMD runs behind the recorder, as it did when it was recorded: with the same target, and the recorder at the\n" +
			"same address. What it asks is aligned with the recording, values that it makes up anew aside. A CMD that fails\n" +
			"stops no run; the status of the last is returned.",
		Flags: common(append(proxyFlags(append(startFlags(), maxBodyFlag())...),
			&cli.IntFlag{Name: "runs", Value: 1, Usage: "`N`umber of runs"},
			&cli.StringFlag{Name: "reset", Usage: "`CMD or URL` that puts the API back to its start, before every run"},
			resetTimeoutFlag(),
			&cli.StringFlag{Name: "listen", Usage: "`ADDR`ess to listen on (default: that of the recording, or any port where it is taken)"},
			&cli.StringFlag{Name: "label", Usage: "the `NAME` of the recorded pass to align with (default: the first pass)"},
			changesFlag(),
			secretsFlag(),
		)...),
		Action: t.rerun,
	}
}

// rerunner runs a recorded client again.
type rerunner struct {
	*tool
	c        *cli.Context
	db       *store.Store
	pass     exchange.Pass
	recorded *flow.Track
	rest     *redact.Rest // nil where secrets are stored as they are
	ca       *certs.Authority
	service  *service.Service // the API, nil where others run it
	reset    service.Reset
	runs     int // stored
}

func (t *tool) rerun(c *cli.Context) (err error) {
	service, reset, err := t.knownStart(c)
	if err != nil {
		return err
	}
	if err := t.checkRerun(c); err != nil {
		return err
	}
	db, err := store.Open(c.String("db"), store.Options{Doing: "running the client again"})
	if err != nil {
		return noRecording(err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	r := &rerunner{tool: t, c: c, db: db, service: service, reset: reset}
	if err := r.read(); err != nil {
		return err
	}
	if r.ca, err = openAuthority(c.String("ca-dir")); err != nil {
		return err
	}
	interrupt.CatchBrokenPipe()
	status := 0
	for i := 1; i <= c.Int("runs") && c.Context.Err() == nil; i++ {
		if status, err = r.once(fmt.Sprintf("run %d of %d", i, c.Int("runs"))); err != nil {
			return err
		}
	}
	switch {
	case status != 0:
		return console.ExitStatus(status)
	case r.runs == 0 && c.Context.Err() == nil:
		return errors.New("rerun: no run could be stored")
	}
	return nil
}

// checkRerun finds the mistakes in the flags that need no look at a file.
func (t *tool) checkRerun(c *cli.Context) error {
	if _, err := t.recordingProxy(c, nil); err != nil {
		return err
	}
	switch {
	case len(t.client) == 0:
		return console.Usage(errors.New("rerun needs the client's command line: flaketap rerun -- CMD ARG…"))
	case c.Int("runs") < 1:
		return console.Usage(fmt.Errorf("--runs is at least 1, not %d", c.Int("runs")))
	case c.Int("show-changes") < 0:
		return console.Usage(fmt.Errorf("--show-changes is a number of requests, not %d", c.Int("show-changes")))
	}
	if c.IsSet("listen") {
		if err := checkListen(c.String("listen")); err != nil {
			return err
		}
	}
	_, err := bodyLimit(c)
	return errors.Join(checkSequences(c), err)
}

// read reads what is to be run again: which pass, where its target was, and what its exchanges are aligned by.
func (r *rerunner) read() error {
	rec, err := r.db.Recording()
	if err != nil {
		return err
	}
	if r.pass, err = passToRerun(rec, r.c.String("label")); err != nil {
		return fmt.Errorf("rerun %s: %w", r.c.String("db"), err)
	}
	if !r.c.IsSet("target") && !r.c.Bool("transparent") && r.pass.Listen != "" && r.pass.Target != "" {
		for _, target := range strings.Split(r.pass.Target, ", ") { // as targetsText has written them
			if err := r.c.Set("target", target); err != nil {
				return err
			}
		}
		if _, _, err := targets(r.c); err != nil {
			return fmt.Errorf("rerun %s: the recorded target %s is none; --target says where the API is", r.c.String("db"), console.OneLine(r.pass.Target))
		}
	}
	r.rest = redact.ForRecording(rec, r.c.StringSlice("secrets")...)
	if r.recorded, err = runs.TrackOf(runs.OfPass(r.db, r.pass.Number)); err != nil {
		return err
	}
	if r.recorded.Len() == 0 {
		return fmt.Errorf("rerun %s: pass %d holds no exchange", r.c.String("db"), r.pass.Number)
	}
	return nil
}

// passToRerun returns the pass with a label, or the first.
func passToRerun(rec exchange.Recording, label string) (exchange.Pass, error) {
	if len(rec.Passes) == 0 {
		return exchange.Pass{}, errors.New("the recording holds no exchange")
	}
	if label == "" {
		return rec.Passes[0], nil
	}
	var labels []string
	for _, p := range rec.Passes {
		if p.Label == label {
			return p, nil
		}
		if p.Label != "" && !slices.Contains(labels, p.Label) {
			labels = append(labels, p.Label)
		}
	}
	return exchange.Pass{}, fmt.Errorf("no pass has the label %q; %s", label, nearOr(label, labels, "flaketap inspect passes lists them"))
}

// once runs the client once, and stores what came of it. It returns the client's status; an error ends the command.
func (r *rerunner) once(name string) (status int, err error) {
	spill, err := openSpill(r.c.String("db"))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, spill.discard()) }()
	rec, stop, err := r.recorder(spill.Store)
	if err != nil {
		return 0, err
	}
	defer stop()
	if err := r.startAPI(rec); err != nil {
		return 0, err
	}
	defer rec.stopAPI()
	r.say(r.c, "%s: %s through %s", name, console.OneLine(r.client[0]), rec.ln.Addr())
	if err := rec.begin(); err != nil {
		return 0, err
	}
	run := exchange.Run{Kind: exchange.RunClient, Label: r.pass.Label, Started: time.Now(), Target: targetsText(rec.proxy)}
	switch run.Conditions.Start = exchange.StartContinued; {
	case rec.api != nil:
		run.Conditions.Start = exchange.StartFresh
	case r.reset != "":
		run.Conditions.Start = exchange.StartReset
	}
	status, err = rec.pass()
	if err != nil && rec.proxy.Stats().Exchanges == 0 {
		return status, err // why nothing came through
	}
	if failure := rec.end(); failure != nil {
		err = errors.Join(err, fmt.Errorf("%s: the run is not whole: %w", name, failure))
	}
	if err == nil && r.c.Context.Err() == nil {
		run.Ended = time.Now()
	}
	return status, errors.Join(err, r.keep(name, status, run, rec))
}

// startAPI starts the API of a run, if it is flaketap that runs it.
func (r *rerunner) startAPI(rec *recorder) error {
	runs, err := r.db.Runs()
	if err != nil {
		return err
	}
	return rec.startAPI("run", len(runs)+1)
}

// recorder returns a recorder whose pass goes to a store, listening already, and what closes what it has open besides.
func (r *rerunner) recorder(db *store.Store) (rec *recorder, stop func(), err error) {
	p, err := r.recordingProxy(r.c, r.service)
	if err != nil {
		return nil, nil, err
	}
	if p.Log, err = r.logger(r.c); err != nil {
		return nil, nil, err
	}
	if p.MaxBody, err = bodyLimit(r.c); err != nil {
		return nil, nil, err
	}
	p.MaxConnections = maxConnections()
	rec = &recorder{tool: r.tool, c: r.c, db: db, proxy: p, ca: r.ca, served: make(chan error, 2),
		service: r.service, reset: r.reset}
	if rec.ln, rec.second, err = r.listen(rec); err != nil {
		return nil, nil, err
	}
	sequences := sequencer(r.c)
	ctl, err := startControl(r.c, p, sequences)
	stop = func() {
		ctl.close()
		rec.ln.Close()
		if rec.second != nil {
			rec.second.Close()
		}
	}
	if err != nil {
		stop()
		return nil, nil, err
	}
	rec.storeWith(sequences, r.rest)
	r.announceControl(r.c, p)
	return rec, stop, nil
}

// listen opens the address of the recorder: where the user wants it, or where it was when the client was recorded, which
// may have its address written in; any other where that is taken. All runs are given the same.
func (r *rerunner) listen(rec *recorder) (first, second net.Listener, err error) {
	if !r.c.IsSet("listen") {
		if err := r.c.Set("listen", recordedAddress(r.pass)); err != nil {
			return nil, nil, err
		}
		first, second, err = listenTwice(r.c, rec.proxy)
		if errors.Is(err, syscall.EADDRINUSE) {
			r.say(r.c, "flaketap: %s is taken, where the recording was made; another port does as well, unless the client has that written in", r.c.String("listen"))
			if err := r.c.Set("listen", "127.0.0.1:0"); err != nil {
				return nil, nil, err
			}
		}
	}
	if first == nil {
		first, second, err = listenTwice(r.c, rec.proxy)
	}
	if err != nil {
		return nil, nil, err
	}
	r.warnOpen(first, rec.proxy)
	return first, second, r.c.Set("listen", first.Addr().String())
}

// recordedAddress is where the recorder listened. One that other machines could reach is opened again on loopback only:
// the user is to name it anew.
func recordedAddress(pass exchange.Pass) string {
	host, port, err := net.SplitHostPort(pass.Listen)
	if err != nil {
		return "127.0.0.1:0"
	}
	if addr, err := net.ResolveTCPAddr("tcp", pass.Listen); err != nil || net.ParseIP(host) == nil || !tcp.Loopback(addr) {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

// keep stores what a client said and was answered as a run of the recording, and says how the two go together.
func (r *rerunner) keep(name string, status int, run exchange.Run, rec *recorder) error {
	rec.sayDenied(r.c, rec.proxy.Stats())
	exchanges := rec.db.Exchanges()
	own, err := runs.TrackOf(exchanges)
	if err != nil {
		return err
	}
	ended := ""
	if run.Ended.IsZero() {
		ended = "; it was cut off"
	}
	if status != 0 {
		ended += fmt.Sprintf("; the client's status is %d", status)
	}
	if own.Len() == 0 {
		r.say(r.c, "%s: nothing came through; no run is stored%s", name, ended)
		r.say(r.c, "flaketap: %s", rec.whyNothing())
		return nil
	}
	p := runs.Align(r.recorded, own)
	if why := p.Check(r.db, exchanges); why != nil {
		r.say(r.c, "%s: %v; no run is stored%s", name, why, ended)
		return nil
	}
	if err := p.Store(r.db, run, exchanges); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	r.runs++
	r.say(r.c, "%s: %s%s", name, p, ended)
	return r.sayDifferences(r.c, r.db, p, exchanges)
}

// spill holds the exchanges of one run until it is known which recorded ones they belong to: a recording of its own,
// beside the database, that is gone afterwards.
type spill struct{ *store.Store }

// openSpill makes one. What a process that was killed has left there is taken away: nobody else uses it, as a database
// has one writer.
func openSpill(db string) (spill, error) {
	path := db + ".rerun"
	if old, err := store.OpenReadOnly(path); err == nil {
		old.Close()
		os.Remove(path)
	}
	s, err := store.Create(path, store.Options{Doing: "running the client again"})
	if err != nil {
		return spill{}, fmt.Errorf("keep the run until it is aligned: %w", err)
	}
	return spill{s}, nil
}

func (s spill) discard() error {
	return errors.Join(s.Close(), os.Remove(s.Path()))
}
