package store

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/exchange"
)

// childEnv makes the test binary do something else than testing: it names one of the children.
const childEnv = "FLAKETAP_STORE_TEST_CHILD"

func TestMain(m *testing.M) {
	if name := os.Getenv(childEnv); name != "" {
		if err := children[name](os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// testStart is the time at which everything in these tests happens.
var testStart = time.Date(2026, 11, 20, 12, 0, 0, 123456789, time.UTC)

// newStore makes a recording with one pass begun, and closes it after the test.
func newStore(t testing.TB, o Options) *Store {
	t.Helper()
	s, err := Create(filepath.Join(t.TempDir(), "x.db"), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	beginPass(t, s)
	return s
}

func beginPass(t testing.TB, s *Store) int {
	t.Helper()
	n, err := s.BeginPass(exchange.Pass{Started: testStart, Source: "record", Start: exchange.StartFresh})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// newExchange makes an exchange that looks real; i makes it differ from others.
func newExchange(i int) *exchange.Exchange {
	body := fmt.Sprintf(`{"id":%d,"name":"item %d","createdAt":"2026-11-20T12:%02d:%02dZ","tags":["a","b","c"]}`, i, i, i/60%60, i%60)
	return &exchange.Exchange{
		Conn:    1,
		Target:  exchange.DefaultTarget,
		Scheme:  "http",
		Addr:    "127.0.0.1:8080",
		Start:   testStart.Add(time.Duration(i) * time.Millisecond),
		Latency: time.Millisecond,
		Request: exchange.ParseRequest(exchange.Message{
			Head: fmt.Appendf(nil, "GET /items/%d?verbose=true HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nAccept: */*\r\n\r\n", i),
		}),
		Response: exchange.ParseResponse(exchange.Message{
			Head: fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(body)),
			Body: []byte(body),
		}),
	}
}

func newObservation(seq uint64, text string) *exchange.Observation {
	return &exchange.Observation{
		Seq:     seq,
		Start:   testStart,
		Latency: time.Millisecond,
		Sent:    exchange.ParseRequest(exchange.Message{Head: fmt.Appendf(nil, "GET /items/%d HTTP/1.1\r\n\r\n", seq)}),
		Response: exchange.ParseResponse(exchange.Message{
			Head: []byte("HTTP/1.1 200 OK\r\n\r\n"), Body: []byte(text),
		}),
	}
}

func record(t testing.TB, s *Store, n int) {
	t.Helper()
	for i := range n {
		if err := s.Record(newExchange(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
}

// drawn returns a generator of exchanges of every kind, as far as the codec keeps them.
func drawnExchange() *rapid.Generator[*exchange.Exchange] {
	return rapid.Custom(func(t *rapid.T) *exchange.Exchange {
		e := &exchange.Exchange{
			Seq:      rapid.Uint64().Draw(t, "seq"),
			Pass:     rapid.IntRange(0, 1<<31-1).Draw(t, "pass"),
			Conn:     rapid.Uint64().Draw(t, "conn"),
			Sequence: rapid.String().Draw(t, "sequence"),
			Target:   rapid.String().Draw(t, "target"),
			Scheme:   rapid.SampledFrom([]string{"http", "https", ""}).Draw(t, "scheme"),
			Addr:     rapid.String().Draw(t, "addr"),
			Start:    drawTime(t),
			Latency:  time.Duration(rapid.Int64().Draw(t, "latency")),
			Request:  exchange.ParseRequest(drawMessage(t, "request")),
		}
		e.Response, e.Fault = drawOutcome(t)
		return e
	})
}

func drawTime(t *rapid.T) time.Time {
	if rapid.Bool().Draw(t, "zero time") {
		return time.Time{}
	}
	return time.Unix(rapid.Int64Range(-1<<40, 1<<40).Draw(t, "sec"), rapid.Int64Range(0, 999_999_999).Draw(t, "nsec")).UTC()
}

func drawMessage(t *rapid.T, what string) exchange.Message {
	head := rapid.OneOf(
		rapid.SliceOf(rapid.Byte()),
		rapid.SampledFrom([][]byte{
			[]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), []byte("HTTP/1.1 200 OK\r\nA: b\r\na: c\r\n\r\n"), nil,
		}),
	).Draw(t, what+" head")
	m := exchange.Message{
		Head:  head,
		Body:  rapid.SliceOf(rapid.Byte()).Draw(t, what+" body"),
		Plain: rapid.Bool().Draw(t, what+" plain"),
		Cut:   rapid.Int64().Draw(t, what+" cut"),
	}
	if rapid.Bool().Draw(t, what+" streams") {
		m.Trailer = rapid.SliceOfN(rapid.Byte(), 1, 9).Draw(t, what+" trailer")
		m.Tunnel = rapid.SliceOfN(rapid.Byte(), 1, 9).Draw(t, what+" tunnel")
		m.Marks = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) exchange.Mark {
			return exchange.Mark{End: rapid.Int64().Draw(t, "end"), At: time.Duration(rapid.Int64().Draw(t, "at"))}
		}), 1, 5).Draw(t, what+" marks")
	}
	if len(m.Head) == 0 {
		m.Head = nil
	}
	if len(m.Body) == 0 {
		m.Body = nil
	}
	return m
}

func drawOutcome(t *rapid.T) (*exchange.Response, *exchange.Fault) {
	if rapid.Bool().Draw(t, "fault") {
		f := &exchange.Fault{
			Kind: exchange.FaultKind(rapid.String().Draw(t, "kind")),
			Text: rapid.String().Draw(t, "text"),
			Seen: drawMessage(t, "seen"),
		}
		if rapid.Bool().Draw(t, "told") {
			f.Told = exchange.Message{Head: []byte("HTTP/1.1 502 Bad Gateway\r\n\r\n"), Body: []byte("flaketap: dial\n")}
		}
		return nil, f
	}
	r := exchange.ParseResponse(drawMessage(t, "response"))
	if interim := rapid.SliceOf(rapid.Byte()).Draw(t, "interim"); len(interim) > 0 {
		r.Interim = interim
	}
	return r, nil
}
