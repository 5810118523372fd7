package hub_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/capture/hub"
	"github.com/flaketap/flaketap/capture/hub/server"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/queue"
)

// board returns the work of a name at a hub, and a second link to it. Tickets are leased for so long.
func board(t *testing.T, leasing time.Duration) (here, there *hub.Work) {
	t.Helper()
	dir := t.TempDir()
	s := start(t, server.Options{Dir: dir})
	work := func() *hub.Work { return dial(t, s.Address()+"/work", dir).Work().Leasing(leasing) }
	return work(), work()
}

func TestBoardKeepsTheFirst(t *testing.T) {
	here, there := board(t, time.Hour)
	ctx := t.Context()
	if _, err := here.Get(ctx, "plan.item.0"); !errors.Is(err, queue.ErrMissing) {
		t.Errorf("before anything is kept: %v", err)
	}
	for _, size := range []int{3, 2<<20 + 7} {
		name := fmt.Sprintf("plan.item.%d", size)
		first, second := bytes.Repeat([]byte("a"), size), bytes.Repeat([]byte("b"), size)
		if err := here.Put(ctx, name, first); err != nil {
			t.Fatal(err)
		}
		if err := there.Put(ctx, name, second); err != nil {
			t.Fatal(err)
		}
		if got, err := there.Get(ctx, name); err != nil || !bytes.Equal(got, first) {
			t.Errorf("%d bytes: %v, got %d bytes", size, err, len(got))
		}
	}
	if err := here.Put(ctx, "plan.job", []byte("job")); err != nil {
		t.Fatal(err)
	}
	if plans, err := there.Plans(ctx); err != nil || fmt.Sprint(plans) != "[plan]" {
		t.Errorf("plans %v, %v", plans, err)
	}
	if err := there.Clear(ctx, "plan"); err != nil {
		t.Fatal(err)
	}
	if plans, err := here.Plans(ctx); err != nil || len(plans) > 0 {
		t.Errorf("cleared, and there are plans %v, %v", plans, err)
	}
}

// TestBoardDrops: what is done with one by one leaves the board, and nothing else does.
func TestBoardDrops(t *testing.T) {
	here, there := board(t, time.Hour)
	ctx := t.Context()
	done, other := queue.Ticket{Plan: "plan", Run: 1, Item: 1}, queue.Ticket{Plan: "plan", Run: 1, Item: 11}
	for _, one := range []queue.Ticket{done, other} {
		for _, name := range []string{one.ItemName(), one.ResultName()} {
			if err := here.Put(ctx, name, []byte("x")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := here.Drop(ctx, done); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{done.ItemName(), done.ResultName()} {
		if _, err := there.Get(ctx, name); !errors.Is(err, queue.ErrMissing) {
			t.Errorf("%s is dropped, and there is %v", name, err)
		}
	}
	for _, name := range []string{other.ItemName(), other.ResultName()} {
		if _, err := there.Get(ctx, name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBoardLeases: a ticket is one worker's until it gives it back, or is done.
func TestBoardLeases(t *testing.T) {
	here, there := board(t, time.Hour)
	ctx := t.Context()
	tickets := []queue.Ticket{{Plan: "plan", Run: 1, Item: 0}, {Plan: "plan", Run: 1, Item: 1}}
	for _, ticket := range append(tickets, tickets[0]) { // offered twice, it is there once
		if err := here.Offer(ctx, ticket); err != nil {
			t.Fatal(err)
		}
	}
	lease := func(w *hub.Work, want queue.Ticket, attempt int) queue.Lease {
		t.Helper()
		l, err := w.Lease(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if l.Ticket() != want || l.Attempt() != attempt {
			t.Errorf("leased %v, attempt %d, want %v, %d", l.Ticket(), l.Attempt(), want, attempt)
		}
		return l
	}
	first := lease(here, tickets[0], 1)
	second := lease(there, tickets[1], 1)
	if err := first.Return(ctx); err != nil {
		t.Fatal(err)
	}
	again := lease(there, tickets[0], 2)
	for _, l := range []queue.Lease{again, second} {
		if err := l.Done(ctx); err != nil {
			t.Errorf("done with %v: %v", l.Ticket(), err)
		}
	}
	if err := here.Offer(ctx, queue.Ticket{Plan: "plan", Run: 2, Item: 0}); err != nil {
		t.Fatal(err)
	}
	lease(here, queue.Ticket{Plan: "plan", Run: 2, Item: 0}, 1) // and none of the others
}

// TestBoardLeasesAgain: the ticket of a worker that says nothing for a while is leased by another. Both may be done with it.
func TestBoardLeasesAgain(t *testing.T) {
	here, there := board(t, time.Second)
	ctx := t.Context()
	if err := here.Offer(ctx, queue.Ticket{Plan: "plan", Run: 1, Item: 0}); err != nil {
		t.Fatal(err)
	}
	silent, err := here.Lease(ctx)
	if err != nil {
		t.Fatal(err)
	}
	late, err := there.Lease(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if late.Ticket() != silent.Ticket() || late.Attempt() <= silent.Attempt() {
		t.Errorf("leased %v, attempt %d, after %v, attempt %d", late.Ticket(), late.Attempt(), silent.Ticket(), silent.Attempt())
	}
	for _, l := range []queue.Lease{late, silent} {
		if err := l.Done(ctx); err != nil {
			t.Errorf("done with %v: %v", l.Ticket(), err)
		}
	}
}

func TestBoardTellsResults(t *testing.T) {
	here, there := board(t, time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	put := func(name string) {
		t.Helper()
		if err := there.Put(ctx, name, bytes.Repeat([]byte("a"), 600<<10)); err != nil { // in two pieces
			t.Fatal(err)
		}
	}
	put("plan.result.1.7")
	var got []queue.Ticket
	for ticket, err := range here.Results(ctx, "plan") {
		if err != nil {
			if ctx.Err() == nil {
				t.Error(err)
			}
			break
		}
		switch got = append(got, ticket); len(got) {
		case 1:
			put("other.result.1.1")
			put("plan.item.3")
			put("plan.result.2.9")
		case 2:
			cancel()
		}
	}
	if want := []queue.Ticket{{Plan: "plan", Run: 1, Item: 7}, {Plan: "plan", Run: 2, Item: 9}}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestBoardTellsOfRemoval: who waits for results is told that the work was removed, though a worker has something kept
// there later.
func TestBoardTellsOfRemoval(t *testing.T) {
	dir := t.TempDir()
	s := start(t, server.Options{Dir: dir})
	l := dial(t, s.Address()+"/work", dir)
	here, there := l.Work().Leasing(100*time.Millisecond), dial(t, s.Address()+"/work", dir).Work()
	for _, name := range []string{"plan.job", "plan.result.1.0"} {
		if err := here.Put(t.Context(), name, []byte("a")); err != nil {
			t.Fatal(err)
		}
	}
	var last error
	for _, err := range here.Results(t.Context(), "plan") {
		if last = err; err != nil {
			break
		}
		if err := l.Remove(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := there.Put(t.Context(), "other.job", []byte("a")); err != nil { // which makes the stream anew
			t.Fatal(err)
		}
	}
	if !errors.Is(last, queue.ErrMissing) && !errors.Is(last, queue.ErrAway) {
		t.Errorf("removed, and the wait ends with %v", last)
	}
	if _, err := here.Get(t.Context(), "plan.job"); !errors.Is(err, queue.ErrMissing) {
		t.Errorf("removed, and it is there: %v", err)
	}
}

// TestRemoveWork: a name of which there is nothing but work can be removed, once.
func TestRemoveWork(t *testing.T) {
	dir := t.TempDir()
	s := start(t, server.Options{Dir: dir})
	l := dial(t, s.Address()+"/work", dir)
	if err := l.Work().Put(t.Context(), "plan.job", []byte("job")); err != nil {
		t.Fatal(err)
	}
	for _, board := range []*hub.Work{l.Judging(), l.Mocking(), l.Work()} {
		if err := board.Put(t.Context(), "done.job", []byte("job")); err != nil {
			t.Fatal(err)
		}
		if err := l.RemovePlan(t.Context(), "done"); err != nil {
			t.Errorf("remove a plan: %v", err)
		}
	}
	if err := l.RemovePlan(t.Context(), "*"); err == nil || !strings.Contains(err.Error(), "no plan * stands under work") {
		t.Errorf("remove a plan that is not there: %v", err)
	}
	if plans, err := l.Work().Plans(t.Context()); err != nil || fmt.Sprint(plans) != "[plan]" {
		t.Errorf("left are %v, %v", plans, err)
	}
	if err := l.Remove(t.Context()); err != nil {
		t.Errorf("remove: %v", err)
	}
	if err := l.Remove(t.Context()); err == nil {
		t.Error("it is removed twice")
	}
	if status, err := l.Status(t.Context(), time.Now()); err != nil || len(status.Names) > 0 {
		t.Errorf("status %+v, %v", status, err)
	}
}

// TestBoardIsAway: what cannot be reached may be there later, and what refuses the credential stays so. Each is said once.
func TestBoardIsAway(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	s := start(t, server.Options{Dir: dir})
	start(t, server.Options{Dir: other})
	at := s.Address() + "/work"
	_, err := dial(t, at, other).Work().Plans(t.Context())
	if err == nil || errors.Is(err, queue.ErrAway) || strings.Count(err.Error(), "credential") != 2 {
		t.Errorf("another credential: %v", err)
	}
	l := dial(t, at, dir)
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	_, kerr := l.Work().Keys(late)
	_, perr := l.Crew().Present(late, time.Now())
	for _, err := range []error{kerr, perr} {
		if err == nil || strings.Count(err.Error(), "no hub answers") != 1 {
			t.Errorf("a hub that does not answer in time: %v", err)
		}
	}
	if !errors.Is(kerr, queue.ErrAway) {
		t.Errorf("it may answer later: %v", kerr)
	}
	s.Close()
	_, err = dial(t, at, dir).Work().Plans(t.Context())
	if !errors.Is(err, queue.ErrAway) || strings.Count(err.Error(), "no hub answers") != 1 ||
		!strings.Contains(console.Advice(err), "flaketap hub runs one") {
		t.Errorf("no hub: %v", err)
	}
}
