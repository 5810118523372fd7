package collect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/capture/ship"
	"github.com/flaketap/flaketap/capture/ship/block"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/store"
)

// memory is a hub in memory. It fails as networks do, each so many calls: before it took what it was given, or behind
// that, so that the acknowledgement is lost.
type memory struct {
	mu     sync.Mutex
	every  int // each so many calls fail; 0: none
	calls  int
	terms  *ship.Terms
	blocks []kept
	pieces map[string][]byte
}

type kept struct {
	recorder string
	mark     ship.Mark
	data     []byte
}

var errNetwork = errors.New("the network is away")

// fails reports whether this call fails, and whether that is behind what it does.
func (m *memory) fails() (before, behind bool) {
	m.calls++
	if m.every == 0 || m.calls%m.every != 0 {
		return false, false
	}
	return m.calls/m.every%2 == 0, m.calls/m.every%2 == 1
}

func (m *memory) Agree(_ context.Context, t ship.Terms) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.terms == nil {
		m.terms = &t
	}
	if !m.terms.Same(t) {
		return ship.ErrRefused
	}
	return nil
}

func (m *memory) last(recorder string) (mark ship.Mark) {
	for _, b := range m.blocks {
		if b.recorder == recorder {
			mark = b.mark
		}
	}
	return mark
}

func (m *memory) Known(_ context.Context, recorder string) (ship.Mark, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if before, _ := m.fails(); before {
		return ship.Mark{}, errNetwork
	}
	return m.last(recorder), nil
}

func (m *memory) Append(_ context.Context, recorder string, last, next ship.Mark, data []byte) (ship.Mark, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before, behind := m.fails()
	if before {
		return ship.Mark{}, errNetwork
	}
	if m.last(recorder).Position != last.Position {
		return ship.Mark{}, ship.ErrMoved
	}
	next.Position = uint64(len(m.blocks)) + 1
	m.blocks = append(m.blocks, kept{recorder, next, slices.Clone(data)})
	if behind {
		return ship.Mark{}, errNetwork
	}
	return next, nil
}

func (m *memory) Keep(_ context.Context, name string, piece []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if before, _ := m.fails(); before {
		return errNetwork
	}
	m.pieces[name] = slices.Clone(piece)
	return nil
}

func (m *memory) Report(context.Context, ship.Report) error { return nil }

func (m *memory) Terms(context.Context) (ship.Terms, error) { return *m.terms, nil }

func (m *memory) Recorders(context.Context) (map[string]ship.Mark, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[string]ship.Mark{}
	for _, b := range m.blocks {
		out[b.recorder] = b.mark
	}
	return out, nil
}

func (m *memory) Blocks(_ context.Context, recorder string, after uint64, last ship.Mark) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, b := range m.blocks {
			if b.recorder == recorder && b.mark.Through >= after && b.mark.Position <= last.Position && !yield(b.data, nil) {
				return
			}
		}
	}
}

func (m *memory) Piece(_ context.Context, name string) ([]byte, error) {
	if piece, ok := m.pieces[name]; ok {
		return piece, nil
	}
	return nil, fs.ErrNotExist
}

// file is a recording in memory.
type file struct {
	mu        sync.Mutex
	rec       exchange.Recording
	exchanges []*exchange.Exchange
}

func newFile(key byte) *file {
	return &file{rec: exchange.Recording{Key: []byte(strings.Repeat(string(rune('a'+key)), 32))}}
}

func (f *file) Path() string { return "flaketap.db" }

func (f *file) Recording() (exchange.Recording, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	rec := f.rec
	rec.Passes, rec.Count = slices.Clone(rec.Passes), uint64(len(f.exchanges))
	return rec, nil
}

func (f *file) After(seq uint64) iter.Seq2[*exchange.Exchange, error] {
	f.mu.Lock()
	all := f.exchanges[seq:len(f.exchanges):len(f.exchanges)]
	f.mu.Unlock()
	return func(yield func(*exchange.Exchange, error) bool) {
		for _, e := range all {
			c := *e
			if !yield(&c, nil) {
				return
			}
		}
	}
}

var epoch = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

func (f *file) begin(at int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := len(f.rec.Passes) + 1
	f.rec.Passes = append(f.rec.Passes, exchange.Pass{Number: n, Started: epoch.Add(time.Duration(at) * time.Second),
		Label: fmt.Sprint("pass ", n), Source: "record", Start: exchange.StartUnknown})
}

func (f *file) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := &f.rec.Passes[len(f.rec.Passes)-1]
	p.Ended = p.Started.Add(time.Hour)
}

func (f *file) record(path, body string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	seq := uint64(len(f.exchanges)) + 1
	e := &exchange.Exchange{Seq: seq, Pass: len(f.rec.Passes), Conn: 1, Scheme: "http", Addr: "127.0.0.1:80", Target: "default",
		Start: epoch.Add(time.Duration(seq) * time.Millisecond), Latency: time.Millisecond}
	e.Request = exchange.ParseRequest(exchange.Message{Head: []byte("GET " + path + " HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer sesame-open-up-42\r\n\r\n")})
	e.Response = exchange.ParseResponse(exchange.Message{
		Head: fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", len(body)), Body: []byte(body)})
	f.exchanges = append(f.exchanges, e)
}

// send sends what is in a file.
func send(t interface{ Fatal(...any) }, f *file, hub ship.Hub, key []byte) {
	s, err := ship.Start(f, hub, ship.Options{Key: key, Machine: "m" + string(f.rec.Key[:1]), Pause: time.Microsecond})
	if err == nil {
		err = s.Finish(context.Background(), time.Minute)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// content is what a recording says, but for the key of its file.
type content struct {
	Passes    []exchange.Pass
	Exchanges []*exchange.Exchange
}

func read(t interface{ Fatal(...any) }, path string) (c content) {
	db, err := store.OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rec, err := db.Recording()
	if err != nil {
		t.Fatal(err)
	}
	c.Passes = rec.Passes
	for e, err := range db.Exchanges() {
		if err != nil {
			t.Fatal(err)
		}
		c.Exchanges = append(c.Exchanges, e)
	}
	return c
}

// The same set of blocks gives the same content, whatever came first, however often it was collected on the way, and
// whatever failed: all exchanges of each recorder, in their order.
func TestContentIsThatOfTheBlocks(t *testing.T) {
	dir := t.TempDir()
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		round++
		bit, whole := filepath.Join(dir, fmt.Sprint(round, "bit.db")), filepath.Join(dir, fmt.Sprint(round, "whole.db"))
		hub := &memory{every: rapid.SampledFrom([]int{0, 2, 3, 5}).Draw(t, "every"), pieces: map[string][]byte{}}
		files := []*file{newFile(0), newFile(1), newFile(2)}
		for range rapid.IntRange(1, 10).Draw(t, "steps") {
			f := files[rapid.IntRange(0, len(files)-1).Draw(t, "file")]
			if len(f.rec.Passes) == 0 || rapid.IntRange(0, 3).Draw(t, "pass") == 0 {
				f.begin(rapid.IntRange(0, 3).Draw(t, "at"))
			}
			for range rapid.IntRange(0, 3).Draw(t, "exchanges") {
				f.record("/"+string(f.rec.Key[:1]), strings.Repeat("x", rapid.SampledFrom([]int{0, 3, 20_000}).Draw(t, "body")))
			}
			if rapid.Bool().Draw(t, "end") {
				f.end()
			}
			if rapid.Bool().Draw(t, "send") {
				send(t, f, hub, nil)
			}
			if hub.terms != nil && len(hub.blocks) > 0 && rapid.Bool().Draw(t, "collect") {
				if _, err := Collect(context.Background(), Options{Hub: hub, DB: bit}); err != nil {
					t.Fatal(err)
				}
			}
		}
		total := 0
		for _, f := range files {
			send(t, f, hub, nil)
			total += len(f.exchanges)
		}
		if total == 0 {
			return
		}
		for _, path := range []string{bit, whole} {
			c, err := Collect(context.Background(), Options{Hub: hub, DB: path})
			if err != nil {
				t.Fatal(err)
			}
			if c.Exchanges != uint64(total) || c.Missing != 0 {
				t.Errorf("%d of %d exchanges, %d missing", c.Exchanges, total, c.Missing)
			}
		}
		want := read(t, whole)
		if got := read(t, bit); !reflect.DeepEqual(want, got) {
			t.Errorf("collected bit by bit it differs (-whole +bits):\n%s", gocmp.Diff(want, got))
		}
		held(t, files, want)
		for _, path := range []string{bit, whole} {
			os.Remove(path)
		}
	})
}

// held holds what was collected against the files of the recorders.
func held(t *rapid.T, files []*file, got content) {
	next := map[string]int{} // of each recorder
	var order []string
	for _, e := range got.Exchanges {
		p := got.Passes[e.Pass-1]
		f := files[slices.IndexFunc(files, func(f *file) bool { return "m"+string(f.rec.Key[:1]) == p.Origin.Machine })]
		want := *f.exchanges[next[p.Origin.Machine]]
		if next[p.Origin.Machine]++; next[p.Origin.Machine] == 1 {
			order = append(order, fmt.Sprint(p.Started.Unix()))
		}
		if p.Origin.Pass != want.Pass || p.Started != f.rec.Passes[want.Pass-1].Started || p.Ended != f.rec.Passes[want.Pass-1].Ended {
			t.Errorf("exchange %d stands in pass %+v of %+v", want.Seq, p, p.Origin)
		}
		want.Seq, want.Pass = e.Seq, e.Pass
		if string(want.Request.Head) != string(e.Request.Head) || string(want.Response.Body) != string(e.Response.Body) {
			t.Errorf("exchange %d of %s changed", want.Seq, p.Origin.Machine)
		}
	}
	if !slices.IsSorted(order) {
		t.Errorf("recorders stand in the order of %v", order)
	}
}

// Tokens leave the machine in the place of secrets, equal ones for equal secrets of all recorders, and whoever goes
// on in the middle of a recording still knows what was named as a secret before.
func TestTokens(t *testing.T) {
	hub := &memory{pieces: map[string][]byte{}}
	key := []byte(strings.Repeat("k", 32))
	a, b := newFile(0), newFile(1)
	a.begin(0)
	a.record("/login", "{}")
	b.begin(1)
	b.record("/other", "{}")
	send(t, a, hub, key)
	send(t, b, hub, key)
	a.record("/echo?x=sesame-open-up-42", "it was sesame-open-up-42")
	send(t, a, hub, key)
	path := filepath.Join(t.TempDir(), "all.db")
	if _, err := Collect(t.Context(), Options{Hub: hub, DB: path, Key: key}); err != nil {
		t.Fatal(err)
	}
	got := read(t, path)
	if len(got.Exchanges) != 3 || !got.Passes[0].Redacted {
		t.Fatalf("%d exchanges in %+v", len(got.Exchanges), got.Passes)
	}
	for _, e := range got.Exchanges {
		if all := string(e.Request.Head) + string(e.Response.Body); strings.Contains(all, "sesame") {
			t.Errorf("a secret left the machine: %s", all)
		}
	}
	first, third := got.Exchanges[0].Request.Header.Get("Authorization"), got.Exchanges[2].Request.Header.Get("Authorization")
	if first != third || first == "" {
		t.Errorf("one secret has the tokens %q and %q", first, third)
	}
	for what, key := range map[string][]byte{"no key": nil, "another key": []byte(strings.Repeat("o", 32))} {
		if _, err := Collect(t.Context(), Options{Hub: hub, DB: path, Key: key}); err == nil || !strings.Contains(err.Error(), "--token-key") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// sentOnce returns a hub that has one exchange, and the file that it is from.
func sentOnce(t *testing.T) (*memory, *file) {
	t.Helper()
	hub, f := &memory{pieces: map[string][]byte{}}, newFile(0)
	f.begin(0)
	f.record("/", "{}")
	send(t, f, hub, nil)
	return hub, f
}

// A file that was recorded here, or holds runs, is left as it is.
func TestLeftAlone(t *testing.T) {
	hub, f := sentOnce(t)
	own := filepath.Join(t.TempDir(), "own.db")
	db, err := store.Create(own, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.BeginPass(exchange.Pass{}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Collect(t.Context(), Options{Hub: hub, DB: own}); err == nil || !strings.Contains(err.Error(), "recorded here") {
		t.Errorf("into a recording: %v", err)
	}

	path := filepath.Join(t.TempDir(), "all.db")
	if _, err := Collect(t.Context(), Options{Hub: hub, DB: path}); err != nil {
		t.Fatal(err)
	}
	if db, err = store.Open(path, store.Options{}); err != nil {
		t.Fatal(err)
	}
	run, err := db.BeginRun(exchange.Run{Kind: exchange.RunReplay})
	if err == nil {
		err = errors.Join(run.Finish(exchange.Run{Ended: epoch}), db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	if c, err := Collect(t.Context(), Options{Hub: hub, DB: path}); err != nil || c.New != 0 || c.Exchanges != 1 {
		t.Errorf("with nothing new: %+v, %v", c, err)
	}
	f.record("/more", "{}")
	send(t, f, hub, nil)
	if _, err := Collect(t.Context(), Options{Hub: hub, DB: path}); err == nil || !strings.Contains(err.Error(), "1 run") {
		t.Errorf("with a run and something new: %v", err)
	}
	if n := len(read(t, path).Exchanges); n != 1 {
		t.Errorf("the file has %d exchanges", n)
	}
}

// Blocks that were removed from the hub before they were collected are told, and nothing is put in their place.
func TestRemovedBlocks(t *testing.T) {
	hub := &memory{pieces: map[string][]byte{}}
	f := newFile(0)
	f.begin(0)
	for range 3 {
		f.record("/", "{}")
		send(t, f, hub, nil)
	}
	hub.blocks = hub.blocks[1:]
	path := filepath.Join(t.TempDir(), "all.db")
	c, err := Collect(t.Context(), Options{Hub: hub, DB: path})
	if err != nil || c.Exchanges != 0 {
		t.Fatalf("%+v, %v", c, err)
	}
	if err := c.Err(); err == nil || !strings.Contains(err.Error(), "exchanges 1 to 1 are not at the hub any more") ||
		!strings.Contains(console.Advice(err), "under another NAME") {
		t.Errorf("got %v", err)
	}
}

// What another collector writes just now is not taken from it; what one left that was killed is in nobody's way.
func TestTwoCollectors(t *testing.T) {
	hub, _ := sentOnce(t)
	path := filepath.Join(t.TempDir(), "all.db")
	other, err := store.Create(filepath.Join(filepath.Dir(path), ".all.db.collecting"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Collect(t.Context(), Options{Hub: hub, DB: path}); !errors.Is(err, store.ErrLocked) {
		t.Errorf("while another collects: %v", err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Collect(t.Context(), Options{Hub: hub, DB: path}); err != nil {
		t.Fatal(err)
	}
	if n := len(read(t, path).Exchanges); n != 1 {
		t.Errorf("the file has %d exchanges", n)
	}
}

// A collected file is no recorder's: what is in it would come together twice.
func TestCollectedIsNotSent(t *testing.T) {
	hub, _ := sentOnce(t)
	path := filepath.Join(t.TempDir(), "all.db")
	if _, err := Collect(t.Context(), Options{Hub: hub, DB: path}); err != nil {
		t.Fatal(err)
	}
	db, err := store.OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, err := ship.Start(db, hub, ship.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Finish(t.Context(), time.Minute); !errors.Is(err, ship.ErrRefused) || !strings.Contains(err.Error(), "was collected") {
		t.Errorf("got %v", err)
	}
}

// A pass that is told anew with another beginning changes no order: all that was collected stays.
func TestPassWithAnotherBeginning(t *testing.T) {
	hub := &memory{pieces: map[string][]byte{}}
	if err := hub.Agree(t.Context(), ship.Terms{Format: block.Format, Secrets: ship.Revealed, Seed: strings.Repeat("00", 32)}); err != nil {
		t.Fatal(err)
	}
	codec, err := block.NewCodec()
	if err != nil {
		t.Fatal(err)
	}
	defer codec.Close()
	f := newFile(0)
	f.begin(0)
	f.record("/1", "{}")
	f.record("/2", "{}")
	path := filepath.Join(t.TempDir(), "all.db")
	tell := func(recorder string, at time.Time, exchanges ...*exchange.Exchange) {
		t.Helper()
		last := hub.last(recorder)
		b := block.Block{Pass: exchange.Pass{Number: 1, Started: at}, After: last.Through,
			Through: last.Through + uint64(len(exchanges)), Exchanges: exchanges}
		data, err := codec.Encode(&b, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := hub.Append(t.Context(), recorder, last, ship.Mark{Through: b.Through, State: block.StateOf(b.Pass)}, data); err != nil {
			t.Fatal(err)
		}
		if _, err := Collect(t.Context(), Options{Hub: hub, DB: path}); err != nil {
			t.Fatal(err)
		}
	}
	tell("x", epoch, f.exchanges[0])
	tell("y", epoch.Add(time.Hour), f.exchanges[0])
	tell("x", epoch.Add(2*time.Hour))
	tell("y", epoch.Add(time.Hour), f.exchanges[1])
	if n := len(read(t, path).Exchanges); n != 3 {
		t.Errorf("the file has %d exchanges, want 3", n)
	}
}
