package proxy_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/proxy"
)

// named is a Recorder that keeps the sequences of what it gets.
type named struct {
	mu    sync.Mutex
	names []string
	err   error
}

func (n *named) Record(e *exchange.Exchange) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.names = append(n.names, e.Sequence)
	return n.err
}

func TestSequencer(t *testing.T) {
	begin := time.Date(2026, 1, 29, 5, 15, 9, 0, time.UTC)
	at := func(s float64) time.Time { return begin.Add(time.Duration(s * float64(time.Second))) }
	// What happens, in the order in which the Sequencer is told of it: a mark, or an exchange by its begin and end.
	type event struct {
		mark     string
		from, to float64
		conn     uint64
		header   string
	}
	mark := func(name string, s float64) event { return event{mark: "+" + name, from: s} }
	for _, test := range []struct {
		name   string
		s      *proxy.Sequencer
		events []event
		want   []string
	}{
		{"nothing names them", &proxy.Sequencer{}, []event{{from: 0, to: 1, conn: 1}}, []string{""}},
		{"connections", &proxy.Sequencer{PerConnection: true},
			[]event{{from: 0, to: 1, conn: 1}, {from: 0, to: 2, conn: 7}, {from: 3, to: 4}}, []string{"connection-1", "connection-7", ""}},
		{"marks", &proxy.Sequencer{},
			[]event{{from: 0, to: 1}, mark("a", 2), {from: 3, to: 4}, mark("b", 5), {from: 6, to: 7}, mark("", 8), {from: 9, to: 10}},
			[]string{"", "a", "b", ""}},
		{"an exchange belongs to the mark under which it began", &proxy.Sequencer{},
			[]event{mark("a", 0), mark("b", 2), {from: 3, to: 4}, {from: 1, to: 5}, mark("a", 6), {from: 7, to: 8}}, []string{"b", "a", "a"}},
		{"marks that arrive in another order than they were set", &proxy.Sequencer{},
			[]event{mark("b", 2), mark("a", 0), {from: 1, to: 1}, {from: 3, to: 3}}, []string{"a", "b"}},
		{"the client's own header goes before all", &proxy.Sequencer{PerConnection: true, Gap: time.Second},
			[]event{mark("a", 0), {from: 1, to: 2, conn: 1, header: "own"}}, []string{"own"}},
		{"a mark goes before gaps and connections", &proxy.Sequencer{PerConnection: true},
			[]event{{from: 0, to: 0, conn: 1}, mark("a", 1), {from: 2, to: 2, conn: 1}}, []string{"connection-1", "a"}},
		{"gaps", &proxy.Sequencer{Gap: 2 * time.Second},
			[]event{{from: 0, to: 1}, {from: 3, to: 4}, {from: 6.1, to: 7}, {from: 7, to: 20}, {from: 21, to: 21}, {from: 24, to: 24}},
			[]string{"gap-1", "gap-1", "gap-2", "gap-2", "gap-2", "gap-3"}},
		{"requests side by side after a gap, the later one answered first", &proxy.Sequencer{Gap: 2 * time.Second},
			[]event{{from: 0, to: 1}, {from: 10.1, to: 10.2}, {from: 10, to: 11}}, []string{"gap-1", "gap-2", "gap-2"}},
		{"one that lasts through a gap belongs to where it began", &proxy.Sequencer{Gap: 2 * time.Second},
			[]event{{from: 0, to: 1}, {from: 10, to: 11}, {from: 0.5, to: 12}, {from: 13, to: 13}}, []string{"gap-1", "gap-2", "gap-1", "gap-2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out named
			s := test.s
			s.Recorder = &out
			for _, e := range test.events {
				if e.mark != "" {
					s.Mark(e.mark[1:], at(e.from))
					continue
				}
				x := &exchange.Exchange{Start: at(e.from), Latency: at(e.to).Sub(at(e.from)), Conn: e.conn, Sequence: e.header}
				if err := s.Record(x); err != nil {
					t.Fatal(err)
				}
			}
			if d := cmp.Diff(test.want, out.names); d != "" {
				t.Errorf("sequences (-want +got):\n%s", d)
			}
		})
	}
}

func TestSequencerPassesErrorsOn(t *testing.T) {
	full := errors.New("disk full")
	s := &proxy.Sequencer{Recorder: &named{err: full}}
	if err := s.Record(&exchange.Exchange{}); !errors.Is(err, full) {
		t.Errorf("Record returned %v", err)
	}
}

// For a client that does one thing after the other, a new sequence begins exactly where it was silent for longer than
// the gap.
func TestSequencerGaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gap := time.Duration(rapid.IntRange(1, 50).Draw(t, "gap"))
		var out named
		s := &proxy.Sequencer{Recorder: &out, Gap: gap}
		now, n := time.Unix(1e9, 0), 1
		var want []string
		for i, pause := range rapid.SliceOfN(rapid.IntRange(0, 100), 1, 50).Draw(t, "pauses") {
			if now = now.Add(time.Duration(pause)); i > 0 && time.Duration(pause) > gap {
				n++
			}
			want = append(want, fmt.Sprintf("gap-%d", n))
			took := time.Duration(rapid.IntRange(0, 200).Draw(t, "took"))
			_ = s.Record(&exchange.Exchange{Start: now, Latency: took})
			now = now.Add(took)
		}
		if !slices.Equal(want, out.names) {
			t.Fatalf("got %q\nwant %q", out.names, want)
		}
	})
}
