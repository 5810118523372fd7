package capture

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/flow/align"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/interrupt"
	"github.com/flaketap/flaketap/internal/tcp"
	"github.com/flaketap/flaketap/replay/runs"
	"github.com/flaketap/flaketap/store"
)

// RerunOptions say which recorded client runs again, and how often. Without a Target and Transparent the recorded
// targets are the targets; without Listen the recorder stands where it stood.
type RerunOptions struct {
	Options
	DB      string
	Label   string   // names the pass that the runs are aligned with; "": the first
	Runs    int      // how often; at least 1
	Changes int      // how many requests of a run that were lost, added or changed are listed, at most, of each kind
	Secrets []string // names of what is secret beside what is always taken for one
}

// Rerun runs a recorded client again behind the recorder, as it ran when it was recorded, and stores each run with its
// answers in the places of the recorded ones that they are counterparts of. A client that fails stops no run; the error
// is then a console.ExitStatus with the status of the last.
func Rerun(ctx context.Context, o RerunOptions) (err error) {
	db, err := store.Open(o.DB, store.Options{Doing: "running the client again"})
	if errors.Is(err, fs.ErrNotExist) {
		return console.Advise(err, "make one with flaketap record, or name another with --db FILE")
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	pass, err := o.Recall(db, o.Label)
	if err != nil {
		return fmt.Errorf("rerun %s: %w", o.DB, err)
	}
	rec, err := db.Recording()
	if err != nil {
		return err
	}
	r := &rerunner{o: o, db: db, pass: pass, rest: redact.ForRecording(rec, o.Secrets...)}
	if r.recorded, err = runs.TrackOf(runs.OfPass(db, pass.Number)); err != nil {
		return err
	}
	interrupt.CatchBrokenPipe()
	status := 0
	for i := 1; i <= o.Runs && ctx.Err() == nil; i++ {
		if status, err = r.once(ctx, fmt.Sprintf("run %d of %d", i, o.Runs)); err != nil {
			return err
		}
	}
	switch {
	case status != 0:
		return console.ExitStatus(status)
	case r.stored == 0 && ctx.Err() == nil:
		return errors.New("rerun: no run could be stored")
	}
	return nil
}

// Recall sets what the options leave open to how a pass was recorded: the targets, and where the recorder stood. It
// returns the pass: the one with a label, or the first where that is "".
func (o *Options) Recall(db *store.Store, label string) (exchange.Pass, error) {
	rec, err := db.Recording()
	if err != nil {
		return exchange.Pass{}, err
	}
	pass, err := labelled(rec, label)
	if err != nil {
		return pass, err
	}
	if empty, err := isEmpty(runs.OfPass(db, pass.Number)); err != nil || empty {
		return pass, cmp.Or(err, fmt.Errorf("pass %d contains no exchanges", pass.Number))
	}
	o.Preferred = RecordedAddress(pass)
	if o.Target != nil || o.Routes != nil || o.Transparent || pass.Listen == "" || pass.Target == "" {
		return pass, nil
	}
	if o.Target, o.Routes, err = parseTargetsText(pass.Target); err != nil {
		return pass, fmt.Errorf("recorded target %s is not a URL; give the API's address with --target",
			console.OneLine(pass.Target))
	}
	return pass, nil
}

func isEmpty(exchanges runs.Source) (bool, error) {
	for _, err := range exchanges {
		return false, err
	}
	return true, nil
}

// labelled returns the pass with a label, or the first.
func labelled(rec exchange.Recording, label string) (exchange.Pass, error) {
	if len(rec.Passes) == 0 {
		return exchange.Pass{}, errors.New("the recording contains no exchanges")
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
	return exchange.Pass{}, fmt.Errorf("no pass has the label %q; %s", label,
		console.Suggest(label, labels, "flaketap inspect passes lists the labels"))
}

// RecordedAddress is where the recorder listened. One that other machines could reach is opened again on loopback only:
// the user is to name it anew.
func RecordedAddress(pass exchange.Pass) string {
	host, port, err := net.SplitHostPort(pass.Listen)
	if err != nil {
		return anyPort
	}
	if addr, err := net.ResolveTCPAddr("tcp", pass.Listen); err != nil || net.ParseIP(host) == nil || !tcp.Loopback(addr) {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

// rerunner runs a recorded client again.
type rerunner struct {
	o        RerunOptions
	db       *store.Store
	pass     exchange.Pass
	recorded *align.Track
	rest     *redact.Rest // nil where secrets are stored as they are
	stored   int          // runs
}

// once runs the client once, and stores what came of it. It returns the client's status; an error ends the command.
func (r *rerunner) once(ctx context.Context, name string) (status int, err error) {
	spill, err := openSpill(r.o.DB)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, spill.discard()) }()
	s, err := Open(r.o.Options)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	s.WarnOpen()
	r.o.Listen = s.Addr().String() // all runs are given the same
	rec, err := r.recorder(s, spill.Store)
	if err != nil {
		return 0, err
	}
	if err := r.startAPI(ctx, s); err != nil {
		return 0, err
	}
	r.say("%s: %s through %s", name, console.OneLine(r.o.Command[0]), s.Addr())
	if err := rec.begin(ctx); err != nil {
		return 0, err
	}
	run := exchange.Run{Kind: exchange.RunClient, Label: r.pass.Label, Started: time.Now(), Target: s.Targets()}
	switch run.Conditions.Start = exchange.StartContinued; {
	case s.api != nil:
		run.Conditions.Start = exchange.StartFresh
	case r.o.Reset != "":
		run.Conditions.Start = exchange.StartReset
	}
	status, err = rec.pass(ctx)
	if err != nil && s.Proxy.Stats().Exchanges == 0 {
		return status, err // why no requests arrived
	}
	if failure := rec.end(); failure != nil {
		err = errors.Join(err, fmt.Errorf("%s: the run is incomplete: %w", name, failure))
	}
	if err == nil && ctx.Err() == nil {
		run.Ended = time.Now()
	}
	return status, errors.Join(err, r.keep(name, status, run, rec))
}

// recorder returns what records a run of a session into a store.
func (r *rerunner) recorder(s *Session, db *store.Store) (*recorder, error) {
	sequences, err := s.openControl()
	if err != nil {
		return nil, err
	}
	rec := &recorder{session: s, to: Destination{DB: r.o.DB, Secrets: r.o.Secrets}, db: db,
		keep: &keeper{store: db, rest: r.rest}}
	rec.keep.onFirstFailure = rec.sayFailure
	rec.connect(sequences)
	s.announceControl()
	return rec, nil
}

// startAPI starts the API of a run, if it is to be started here.
func (r *rerunner) startAPI(ctx context.Context, s *Session) error {
	earlier, err := r.db.Runs()
	if err != nil {
		return err
	}
	rec, err := r.db.Recording()
	if err != nil {
		return err
	}
	return s.StartAPI(ctx, APILog{r.o.DB, "run", len(earlier) + 1, rec.Key, r.rest})
}

func (r *rerunner) say(format string, args ...any) { r.o.Console.Say(format, args...) }

// keep stores what a client said and was answered as a run of the recording, and says how the two go together.
func (r *rerunner) keep(name string, status int, run exchange.Run, rec *recorder) error {
	rec.session.sayDenied()
	exchanges := rec.db.Exchanges()
	own, err := runs.TrackOf(exchanges)
	if err != nil {
		return err
	}
	ended := ""
	if run.Ended.IsZero() {
		ended = "; it was interrupted"
	}
	if status != 0 {
		ended += fmt.Sprintf("; the client exited with status %d", status)
	}
	if own.Len() == 0 {
		r.say("%s: no requests arrived; no run is stored%s", name, ended)
		r.say("flaketap: %s", rec.session.WhyNothing())
		return nil
	}
	p := runs.Align(r.recorded, own)
	if why := p.Check(r.db, exchanges); why != nil {
		r.say("%s: %v; no run is stored%s", name, why, ended)
		return nil
	}
	if err := p.Store(r.db, run, exchanges, rec.db.Externals()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	r.stored++
	r.say("%s: %s%s", name, p, ended)
	return sayDifferences(r.o.Console, r.db, p, exchanges, r.o.Changes)
}

// sayDifferences lists what a run has lost, added and changed, at most so many requests of each, unless the user asked
// for quiet.
func sayDifferences(to *console.Console, db *store.Store, p *runs.Alignment, exchanges runs.Source, most int) error {
	if to == nil || to.Quiet {
		return nil
	}
	lines, err := p.Differences(db, exchanges, most)
	for _, line := range lines {
		to.Say("  %s", line)
	}
	return err
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
