package store

import (
	"errors"
	"io/fs"
	"slices"
	"testing"
)

// TestSelect: exchanges come in the order that is asked for, over several blocks; one that is not there ends it.
func TestSelect(t *testing.T) {
	s := newStore(t, Options{})
	record(t, s, 1500)
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	all := collect(t, s)
	want := []uint64{1500, 1, 2, 3, 700, 699, 1, 1499}
	var got []uint64
	for e, err := range s.Select(want) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Request.Target != all[e.Seq-1].Request.Target {
			t.Errorf("exchange %d is %s, want %s", e.Seq, e.Request.Target, all[e.Seq-1].Request.Target)
		}
		got = append(got, e.Seq)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	n := 0
	for e, err := range s.Select([]uint64{2, 1501, 3}) {
		if n++; n == 2 && (e != nil || !errors.Is(err, fs.ErrNotExist)) || n > 2 {
			t.Errorf("exchange %v, %v", e, err)
		}
	}
	if n != 2 {
		t.Errorf("%d were given, want the first and an error", n)
	}
}
