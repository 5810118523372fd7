package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

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
