package store

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/bbolt"

	"github.com/flaketap/flaketap/exchange"
)

func TestConcurrentRecord(t *testing.T) {
	const clients, each = 8, 300
	for _, o := range []Options{{}, {QueueBytes: 4096}, {Sync: true}} {
		t.Run(fmt.Sprintf("%+v", o), func(t *testing.T) {
			s := newStore(t, o)
			var wg sync.WaitGroup
			for conn := range clients {
				wg.Go(func() {
					for i := range each {
						e := newExchange(i)
						e.Conn = uint64(conn + 1)
						if err := s.Record(e); err != nil {
							t.Error(err)
							return
						}
						if !o.Sync {
							continue
						}
						if got, err := s.Exchange(e.Seq); err != nil || got.Conn != e.Conn {
							t.Errorf("exchange %d is not stored when Record returns: %v", e.Seq, err)
						}
					}
				})
			}
			wg.Wait()
			if err := s.Flush(); err != nil {
				t.Fatal(err)
			}
			next := map[uint64]int{} // by connection
			for _, e := range collect(t, s) {
				if want := newExchange(next[e.Conn]); e.Request.Target != want.Request.Target {
					t.Fatalf("connection %d: %s came where %s was due", e.Conn, e.Request.Target, want.Request.Target)
				}
				next[e.Conn]++
			}
			for conn := range clients {
				if next[uint64(conn+1)] != each {
					t.Errorf("connection %d has %d exchanges, want %d", conn+1, next[uint64(conn+1)], each)
				}
			}
		})
	}
}

// TestCommitUnasked sees that what is recorded is stored though nobody asks for it.
func TestCommitUnasked(t *testing.T) {
	s := newStore(t, Options{})
	for i := range 3 {
		stored := make(chan struct{})
		if err := s.Record(newExchange(i)); err != nil {
			t.Fatal(err)
		}
		go func() {
			defer close(stored)
			for {
				if last, err := s.lastSeq(); err != nil || last == uint64(i+1) {
					return
				}
			}
		}()
		select {
		case <-stored:
		case <-time.After(20 * time.Second):
			t.Fatal("an exchange is still not stored after 20 s")
		}
	}
}

func TestQueueBackPressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1000, false)
		put := func(size int) (returned *bool) {
			returned = new(bool)
			go func() {
				if err := q.put(item{size: size}); err != nil && !errors.Is(err, ErrClosed) {
					t.Error(err)
				}
				*returned = true
			}()
			synctest.Wait()
			return returned
		}
		if !*put(5000) {
			t.Error("an item larger than the queue waits though the queue is empty")
		}
		second := put(10)
		if *second {
			t.Error("a full queue took an item")
		}
		q.take(nil)
		synctest.Wait()
		if *second {
			t.Error("what the writer has not encoded yet was not counted")
		}
		q.release(5000)
		synctest.Wait()
		if !*second {
			t.Error("an item waits though there is room")
		}
		if !*put(990) {
			t.Error("an item that just fits had to wait")
		}
		blocked := put(1)
		if *blocked {
			t.Error("a full queue took an item")
		}
		q.stop(ErrClosed)
		synctest.Wait()
		if !*blocked {
			t.Error("an item waits for a queue that was closed")
		}
		if err := q.put(item{}); !errors.Is(err, ErrClosed) {
			t.Errorf("put into a closed queue: %v", err)
		}
	})
}

// TestStickyError has the writer fail once and sees that everybody is told, from then on, and that what was stored
// before stays.
func TestStickyError(t *testing.T) {
	for _, panics := range []bool{false, true} {
		t.Run(fmt.Sprint("panic=", panics), func(t *testing.T) {
			s := newStore(t, Options{})
			record(t, s, 100)
			broken := errors.New("disk is gone")
			err := s.change(func(*bbolt.Tx) error {
				if panics {
					panic(broken)
				}
				return broken
			})
			if err == nil || !panics && !errors.Is(err, broken) {
				t.Errorf("change: %v", err)
			}
			for range 2 {
				if got := s.Record(newExchange(1)); !errors.Is(got, err) {
					t.Errorf("Record after the failure: %v, want %v", got, err)
				}
			}
			if got := s.Flush(); !errors.Is(got, err) {
				t.Errorf("Flush after the failure: %v", got)
			}
			if _, got := s.BeginRun(exchange.Run{}); !errors.Is(got, err) {
				t.Errorf("BeginRun after the failure: %v", got)
			}
			if n := len(collect(t, s)); n != 100 {
				t.Errorf("%d exchanges are left, want 100", n)
			}
			if got := s.Close(); !errors.Is(got, err) {
				t.Errorf("Close after the failure: %v", got)
			}
			// A copy, because after a panic the lock stays as long as the process.
			data, err := os.ReadFile(s.Path())
			if err != nil {
				t.Fatal(err)
			}
			again, err := Open(write(t, data), Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			if n := len(collect(t, again)); n != 100 {
				t.Errorf("%d exchanges are left after opening again, want 100", n)
			}
		})
	}
}

func TestAfterClose(t *testing.T) {
	s := newStore(t, Options{})
	for i := range 50 {
		if err := s.Record(newExchange(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil { // stores what is queued
		t.Fatal(err)
	}
	if err := s.Record(newExchange(1)); !errors.Is(err, ErrClosed) {
		t.Errorf("Record after Close: %v", err)
	}
	if _, err := s.Exchange(1); err == nil {
		t.Error("Exchange after Close succeeded")
	}
	r, err := OpenReadOnly(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if n := len(collect(t, r)); n != 50 {
		t.Errorf("%d exchanges are stored, want 50", n)
	}
}
