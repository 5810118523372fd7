package store

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// A copy shows what there was, leaves no file behind, and is in the way of nobody who writes.
func TestOpenCopy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flaketap.db")
	write := func(n int) {
		t.Helper()
		db, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.BeginPass(exchange.Pass{}); err != nil {
			t.Fatal(err)
		}
		for range n {
			if err := db.Record(&exchange.Exchange{Fault: &exchange.Fault{Kind: exchange.FaultTimeout}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if db, err := Create(path, Options{}); err != nil || db.Close() != nil {
		t.Fatal(err)
	}
	write(3)
	first, err := OpenCopy(path)
	if err != nil {
		t.Fatal(err)
	}
	write(2) // fails where the copy holds the lock
	second, err := OpenCopy(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		db   *Store
		want uint64
	}{{first, 3}, {second, 5}} {
		rec, err := c.db.Recording()
		if err != nil || rec.Count != c.want || c.db.Path() != path {
			t.Errorf("copy %d of %s: %d exchanges, %v", i, c.db.Path(), rec.Count, err)
		}
		if err := c.db.Close(); err != nil {
			t.Error(err)
		}
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := OpenCopy(path + ".none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// A copy that is brought up to date has what the recording has: exchanges, bodies that stand apart, observations of runs
// that begin and go on meanwhile, externals.
func TestCatchUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flaketap.db")
	db, err := Create(path, Options{})
	ok(t, err)
	_, err = db.BeginPass(exchange.Pass{})
	ok(t, err)
	copied, err := OpenCopy(path)
	ok(t, err)
	defer func() { ok(t, copied.Close()) }()
	answer := func(n int) *exchange.Response {
		body := bytes.Repeat([]byte{byte('a' + n%26)}, n%5*(exchange.PieceSize/2)) // some equal bodies, some in pieces
		head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", len(body))
		return exchange.ParseResponse(exchange.Message{Head: []byte(head), Body: body})
	}
	var runs []*RunWriter
	for round := range 6 {
		for n := range 12 * round {
			ok(t, db.Record(&exchange.Exchange{Request: exchange.ParseRequest(exchange.Message{Head: fmt.Appendf(nil, "GET /%d-%d HTTP/1.1\r\n\r\n", round, n)}), Response: answer(n)}))
		}
		ok(t, db.RecordExternal(&exchange.External{Exchange: exchange.Exchange{Response: answer(round)}}))
		if round%2 == 1 {
			w, err := db.BeginRun(exchange.Run{Kind: exchange.RunReplay})
			ok(t, err)
			runs = append(runs, w)
		}
		for i, w := range runs {
			for seq := range uint64(5 * round) { // in any order
				ok(t, w.Observe(&exchange.Observation{Seq: 20 - seq%20, Response: answer(i + int(seq))}))
			}
		}
		ok(t, db.Flush())
		if done, err := copied.CatchUp(); !done || err != nil {
			t.Fatalf("round %d: %v, %v", round, done, err)
		}
		if got, want := contents(t, copied), contents(t, db); got != want {
			t.Fatalf("round %d: the copy has\n%s\nthe recording\n%s", round, got, want)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*.tmp")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	ok(t, db.Close())
	if done, err := copied.CatchUp(); done || err != nil {
		t.Errorf("nobody holds the recording: %v, %v", done, err)
	}
	again, err := Open(path, Options{})
	ok(t, err)
	if done, err := copied.CatchUp(); done || err != nil {
		t.Errorf("another one holds the recording: %v, %v", done, err)
	}
	ok(t, again.Close())
}

// contents is what a store has, as a text.
func contents(t *testing.T, s *Store) string {
	t.Helper()
	var b strings.Builder
	rec, err := s.Recording()
	ok(t, err)
	fmt.Fprintln(&b, rec.Count, len(rec.Passes))
	for step, err := range s.Steps() {
		ok(t, err)
		e := step.Exchange
		fmt.Fprintf(&b, "%d %s %x", e.Seq, e.Request.Target, sha256.Sum256(e.Response.Body))
		for _, o := range step.Observations {
			fmt.Fprintf(&b, " %d:%x", o.Run, sha256.Sum256(o.Response.Body))
		}
		fmt.Fprintln(&b)
	}
	for x, err := range s.Externals() {
		ok(t, err)
		fmt.Fprintf(&b, "%d %x\n", x.Seq, sha256.Sum256(x.Response.Body))
	}
	runs, err := s.Runs()
	ok(t, err)
	for _, r := range runs {
		fmt.Fprintln(&b, r.Number, r.Steps)
	}
	return b.String()
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A process that was killed leaves word that it holds the recording: it does not any more.
func TestHeldByOneThatWasKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flaketap.db")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	gone := exec.Command(self, "-test.run=^$")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	for pid, held := range map[int]bool{os.Getpid(): true, gone.Process.Pid: false} {
		data := fmt.Sprintf(`{"pid":%d,"doing":"recording"}`, pid)
		if err := os.WriteFile(holderFile(path), []byte(data), fileMode); err != nil {
			t.Fatal(err)
		}
		if (HolderOf(path) != nil) != held {
			t.Errorf("by process %d, of which this is %d: want %v", pid, os.Getpid(), held)
		}
	}
}

// What a process left behind that was killed while it copied is removed by the next copy; what belongs to a process that
// runs, was just written, or is none of this recording stays.
func TestKilledCopiesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.db")
	db, err := Create(path, Options{})
	if err == nil {
		err = db.Close()
	}
	ok(t, err)
	gone := exec.Command(os.Args[0], "-test.run=^$")
	ok(t, gone.Run())
	pid := gone.Process.Pid
	old, now := time.Now().Add(-time.Minute), time.Now()
	for name, when := range map[string]time.Time{
		fmt.Sprintf(".a.db.%d-1.tmp", pid):         old, // the only one to go
		fmt.Sprintf(".a.db.%d-2.tmp", pid):         now,
		fmt.Sprintf(".a.db.%d-3.tmp", os.Getpid()): old,
		fmt.Sprintf(".b.db.%d-4.tmp", pid):         old,
		fmt.Sprintf("a.db.%d-5.tmp", pid):          old,
		fmt.Sprintf(".a.db.%d-6", pid):             old,
		".a.db.notes-7.tmp":                        old,
	} {
		file := filepath.Join(dir, name)
		ok(t, os.WriteFile(file, nil, 0o600))
		ok(t, os.Chtimes(file, when, when))
	}
	c, err := OpenCopy(path)
	ok(t, err)
	ok(t, c.Close())
	left, err := os.ReadDir(dir)
	ok(t, err)
	for _, e := range left {
		if strings.Contains(e.Name(), "-1.tmp") {
			t.Errorf("%s is still there", e.Name())
		}
	}
	if len(left) != 7 {
		t.Errorf("there is %v", left)
	}
}
