package stabilize

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/replay/runs"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/mend"
)

// work is the folder of what was done, beside the database.
type work struct {
	dir   string
	first string    // the database, which is that of the first round
	lock  io.Closer // nil where the work is only looked at
}

// lockName is the file in the folder by which one process at a time works on it.
const lockName = "lock"

// Folder is where the work on a database is kept.
func Folder(db string) string { return db + ".stabilize" }

// openWork opens the folder, and makes it where there is none. One of other work is refused, and so is one that another
// process works on, and a database that was made otherwise. The lock of what is returned is to be closed.
func openWork(o Options) (w work, err error) {
	w = work{dir: Folder(o.DB), first: o.DB}
	_, missing := os.Lstat(w.dir)
	if _, err := os.Lstat(o.DB); err == nil && missing != nil && !o.Fresh {
		return w, notOurs(o.DB)
	}
	if err := os.MkdirAll(w.dir, 0o755); err != nil {
		return w, fmt.Errorf("keep work: %w", err)
	}
	if w.lock, err = store.Lock(filepath.Join(w.dir, lockName)); err != nil {
		return w, fmt.Errorf("open work in %s: %w", w.dir, err)
	}
	if err := w.identify(o); err != nil {
		return w, errors.Join(err, w.lock.Close())
	}
	return w, nil
}

// identify says in the folder what it is of, and looks whether it says that already.
func (w work) identify(o Options) error {
	if o.Fresh {
		if err := errors.Join(w.empty(), removeFile(o.DB)); err != nil {
			return fmt.Errorf("forget what was done before: %w", err)
		}
	}
	key := identity(o)
	path := filepath.Join(w.dir, "identity")
	switch was, err := os.ReadFile(path); {
	case err == nil && string(was) == key:
		return w.discardAll()
	case err == nil && !w.begun():
		if err := w.empty(); err != nil { // of a command that ran nothing, say
			return fmt.Errorf("forget what was done before: %w", err)
		}
	case err == nil && w.inPlace():
		return console.Advise(fmt.Errorf("the suite is another now: the work in %s is done, and has changed it in place", w.dir),
			"have the changed one proven by --force, which begins anew")
	case err == nil:
		return console.Advise(fmt.Errorf("%s is of another suite, command or API", w.dir),
			"begin anew with --force, or name another database with --db FILE")
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("open work: %w", err)
	}
	if _, err := os.Lstat(o.DB); err == nil {
		return notOurs(o.DB)
	}
	return put(path, []byte(key))
}

// notOurs says that a database is there, but not the work that would have made it.
func notOurs(db string) error {
	return console.Advise(fmt.Errorf("%s already exists, and stabilize has not made it", db),
		"name another with --db FILE; --session DB takes the recording of a fuzzing session")
}

// empty takes away what was done, but not the lock.
func (w work) empty() error {
	entries, err := os.ReadDir(w.dir)
	for _, e := range entries {
		if e.Name() != lockName {
			err = errors.Join(err, os.RemoveAll(filepath.Join(w.dir, e.Name())))
		}
	}
	return err
}

// ChangedInPlace notes, with the work on a database, that the user's files have got what came of it.
func ChangedInPlace(db string) error { return put(filepath.Join(Folder(db), "in-place"), nil) }

func (w work) inPlace() bool {
	_, err := os.Lstat(filepath.Join(w.dir, "in-place"))
	return err == nil
}

// begun reports whether a run was kept: what was begun before the first one is nobody's loss.
func (w work) begun() bool {
	done, err := w.runs(series{round: 1})
	_, missing := os.Lstat(w.first)
	return err != nil || len(done) > 0 || missing == nil
}

// identity names a piece of work by what goes into it. It holds no text of that: commands may have credentials in them.
func identity(o Options) string {
	h := sha256.New()
	for _, f := range o.Files {
		if suite.Readable(f.Name) {
			fmt.Fprintf(h, "%q %x\n", f.Name, sha256.Sum256(f.Data))
		}
	}
	for _, s := range o.Identity {
		fmt.Fprintf(h, "%q\n", s)
	}
	return hex.EncodeToString(h.Sum(nil)) + "\n"
}

// OwnFiles leaves out what runners leave in a suite's folder.
func OwnFiles(files []mend.File) []mend.File {
	return slices.DeleteFunc(slices.Clone(files), func(f mend.File) bool {
		parts := strings.Split(filepath.ToSlash(f.Name), "/")
		return slices.Contains(parts, "__pycache__") || slices.Contains(parts, ".pytest_cache")
	})
}

func (w work) round(number int) string { return filepath.Join(w.dir, fmt.Sprintf("round-%d", number)) }

// suite is the folder of a round's suite.
func (w work) suite(number int) string { return filepath.Join(w.round(number), "suite") }

// run is the path of a file of a run, without its end.
func (w work) run(s series, run int) string {
	return filepath.Join(w.round(s.round), s.file(run))
}

// db is the recording of a round: its runs put together.
func (w work) db(number int) string {
	if number == 1 {
		return w.first
	}
	return filepath.Join(w.round(number), composed)
}

// part is the recording of a run that is not kept yet.
func (w work) part(run int) string { return filepath.Join(w.dir, fmt.Sprintf("run-%02d.part", run)) }

// newRun makes a recording for a run that begins. What a process that was killed has left there is taken away.
func (w work) newRun(s series, run int) (*store.Store, error) {
	if err := os.MkdirAll(w.round(s.round), 0o755); err != nil {
		return nil, fmt.Errorf("keep run: %w", err)
	}
	path := w.part(run)
	if err := discard(path); err != nil {
		return nil, err
	}
	return store.Create(path, store.Options{Doing: "stabilizing", Live: true})
}

// parts are the recordings of runs in a folder that are not kept yet.
func parts(dir string) (all []string, err error) {
	files, err := os.ReadDir(dir)
	for _, f := range files {
		if filepath.Ext(f.Name()) == ".part" && strings.HasPrefix(f.Name(), "run-") {
			all = append(all, filepath.Join(dir, f.Name()))
		}
	}
	return all, err
}

// Underway is the recording of the run that is under way in the work on a database, be it in another process; "" where
// there is none.
func Underway(db string) string {
	all, _ := parts(Folder(db)) // where there is no folder, nothing is under way
	for _, part := range all {
		if store.HolderOf(part) != nil {
			return part
		}
	}
	return ""
}

// discard takes away the recording of a run that was not kept. One that is written to is that of another process.
func discard(part string) error {
	old, err := store.Open(part, store.Options{})
	if err == nil {
		err = old.Close()
	}
	if errors.Is(err, store.ErrLocked) {
		return fmt.Errorf("another stabilize is at work: %w", err)
	}
	if err := removeFile(part); err != nil { // damaged or whole, nobody asks for it
		return fmt.Errorf("keep run: %w", err)
	}
	return nil
}

// discardAll takes away what a process that was killed, or more runs than were needed, left of runs.
func (w work) discardAll() error {
	all, err := parts(w.dir)
	for _, part := range all {
		err = errors.Join(err, discard(part))
	}
	return err
}

// keepRun keeps a run that has ended: its recording first, for a run with results is done.
func (w work) keepRun(s series, run int, x execution) error {
	data, err := json.Marshal(x)
	if err == nil {
		err = os.Rename(w.part(run), w.run(s, run)+".db")
	}
	if err == nil {
		err = put(w.run(s, run)+".json", data)
	}
	if err != nil {
		return fmt.Errorf("keep run: %w", err)
	}
	return nil
}

// runs are the runs of a series that were done.
func (w work) runs(s series) ([]execution, error) {
	var out []execution
	for {
		data, err := os.ReadFile(w.run(s, len(out)+1) + ".json")
		if errors.Is(err, fs.ErrNotExist) {
			return out, nil
		}
		var x execution
		if err == nil {
			err = json.Unmarshal(data, &x)
		}
		if err != nil {
			return nil, fmt.Errorf("read %s %d of round %d: %w", s.word(), len(out)+1, s.round, err)
		}
		out = append(out, x)
	}
}

// patching is what a round's runs led to.
type patching struct {
	Summary string
	Changed bool            // a file is another than before
	Report  json.RawMessage // a mend.Report
	Refused []string        // why files were left unchanged
	Took    time.Duration
	files   []suite.File // all of the suite; none where it was read again
}

// report reads what was changed, and why.
func (p *patching) report() (report mend.Report, err error) {
	err = json.Unmarshal(p.Report, &report)
	return report, err
}

// given are the tests that the patch gave set-ups, by their names in the suite, and leaving those of them whose set-ups
// leave more behind each time that they are sent.
func (p *patching) given() (tests, leaving []string) {
	report, err := p.report()
	if err != nil {
		return nil, nil // it is told where it is counted
	}
	for _, f := range report.Files {
		for _, c := range f.Changes {
			if suite.ChangeKind(c.Kind) == suite.Grafted {
				tests = append(tests, c.Test)
				if len(c.Leaves) > 0 {
					leaving = append(leaving, c.Test)
				}
			}
		}
	}
	return tests, leaving
}

// keepPatch keeps a patched suite for the next round, and then what was changed.
func (w work) keepPatch(number int, p *patching, links []mend.Link) error {
	data, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("keep patch: %w", err)
	}
	if p.Changed {
		next := w.suite(number + 1)
		if err := errors.Join(os.RemoveAll(next), writeFiles(next, p.files), mend.PutLinks(next, links)); err != nil {
			return fmt.Errorf("keep patched suite: %w", err)
		}
	}
	return put(filepath.Join(w.round(number), "patch.json"), data)
}

// patched is what a round's runs led to; nil where that was not yet done.
func (w work) patched(number int) (*patching, error) {
	data, err := os.ReadFile(filepath.Join(w.round(number), "patch.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var p patching
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	if err != nil {
		return nil, fmt.Errorf("read patch of round %d: %w", number, err)
	}
	return &p, nil
}

// compose puts the runs together that a round is judged by.
func (w work) compose(r *round, o Options) error {
	judged, all := r.judged()
	return w.composeSeries(judged, len(all), w.db(r.number), o)
}

// composeSeries puts the first runs of a series together: the first is the recording, the others are its runs.
func (w work) composeSeries(of series, number int, to string, o Options) (err error) {
	part := filepath.Join(w.dir, "runs.part")
	if err := copyFile(part, w.run(of, 1)+".db"); err != nil {
		return fmt.Errorf("put runs together: %w", err)
	}
	db, err := store.Open(part, store.Options{Doing: "stabilizing"})
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, db.Close()); err == nil {
			err = os.Rename(part, to)
		}
	}()
	for run := 2; run <= number; run++ {
		if err := addRun(db, w.run(of, run)+".db", o); err != nil {
			return fmt.Errorf("put runs together: %s %d of round %d: %w", of.word(), run, of.round, err)
		}
	}
	return nil
}

// addRun aligns the recording of a run with that of the first one, and adds it.
func addRun(db *store.Store, path string, o Options) error {
	own, err := store.OpenReadOnly(path)
	if err != nil {
		return err
	}
	defer own.Close()
	recorded, err := runs.TrackOf(runs.OfPass(db, 1))
	if err != nil {
		return err
	}
	rec, err := own.Recording()
	if err != nil {
		return err
	}
	track, err := runs.TrackOf(own.Exchanges())
	if err != nil {
		return err
	}
	p := runs.Align(recorded, track)
	if err := p.Check(db, own.Exchanges()); err != nil {
		return err
	}
	pass := rec.Passes[0]
	run := exchange.Run{Kind: exchange.RunClient, Started: pass.Started, Ended: pass.Ended, Target: pass.Target}
	run.Conditions.Start = cmp.Or(pass.Start, exchange.StartUnknown)
	return p.Store(db, run, own.Exchanges(), own.Externals())
}

// put writes a file whole.
func put(path string, data []byte) error {
	staged, err := outfile.Stage(path, 0o600, outfile.Bytes(data))
	if err != nil {
		return err
	}
	return staged.Put()
}

func writeFiles(dir string, files []suite.File) error { return outfile.WriteAll(dir, files, nil) }

func copyFile(to, from string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600)
}

func removeFile(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
