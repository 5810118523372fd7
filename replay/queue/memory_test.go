package queue_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/flaketap/flaketap/replay/queue"
)

// memory is a board in memory, whose leases end when a test says so.
type memory struct {
	mu      sync.Mutex
	changed chan struct{} // closed at the next change
	kept    map[string][]byte
	order   []string // of the names
	waiting []queue.Ticket
	leased  map[queue.Ticket]bool
	times   map[queue.Ticket]int
	keys    []string // of the workers that are there
	away    int      // how many of the next calls fail
	quiet   int      // how often nothing has come for a while
	fails   error    // how results end; nil: they do not
}

func newMemory() *memory {
	return &memory{changed: make(chan struct{}), kept: map[string][]byte{}, leased: map[queue.Ticket]bool{},
		times: map[queue.Ticket]int{}}
}

// do does something that may change the board.
func (m *memory) do(change func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.away > 0 {
		m.away--
		return fmt.Errorf("no hub answers: %w", queue.ErrAway)
	}
	err := change()
	close(m.changed)
	m.changed = make(chan struct{})
	return err
}

// await waits until something is found.
func (m *memory) await(ctx context.Context, find func() bool) error {
	for {
		m.mu.Lock()
		found, changed := find(), m.changed
		m.mu.Unlock()
		if found {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// expire ends all leases, as if their workers had died.
func (m *memory) expire() {
	_ = m.do(func() error {
		for t := range m.leased {
			m.waiting = append(m.waiting, t)
		}
		clear(m.leased)
		return nil
	})
}

func (m *memory) Put(_ context.Context, name string, content []byte) error {
	return m.do(func() error {
		if m.kept[name] == nil {
			m.kept[name] = content
			m.order = append(m.order, name)
		}
		return nil
	})
}

func (m *memory) Get(_ context.Context, name string) (content []byte, err error) {
	return content, m.do(func() error {
		if content = m.kept[name]; content == nil {
			return queue.ErrMissing
		}
		return nil
	})
}

func (m *memory) Plans(context.Context) (plans []string, err error) {
	return plans, m.do(func() error {
		for name := range m.kept {
			if plan, ok := strings.CutSuffix(name, ".job"); ok {
				plans = append(plans, plan)
			}
		}
		return nil
	})
}

func (m *memory) Keys(context.Context) (keys []string, err error) {
	return keys, m.do(func() error {
		keys = m.keys
		return nil
	})
}

func (m *memory) Offer(_ context.Context, t queue.Ticket) error {
	return m.do(func() error {
		if !slices.Contains(m.waiting, t) {
			m.waiting = append(m.waiting, t)
		}
		return nil
	})
}

func (m *memory) Lease(ctx context.Context) (l queue.Lease, err error) {
	return l, m.await(ctx, func() bool {
		if len(m.waiting) == 0 {
			return false
		}
		t := m.waiting[0]
		m.waiting = m.waiting[1:]
		m.leased[t] = true
		m.times[t]++
		l = &lease{m, t, m.times[t]}
		return true
	})
}

func (m *memory) Results(ctx context.Context, plan string) iter.Seq2[queue.Ticket, error] {
	return func(yield func(queue.Ticket, error) bool) {
		for at := 0; ; at++ {
			name := ""
			err := m.await(ctx, func() bool {
				if at < len(m.order) {
					name = m.order[at]
				}
				return name != "" || m.quiet > 0 || m.fails != nil
			})
			t := queue.Ticket{Plan: plan}
			if err == nil && name == "" && m.fails != nil {
				err = m.fails
			} else if err == nil && name == "" {
				_ = m.do(func() error { m.quiet--; return nil })
				if at--; !yield(t, queue.ErrQuiet) {
					return
				}
				continue
			}
			if err == nil {
				if n, _ := fmt.Sscanf(name, plan+".result.%d.%d", &t.Run, &t.Item); n < 2 {
					continue
				}
			}
			if !yield(t, err) || err != nil {
				return
			}
		}
	}
}

func (m *memory) Drop(_ context.Context, t queue.Ticket) error {
	return m.do(func() error {
		for _, name := range []string{t.ItemName(), t.ResultName()} {
			delete(m.kept, name)
		}
		return nil
	})
}

func (m *memory) Clear(_ context.Context, plan string) error {
	return m.do(func() error {
		m.order = slices.DeleteFunc(m.order, func(name string) bool { return strings.HasPrefix(name, plan+".") })
		for name := range m.kept {
			if strings.HasPrefix(name, plan+".") {
				delete(m.kept, name)
			}
		}
		m.waiting = slices.DeleteFunc(m.waiting, func(t queue.Ticket) bool { return t.Plan == plan })
		return nil
	})
}

// lease is a ticket of a memory.
type lease struct {
	of      *memory
	ticket  queue.Ticket
	attempt int
}

func (l *lease) Ticket() queue.Ticket     { return l.ticket }
func (l *lease) Attempt() int             { return l.attempt }
func (l *lease) Keep(ctx context.Context) { <-ctx.Done() }

func (l *lease) Done(context.Context) error {
	return l.of.do(func() error {
		delete(l.of.leased, l.ticket)
		l.of.waiting = slices.DeleteFunc(l.of.waiting, func(t queue.Ticket) bool { return t == l.ticket })
		return nil
	})
}

func (l *lease) Return(context.Context) error {
	return l.of.do(func() error {
		delete(l.of.leased, l.ticket)
		l.of.waiting = append(l.of.waiting, l.ticket)
		return nil
	})
}
