package store

import "testing"

// TestQueueWakes sees when the writer is woken: by the first item where it rests, by one that somebody waits for, and where
// much has come together; not by each of the others.
func TestQueueWakes(t *testing.T) {
	q := newQueue(1<<20, false)
	q.limit = 1 << 20
	woken := func() bool {
		select {
		case <-q.wake:
			return true
		default:
			return false
		}
	}
	put := func(it item) bool {
		t.Helper()
		if err := q.put(it); err != nil {
			t.Fatal(err)
		}
		return woken()
	}
	if !q.rest() || !put(item{size: 1}) {
		t.Error("the first item did not wake a writer that rests")
	}
	if q.rest() {
		t.Error("the writer may rest though there is an item")
	}
	q.take(nil)
	q.release(1)
	if put(item{size: 1000}) {
		t.Error("an item woke a writer that wakes by itself")
	}
	if !put(item{done: make(chan error, 1)}) {
		t.Error("an item that somebody waits for did not wake the writer")
	}
	if !put(item{size: wakeBytes}) {
		t.Error("much of it did not wake the writer")
	}
	q.stop(ErrClosed)
	if !woken() || q.rest() {
		t.Error("the writer was not woken for the end")
	}
}
