//go:build unix

package queue_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/queue"
	"github.com/flaketap/flaketap/replay/service"
)

// ether is a wire in memory.
type ether struct {
	mu     sync.Mutex
	ears   map[string]*ear
	heard  [][]byte // all that was said
	silent bool     // nothing passes any more, as from a machine that was switched off
}

type ear struct {
	of   *ether
	name string
	said chan []byte // nil where nobody was there
}

func (e *ether) Say(name, from string, content []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heard = append(e.heard, content)
	if to := e.ears[name]; to != nil && !e.silent {
		to.said <- content
	} else if own := e.ears[from]; own != nil {
		own.said <- nil
	}
	return nil
}

func (e *ether) Listen(name string) (queue.Ear, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	one := &ear{e, name, make(chan []byte, 1<<16)}
	e.ears[name] = one
	return one, nil
}

func (r *ear) Hear(ctx context.Context) ([]byte, error) {
	select {
	case content := <-r.said:
		if content == nil {
			return nil, queue.ErrNobody
		}
		return content, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (r *ear) Close() {
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	delete(r.of.ears, r.name)
}

// lending has workers, each with an API of its own by a command, that lend it.
func lending(t *testing.T, m *memory, e *ether, n int, command string) *service.Service {
	t.Helper()
	ctx, end := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for range n {
		w := worker(t, m, command)
		w.Wire = e
		all.Go(func() {
			if err := w.Run(ctx); err != nil {
				t.Errorf("a worker: %v", err)
			}
		})
	}
	l := &queue.Lender{Board: m, Wire: e, Key: newKey(t, "key"), Plan: "trials", Console: &console.Console{Quiet: true}}
	t.Cleanup(func() {
		err := l.Close(context.Background())
		m.mu.Lock() // the workers are still there
		kept, waiting := len(m.kept), len(m.waiting)
		m.mu.Unlock()
		if err != nil || kept+waiting > 0 {
			t.Errorf("at the end, %v, there are %d of content and %d tickets", err, kept, waiting)
		}
		end()
		all.Wait()
	})
	return &service.Service{From: l}
}

// asked returns what an API answers; "" where it does not.
func asked(i *service.Instance, path string) string {
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Get(i.Target().String() + path)
	if err != nil {
		return ""
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body)
	return string(body)
}

// TestLentAPIs: each trial has an API that begins anew, several at once as many as there are workers, and nobody who
// hears the wire learns of it.
func TestLentAPIs(t *testing.T) {
	m, e := newMemory(), &ether{ears: map[string]*ear{}}
	api := lending(t, m, e, 2, command(t))
	all, err := api.Apart(2)
	if err != nil {
		t.Fatal(err)
	}
	var both sync.WaitGroup
	for _, one := range all {
		both.Go(func() {
			for range 3 {
				i, err := one.Start(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				got := fmt.Sprintf("%s %s %v %v", asked(i, "/good-tidings"), asked(i, "/good-tidings"), i.Lost(), i.Died("so far"))
				if got != "1 2 <nil> <nil>" {
					t.Errorf("the API says %q", got)
				}
				if err := i.Stop(); err != nil {
					t.Error(err)
				}
				if asked(i, "/") != "" {
					t.Error("an API that was given back answers")
				}
			}
		})
	}
	both.Wait()
	e.mu.Lock() // the workers are still there
	defer e.mu.Unlock()
	for _, said := range e.heard {
		if bytes.Contains(said, []byte("good-tidings")) {
			t.Fatal("the wire shows what is asked")
		}
	}
}

// TestLentAPIEnds: that is told with its reason, is no loss, and the next trial has another.
func TestLentAPIEnds(t *testing.T) {
	api := lending(t, newMemory(), &ether{ears: map[string]*ear{}}, 1, command(t))
	i, err := api.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	asked(i, "/crash")
	<-i.Ended()
	if err := i.Died("meanwhile"); err == nil || !strings.Contains(err.Error(), "exit status 3") || i.Lost() != nil {
		t.Errorf("died: %v, lost: %v", err, i.Lost())
	}
	if err := i.Stop(); err != nil {
		t.Error(err)
	}
	if i, err = api.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := asked(i, "/"); got != "1" {
		t.Errorf("the next answers %q", got)
	}
	if err := i.Stop(); err != nil {
		t.Error(err)
	}
}

// TestLostAPI: a worker that is gone within a trial loses it, and what is to be done again finds another.
func TestLostAPI(t *testing.T) {
	e := &ether{ears: map[string]*ear{}}
	api := lending(t, newMemory(), e, 1, command(t))
	tries := 0
	err := service.Again(func() error {
		i, err := api.Start(t.Context())
		if err != nil {
			return err
		}
		defer i.Stop()
		if tries++; tries == 1 {
			e.hush(true)
			if err := i.Lost(); !errors.Is(err, service.ErrLost) { // at once, as a suite may end before it is missed
				t.Errorf("nobody hears it, and it says %v", err)
			}
			<-i.Ended()
			e.hush(false)
			if err := i.Died("meanwhile"); !errors.Is(err, service.ErrLost) {
				t.Errorf("died: %v", err)
			}
			return i.Lost()
		}
		if got := asked(i, "/"); got != "1" {
			t.Errorf("the next answers %q", got)
		}
		return i.Lost()
	})
	if err != nil || tries != 2 {
		t.Errorf("%d tries, %v", tries, err)
	}
}

func (e *ether) hush(silent bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.silent = silent
}

// TestBorrowerGone: a worker whose API nobody uses any more says so in words.
func TestBorrowerGone(t *testing.T) {
	m, e := newMemory(), &ether{ears: map[string]*ear{}}
	out, in := io.Pipe()
	w := worker(t, m, command(t))
	w.Wire, w.Console = e, &console.Console{Err: in}
	ctx, end := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- w.Run(ctx) }()
	l := &queue.Lender{Board: m, Wire: e, Key: newKey(t, "key"), Plan: "trials", Console: &console.Console{Quiet: true}}
	lines := bufio.NewScanner(out)
	if !lines.Scan() { // the API is ready
		t.Fatal(lines.Err())
	}
	go func() { _, _ = (&service.Service{From: l}).Start(ctx) }()
	if !lines.Scan() || lines.Text() != "flaketap: lent the API for trial 1" {
		t.Fatalf("said was %q", lines.Text())
	}
	e.hush(true)
	if !lines.Scan() || lines.Text() != "flaketap: trial 1: whoever used the API is gone" {
		t.Errorf("said was %q", lines.Text())
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	end()
	if err := <-over; err != nil {
		t.Error(err)
	}
}

// TestNobodyBorrows: a ticket of somebody who was killed is gone once a worker finds nobody, and holds up no other.
func TestNobodyBorrows(t *testing.T) {
	m := newMemory()
	e := &ether{ears: map[string]*ear{}}
	api := lending(t, m, e, 1, command(t))
	i, err := api.Start(t.Context()) // the job of the plan is there then
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Offer(t.Context(), queue.Ticket{Plan: "trials", Run: 77}); err != nil {
		t.Fatal(err)
	}
	if err := i.Stop(); err != nil {
		t.Error(err)
	}
	if i, err = api.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := i.Stop(); err != nil {
		t.Error(err)
	}
	if err := m.await(t.Context(), func() bool { return len(m.leased) == 0 }); err != nil {
		t.Error(err)
	}
}

// deaf is a wire at which nobody can say that it is there.
type deaf struct{ *ether }

func (d deaf) Listen(name string) (queue.Ear, error) {
	if name == queue.HereName("plan") {
		return nil, io.ErrUnexpectedEOF
	}
	return d.ether.Listen(name)
}

// TestLendingThatDoesNotBegin leaves nothing on the board.
func TestLendingThatDoesNotBegin(t *testing.T) {
	m := newMemory()
	l := &queue.Lender{Board: m, Wire: deaf{&ether{ears: map[string]*ear{}}}, Key: newKey(t, "key"), Plan: "plan", Console: &console.Console{}}
	if _, err := l.Lend(t.Context(), 0); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("it begins: %v", err)
	}
	if err := l.Close(t.Context()); err != nil || len(m.kept) > 0 {
		t.Errorf("%d are kept, %v", len(m.kept), err)
	}
}
