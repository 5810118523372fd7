package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/flaketap/flaketap/exchange"
)

// slowly records as a slow client does: each commit makes a block of one exchange.
func slowly(t testing.TB, s *Store, from, n int) {
	t.Helper()
	for i := range n {
		record(t, s, 0)
		e := newExchange(from + i)
		if i%150 == 7 {
			e.Response.Body = noise(byte(i), inlineBytes+1)
		}
		if err := s.Record(e); err != nil {
			t.Fatal(err)
		}
		if err := s.Flush(); err != nil {
			t.Fatal(err)
		}
	}
}

// steps reads everything that a store holds.
func steps(t testing.TB, s *Store) (out []exchange.Step) {
	t.Helper()
	for step, err := range s.Steps() {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, step)
	}
	return out
}

// verify has bbolt check the file of a store.
func verify(t testing.TB, s *Store) {
	t.Helper()
	if err := s.db.View(func(tx *bbolt.Tx) error {
		var all error
		for err := range tx.Check() {
			all = errors.Join(all, err)
		}
		return all
	}); err != nil {
		t.Errorf("database is damaged: %v", err)
	}
}

// checkAlone sees that nothing stands beside a recording.
func checkAlone(t testing.TB, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, want the recording alone", entries)
	}
}

// TestCompaction records slowly, in passes and runs, and closes: the file is small then, and holds the same.
func TestCompaction(t *testing.T) {
	s := newStore(t, Options{})
	slowly(t, s, 0, 300)
	for run := range 2 {
		w := beginRun(t, s)
		for i := range uint64(300) { // as several workers do, and some twice
			seq := (i*7)%300 + 1
			for range 1 + i%97/96 {
				observe(t, w, newObservation(seq, fmt.Sprint("run ", run, " saw ", i)))
			}
			if err := s.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := steps(t, s)
	runs, err := s.Runs()
	if err != nil {
		t.Fatal(err)
	}
	size := usedBytes(s.db)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	checkAlone(t, s.Path())
	info, err := os.Stat(s.Path())
	if err != nil || info.Size() > size/4 || info.Mode() != fileMode {
		t.Fatalf("the file takes %d bytes after %d, with mode %v", info.Size(), size, info.Mode())
	}
	again, err := Open(s.Path(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	verify(t, again)
	if got := steps(t, again); !reflect.DeepEqual(got, want) {
		t.Error("the file holds something else than before")
	}
	if got, err := again.Runs(); err != nil || !reflect.DeepEqual(got, runs) {
		t.Errorf("the runs are %v, want %v (%v)", got, runs, err)
	}
	if seqs, err := again.ByFingerprint(exchange.Exact(newExchange(99))); err != nil || !reflect.DeepEqual(seqs, []uint64{100}) {
		t.Errorf("an exchange is found at %v, %v", seqs, err)
	}
	beginPass(t, again)
	slowly(t, again, 300, 100)
	observe(t, beginRun(t, again), newObservation(400, "late"))
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	last, err := OpenReadOnly(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer last.Close()
	verify(t, last)
	if got := steps(t, last); len(got) != 400 || !reflect.DeepEqual(got[:300], want) || len(got[399].Observations) != 1 {
		t.Error("after another pass the file holds something else")
	}
}

// TestCompactionWithWaiters has others wait for the lock of a file that is made anew meanwhile: they must get the new
// one, or what they record is lost. The path is a symbolic link, which must stay one.
func TestCompactionWithWaiters(t *testing.T) {
	s := newStore(t, Options{})
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(s.Path(), link); err != nil {
		t.Skip(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := Open(link, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for round := range 4 {
		beginPass(t, s)
		slowly(t, s, 0, 20)
		opened := make(chan error)
		go func() {
			next, err := openPresent(link, toWrite, lockTimeout)
			if err == nil {
				mine, _ := next.file.Stat()
				if now, serr := os.Stat(link); serr != nil || !os.SameFile(mine, now) {
					err = errors.Join(errors.New("the file that was opened is not there any more"), serr)
				}
				err = errors.Join(err, next.Close())
			}
			opened <- err
		}()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-opened; err != nil {
			t.Fatal(err)
		}
		if s, err = Open(link, Options{}); err != nil {
			t.Fatal(err)
		}
		if got := len(collect(t, s)); got != 20*(round+1) {
			t.Fatalf("%d exchanges are left, want %d", got, 20*(round+1))
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
}

// TestCompactionDamaged sees that a file in which something is damaged is left as it is.
func TestCompactionDamaged(t *testing.T) {
	s := newStore(t, Options{})
	slowly(t, s, 0, 30)
	put(t, s, bucketExchanges, seqKey(3), []byte("what is this"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := OpenReadOnly(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	n, found := 0, 0
	for _, err := range r.Exchanges() {
		if n++; err != nil {
			found++
		}
	}
	if n != 30 || found != 1 {
		t.Errorf("%d exchanges are left, %d of them damaged", n, found)
	}
}

// TestTrim sees that a file that is packed well gives back what the database took in advance, and no more.
func TestTrim(t *testing.T) {
	s := newStore(t, Options{})
	record(t, s, 5000)
	size := usedBytes(s.db)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(s.Path()); err != nil || info.Size() != size {
		t.Errorf("the file takes %d bytes, want %d (%v)", info.Size(), size, err)
	}
	if s, err := Open(s.Path(), Options{}); err != nil {
		t.Fatal(err)
	} else if verify(t, s); len(collect(t, s)) != 5000 {
		t.Error("exchanges are missing")
	} else {
		s.Close()
	}
}
