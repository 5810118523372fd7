package capture

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/flaketap/flaketap/capture/endpoint"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/interrupt"
	"github.com/flaketap/flaketap/store"
)

// Destination says which recording is written, and how secrets stand in it.
type Destination struct {
	DB      string   // the recording's file
	Append  bool     // add to the recording if there is one; false refuses to
	Redact  bool     // store tokens in the place of secrets; a recording that holds no secrets stays so anyway
	Secrets []string // names of what is secret beside what is always taken for one
}

// open opens the recording, with what redacts its exchanges: nil where they are stored as they are.
func (d Destination) open(o store.Options) (*store.Store, *redact.Rest, error) {
	db, err := d.openOrCreate(o)
	if err != nil {
		return nil, nil, err
	}
	rest, err := d.rest(db)
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return db, rest, nil
}

// openOrCreate creates the recording, or opens it to be added to.
func (d Destination) openOrCreate(o store.Options) (*store.Store, error) {
	if d.Append {
		if _, err := os.Stat(d.DB); err == nil {
			return store.Open(d.DB, o)
		}
	}
	db, err := store.Create(d.DB, o)
	if errors.Is(err, fs.ErrExist) && d.removeEmpty() {
		db, err = store.Create(d.DB, o)
	}
	if info, failed := os.Stat(d.DB); failed == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a folder: --db FILE names the file to record into", d.DB)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s already exists: --append adds a pass to it, --db FILE records into another file", d.DB)
	}
	return db, err
}

// removeEmpty removes a recording that holds nothing, as a try leaves behind that was killed before anything came
// through, and reports whether it did. One that is being recorded is locked, and stays.
func (d Destination) removeEmpty() bool {
	db, err := store.Open(d.DB, store.Options{})
	if err != nil {
		return false
	}
	none := empty(db)
	return db.Close() == nil && none && os.Remove(d.DB) == nil
}

// empty reports whether a recording holds no exchange, and no run.
func empty(db *store.Store) bool {
	rec, err := db.Recording()
	if err != nil || rec.Count > 0 {
		return false
	}
	runs, err := db.Runs()
	return err == nil && len(runs) == 0
}

// rest returns what redacts exchanges before they are stored, nil where secrets are stored as they are. A recording
// that holds some cannot become one that holds none.
func (d Destination) rest(db *store.Store) (*redact.Rest, error) {
	rec, err := db.Recording()
	if err != nil {
		return nil, err
	}
	if rest := redact.ForRecording(rec, d.Secrets...); rest != nil || !d.Redact {
		return rest, nil
	}
	if len(rec.Passes) > 0 {
		return nil, console.Advise(
			fmt.Errorf("--redact-at-rest: %s already holds exchanges with their secrets", d.DB),
			"record into another file (--db FILE)",
		)
	}
	return redact.NewRest(rec.Key, d.Secrets), nil
}

// mark says in a pass that its exchanges are redacted, and how.
func (d Destination) mark(pass *exchange.Pass, rec exchange.Recording, rest *redact.Rest) {
	if rest != nil {
		pass.Redacted, pass.Secrets = true, redact.Named(rec, d.Secrets)
	}
}

// RecordOptions say what is recorded, and where.
type RecordOptions struct {
	Options
	Destination
	Label          string   // names the pass; "" for none
	Sync           bool     // pass an answer only once it is on disk
	Drop           bool     // drop exchanges and count them where clients would have to wait for the disk; excludes Sync
	PassUnrecorded bool     // let the client go on where the recording cannot be written; false stops it
	Shipping       Shipping // where the recording is sent while it grows
	Metrics        string   // address at which Prometheus finds how the recording goes; "" for none
}

// How much memory may be garbage while a recorder records. It uses little and makes much.
const (
	// reserveBytes is memory that is never touched, and so takes none. The garbage collector lets as much garbage come
	// together as there is memory in use: without this it would collect every few milliseconds.
	reserveBytes = 8 << 20
	// limitBytes is where it collects more often rather than let memory grow, as it would where all processors are busy
	// and it comes late.
	limitBytes = 72 << 20
)

// boundMemory has the garbage collector keep to those, and returns what undoes it. A user's GOMEMLIMIT stands.
func boundMemory() (undo func()) {
	reserve := make([]byte, reserveBytes)
	before := debug.SetMemoryLimit(-1) // asks only
	if before == math.MaxInt64 {
		debug.SetMemoryLimit(limitBytes)
	}
	return func() {
		debug.SetMemoryLimit(before)
		runtime.KeepAlive(reserve)
	}
}

// Record records one pass: with a proxy, and with the client's command if there is one. The error is a
// console.ExitStatus where that command failed and all else went well.
func Record(ctx context.Context, o RecordOptions) error {
	s, err := Open(o.Options)
	if err != nil {
		return err
	}
	defer s.Close()
	sequences, err := s.openControl()
	if err != nil {
		return err
	}
	metrics, err := endpoint.ListenForMetrics(o.Metrics)
	if err != nil {
		return err
	}
	if metrics != nil {
		defer metrics.Close()
	}
	packing := o.Console.Progress("packing the recording")
	db, rest, err := o.open(store.Options{Doing: "recording", Live: true, Sync: o.Sync, Drop: o.Drop,
		Packing: packing.Update, Key: o.Shipping.Options.Key})
	if err != nil {
		return err
	}
	interrupt.CatchBrokenPipe()
	r := &recorder{session: s, to: o.Destination, label: o.Label, db: db, packing: packing,
		keep: &keeper{store: db, rest: rest, passUnrecorded: o.PassUnrecorded}}
	r.keep.onFirstFailure = r.sayFailure
	r.showStatus()
	r.connect(sequences)
	rec, err := db.Recording()
	if err == nil {
		err = s.StartAPI(ctx, APILog{o.DB, "pass", len(rec.Passes) + 1, rec.Key, rest})
	}
	if err == nil {
		r.shipping, err = o.Shipping.start(db, s.console)
	}
	if err != nil {
		return r.close(0, err)
	}
	s.announce()
	defer endpoint.ServeMetrics(metrics, s.console, r.metrics).Close()
	defer boundMemory()()
	status, err := r.run(ctx)
	return r.close(status, err)
}
