//go:build unix

package queue_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/queue"
)

// asking is a plan of trials on a board.
func asking(t *testing.T, m *memory) *queue.Asking {
	t.Helper()
	a, err := queue.Ask(t.Context(), m, m, newKey(t, "key"), "plan", &queue.Job{Judging: []byte("begin"), Tries: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// trying has a worker run trials until the test ends.
func trying(t *testing.T, m *memory, try queue.Judge) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	w := &queue.Worker{Board: m, Key: newKey(t, "key"), Role: queue.Tries, Judge: try}
	ended := make(chan error)
	go func() { ended <- w.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestAsking: several ask at once, and each gets what comes of its own item; one that cannot be worked on is given up
// alone. The board keeps nothing of what is done.
func TestAsking(t *testing.T) {
	m := newMemory()
	a := asking(t, m)
	try := func(_ context.Context, begin []byte, part int, content func(int) ([]byte, error)) ([]byte, error) {
		item, err := content(part)
		if string(item) == "poison" {
			return nil, errors.New("it ends the API")
		}
		return fmt.Appendf(nil, "%s %s", begin, item), err
	}
	trying(t, m, try)
	trying(t, m, try)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			item := fmt.Sprint("item ", i)
			if got, err := a.Item(t.Context(), []byte(item)); string(got) != "begin "+item || err != nil {
				t.Errorf("%s: %q, %v", item, got, err)
			}
		})
	}
	all.Go(func() {
		if _, err := a.Item(t.Context(), []byte("poison")); err == nil || !strings.Contains(err.Error(), "after 5 attempts: it ends the API") {
			t.Errorf("what ends the API: %v", err)
		}
	})
	all.Wait()
	waiting, cancel := context.WithTimeout(t.Context(), 20*time.Second) // which is used up by a failure
	defer cancel()
	if err := m.await(waiting, func() bool { return len(m.kept) == 1 }); err != nil { // the job
		t.Errorf("what is done is kept: %v", err)
	}
	if err := a.Close(t.Context()); err != nil || len(m.kept) > 0 {
		t.Errorf("at the end %d are kept, %v", len(m.kept), err)
	}
}

// TestAskingOfWhatWasRemoved: who waits for what comes of an item is told that the plan is gone.
func TestAskingOfWhatWasRemoved(t *testing.T) {
	m := newMemory()
	a := asking(t, m)
	failed := make(chan error)
	go func() {
		_, err := a.Item(t.Context(), []byte("item"))
		failed <- err
	}()
	if err := m.await(t.Context(), func() bool { return len(m.waiting) > 0 }); err != nil {
		t.Fatal(err)
	}
	_ = m.do(func() error { m.fails = queue.ErrMissing; return nil })
	if err := <-failed; !errors.Is(err, queue.ErrRemoved) {
		t.Errorf("it ends with %v", err)
	}
	if _, err := a.Item(t.Context(), []byte("another")); !errors.Is(err, queue.ErrRemoved) {
		t.Errorf("the next ends with %v", err)
	}
	if err := a.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestAskingWhereNobodyIs says so once.
func TestAskingWhereNobodyIs(t *testing.T) {
	m := newMemory()
	var said bytes.Buffer
	a, err := queue.Ask(t.Context(), m, m, newKey(t, "key"), "plan", &queue.Job{Judging: []byte("begin"), Tries: true},
		&console.Console{Err: &said})
	if err != nil {
		t.Fatal(err)
	}
	_ = m.do(func() error { m.quiet = 2; return nil })
	if err := m.await(t.Context(), func() bool { return m.quiet == 0 }); err != nil {
		t.Error(err)
	}
	if err := a.Close(t.Context()); err != nil {
		t.Error(err)
	}
	want := "flaketap: no worker with --external is at that hub yet: start flaketap worker nats://HOST:PORT/NAME " +
		"with --start CMD --external and the same --token-key\n"
	if said.String() != want {
		t.Errorf("said is %q", said.String())
	}
}

// TestWorkersAreMissed: who waits for results is told once that the last worker is gone, and that one came.
func TestWorkersAreMissed(t *testing.T) {
	m := newMemory()
	m.keys = []string{newKey(t, "key").ID()}
	var said bytes.Buffer
	r, err := queue.Begin(t.Context(), m, newKey(t, "key"), "plan", job, &console.Console{Err: &said})
	if err != nil {
		t.Fatal(err)
	}
	quiet := func(keys ...string) {
		ctx, end := context.WithCancel(t.Context())
		over := make(chan error)
		go func() {
			_, _, err := r.Next(ctx, 1)
			over <- err
		}()
		_ = m.do(func() error { m.keys, m.quiet = keys, 2; return nil })
		if err := m.await(t.Context(), func() bool { return m.quiet == 0 }); err != nil {
			t.Error(err)
		}
		end()
		if err := <-over; !errors.Is(err, context.Canceled) {
			t.Errorf("the wait ends with %v", err)
		}
	}
	quiet("another")
	if said.Len() > 0 {
		t.Errorf("a worker is there, and said is %q", said.String())
	}
	quiet()
	quiet("another")
	want := "flaketap: no worker that plays is at that hub any more; waiting for one: start flaketap worker " +
		"nats://HOST:PORT/NAME with --start CMD and the same --token-key\nflaketap: a worker that plays is at that hub again\n"
	if said.String() != want {
		t.Errorf("said is %q", said.String())
	}
}
