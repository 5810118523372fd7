package replay

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"iter"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
)

// meeting answers requests once a number of them is there at the same time.
type meeting struct {
	mu      sync.Mutex
	waiting int
	wanted  int
	open    chan struct{}
}

func (m *meeting) wait(ctx context.Context) error {
	m.mu.Lock()
	if m.open == nil {
		m.open = make(chan struct{})
	}
	open := m.open
	if m.waiting++; m.waiting == m.wanted {
		m.waiting, m.open = 0, nil
		close(open)
	}
	m.mu.Unlock()
	select {
	case <-open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// marked records requests GET /SEQUENCE/N, one sequence after the other.
func marked(t testing.TB, addr string, sequences, steps int) *tape {
	p := &tape{t: t, addr: addr}
	for s := range sequences {
		for n := range steps {
			e := p.add(fmt.Sprintf("GET /%d/%d HTTP/1.1\r\nHost: a\r\n\r\n", s, n), "")
			e.Sequence, e.Response = fmt.Sprint("case ", s), &exchange.Response{Status: 200}
		}
	}
	return p
}

// ordered returns the order of a recording.
func ordered(p *tape) *flow.Order {
	o := flow.NewOrder()
	for _, e := range p.list {
		o.Add(e)
	}
	o.Bind(flow.Bindings(p.list))
	return o
}

// TestSequencesAtOnce has an API that answers only what comes from four sequences at the same time.
func TestSequencesAtOnce(t *testing.T) {
	const workers, steps = 4, 5
	all := &meeting{wanted: workers}
	var mu sync.Mutex
	next := map[string]int{}
	addr := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sequence, n, _ := strings.Cut(r.URL.Path[1:], "/")
		mu.Lock()
		if fmt.Sprint(next[sequence]) != n {
			t.Errorf("step %s of sequence %s came after %d others of it", n, sequence, next[sequence])
		}
		next[sequence]++
		mu.Unlock()
		if all.wait(r.Context()) != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	p := marked(t, addr, workers, steps)
	sum, observed := play(t, &Player{Workers: workers, Order: ordered(p), Timeout: 20 * time.Second}, p)
	if sum.Reproduced != workers*steps || len(observed) != workers*steps || sum.Sequences.Played != workers {
		t.Errorf("%s; %+v", sum, sum.Sequences)
	}
}

// TestValuesBetweenSequences plays a login in one sequence, and what needs its token in others, all at once.
func TestValuesBetweenSequences(t *testing.T) {
	p := shopping(t, serve(t, newShop()))
	mark := ""
	for i, e := range p.list {
		if i == 0 || e.Request.Method == "POST" && e.Request.Target == "/orders" || e.Request.Target == "/cart" && mark != "cart" {
			mark = fmt.Sprint("case ", i)
		}
		if e.Request.Target == "/cart" {
			mark = "cart"
		}
		e.Sequence = mark
	}
	p.addr = ""
	other := serve(t, newShop())
	for _, e := range p.list {
		e.Addr = other
	}
	for range 10 {
		sum, _ := play(t, &Player{Workers: 8, Order: ordered(p)}, p)
		if sum.Reproduced != len(p.list) || sum.Sequences.Played != 5 || sum.Sequences.Reproduced != 5 {
			t.Fatalf("%s; %+v", sum, sum.Sequences)
		}
	}
}

// TestSchedule plays recordings of any shape with any number of workers, and looks at the order in which that is done.
func TestSchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "exchanges")
		needs := map[uint64][]uint64{}
		sequence := map[uint64]int{}
		var all []*exchange.Exchange
		pass := 1
		for i := range n {
			if rapid.IntRange(0, 15).Draw(t, "next pass") == 0 {
				pass++
			}
			e := &exchange.Exchange{Seq: uint64(i + 1), Pass: pass}
			sequence[e.Seq] = rapid.IntRange(0, 5).Draw(t, "sequence")
			for range rapid.IntRange(0, 2).Draw(t, "needed") {
				needs[e.Seq] = append(needs[e.Seq], uint64(rapid.IntRange(1, n).Draw(t, "needs")))
			}
			all = append(all, e)
		}
		s := newSchedule(func(seq uint64) []uint64 { return needs[seq] }, rapid.IntRange(1, 20).Draw(t, "ahead"))
		var (
			mu      sync.Mutex
			done    = map[uint64]bool{}
			last    = map[[2]int]uint64{}
			workers sync.WaitGroup
			wrong   []string
		)
		for range rapid.IntRange(1, 4).Draw(t, "workers") {
			workers.Go(func() {
				for q, e := s.next(nil); q != nil; q, e = s.next(q) {
					mu.Lock()
					of := [2]int{e.Pass, sequence[e.Seq]}
					if e.Seq < last[of] {
						wrong = append(wrong, fmt.Sprintf("%d after %d of its sequence", e.Seq, last[of]))
					}
					last[of] = e.Seq
					for _, x := range needs[e.Seq] {
						if x < e.Seq && !done[x] {
							wrong = append(wrong, fmt.Sprintf("%d before %d, which it needs", e.Seq, x))
						}
					}
					for _, x := range all {
						if x.Pass < e.Pass && !done[x.Seq] {
							wrong = append(wrong, fmt.Sprintf("%d before %d of an earlier pass", e.Seq, x.Seq))
						}
					}
					mu.Unlock()
					runtime.Gosched()
					mu.Lock()
					done[e.Seq] = true
					mu.Unlock()
				}
			})
		}
		for _, e := range all {
			if !s.add(e, sequence[e.Seq]) {
				t.Fatal("the schedule has ended")
			}
		}
		s.finish()
		workers.Wait()
		if len(done) != n || len(wrong) > 0 || len(s.queues) > 0 || len(s.held) > 0 || s.bytes != 0 {
			t.Fatalf("%d of %d done; %v", len(done), n, wrong)
		}
	})
}

// TestAtOnceEnds checks that an error of one worker, of the source or of ctx ends all of them, and is the one returned.
func TestAtOnceEnds(t *testing.T) {
	addr := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	p := marked(t, addr, 20, 3)
	player := func() *Player { return &Player{Workers: 4, Order: ordered(p)} }
	full := errors.New("disk full")
	if _, err := player().Play(context.Background(), p, failing{full}); !errors.Is(err, full) {
		t.Errorf("sink: %v", err)
	}
	broken := errors.New("broken")
	if _, err := player().Play(context.Background(), torn{p, broken}, discard{}); !errors.Is(err, broken) {
		t.Errorf("source: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	stop := hooked(func(*exchange.Observation) { cancel() })
	if _, err := player().Play(ctx, p, stop); !errors.Is(err, context.Canceled) {
		t.Errorf("ctx: %v", err)
	}
}

// torn is a Source that cannot be read to its end.
type torn struct {
	*tape
	err error
}

func (s torn) Exchanges() iter.Seq2[*exchange.Exchange, error] {
	return func(yield func(*exchange.Exchange, error) bool) {
		for e := range s.tape.Exchanges() {
			if !yield(e, nil) {
				return
			}
		}
		yield(nil, s.err)
	}
}

// TestTwice has an API that answers only what comes twice at the same time.
func TestTwice(t *testing.T) {
	both := &meeting{wanted: 2}
	addr := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "GET" && both.wait(r.Context()) != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	p := &tape{t: t, addr: addr}
	for _, method := range []string{"GET", "POST", "GET"} {
		p.add(method+" / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", "").Response = &exchange.Response{Status: 200}
	}
	twice := func(e *exchange.Exchange) bool { return e.Request.Method == "GET" }
	sum, observed := play(t, &Player{Around: []Around{Twice(twice)}, Timeout: 20 * time.Second}, p)
	var seqs []uint64
	for _, o := range observed {
		seqs = append(seqs, o.Seq)
	}
	if diff := cmp.Diff([]uint64{1, 1, 2, 3, 3}, seqs); diff != "" || sum.Reproduced != 3 || sum.Repeated != 2 {
		t.Errorf("%s; observed (-want +got):\n%s", sum, diff)
	}
}

// TestConnectionsAsRecorded checks which requests share a connection.
func TestConnectionsAsRecorded(t *testing.T) {
	var opened atomic.Int32
	addr := rawServer(t, func(conn net.Conn, r *bufio.Reader) {
		n := opened.Add(1)
		for {
			if _, err := readHead(r); err != nil {
				return
			}
			fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nX-Connection: %d\r\nContent-Length: 0\r\n\r\n", n)
		}
	})
	for _, c := range []struct {
		name   string
		conns  []uint64
		player Player
		want   string
	}{
		{"as recorded", []uint64{1, 1, 2, 1, 2, 3}, Player{}, "[1 1 2 1 2 3]"},
		{"one each", []uint64{1, 2, 3}, Player{}, "[1 2 3]"},
		{"not known", []uint64{0, 0, 0}, Player{}, "[1 1 1]"},
		{"fresh", []uint64{1, 1, 2}, Player{Around: []Around{Apart}}, "[1 2 3]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			opened.Store(0)
			p := &tape{t: t, addr: addr}
			for _, conn := range c.conns {
				e := p.add("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "")
				e.Conn, e.Response = conn, &exchange.Response{Status: 200}
			}
			c.player.Order = ordered(p)
			_, observed := play(t, &c.player, p)
			var got []string
			for _, o := range observed {
				got = append(got, o.Response.Header.Get("X-Connection"))
			}
			if fmt.Sprint(got) != c.want {
				t.Errorf("connections %v, want %s", got, c.want)
			}
		})
	}
}

// TestBegin checks that the start of each sequence is told, before its first step, and that an error there ends the run.
func TestBegin(t *testing.T) {
	var log []string
	addr := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { log = append(log, r.URL.Path) }))
	p := marked(t, addr, 2, 2)
	order := ordered(p)
	numbers := map[int]int{}
	player := &Player{Order: order, Workers: 4, begin: func(_ context.Context, n int) error {
		numbers[n] = len(numbers)
		log = append(log, fmt.Sprint("begin ", numbers[n]))
		return nil
	}}
	play(t, player, p)
	if diff := cmp.Diff([]string{"begin 0", "/0/0", "/0/1", "begin 1", "/1/0", "/1/1"}, log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	broken := errors.New("no reset")
	player.begin = func(context.Context, int) error { return broken }
	if _, err := player.Play(context.Background(), p, discard{}); !errors.Is(err, broken) || !strings.Contains(err.Error(), "exchange 1") {
		t.Errorf("%v", err)
	}
}

// TestAlter checks that what changes requests has the last word.
func TestAlter(t *testing.T) {
	var got []string
	addr := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = append(got, r.Header.Get("Accept-Language")) }))
	p := marked(t, addr, 1, 2)
	_, observed := play(t, &Player{Around: []Around{Altering(func(r exchange.Request) exchange.Request {
		m := r.Message
		m.Head = slices.Concat(m.Head[:len(m.Head)-2], []byte("Accept-Language: de\r\n\r\n"))
		return exchange.ParseRequest(m)
	})}}, p)
	if fmt.Sprint(got) != "[de de]" || observed[0].Sent.Header.Get("Accept-Language") != "de" {
		t.Errorf("sent %v, stored %q", got, observed[0].Sent.Head)
	}
}

// TestSequencesThatDiffer checks what the summary tells of sequences.
func TestSequencesThatDiffer(t *testing.T) {
	addr := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/1/") {
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	p := marked(t, addr, 3, 2)
	sum, _ := play(t, &Player{Order: ordered(p)}, p)
	s := sum.Sequences
	if s.Played != 3 || s.Reproduced != 2 || len(s.Differed) != 1 {
		t.Fatalf("%+v", s)
	}
	if d := s.Differed[0]; d.Steps != 2 || d.First.String() != "#3 GET /1/0: 200 recorded, 404 now" {
		t.Errorf("%+v", d)
	}
}
