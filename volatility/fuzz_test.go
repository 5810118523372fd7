package volatility

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// FuzzJudge: whatever bytes an API answers with, or is asked with, the judgement comes to an end, the same each time, and
// its map can be written and read again.
func FuzzJudge(f *testing.F) {
	for _, s := range []struct{ kind, a, b string }{
		{"application/json", `{"a":[1,2,{"b":null}],"t":"2026-01-29T05:15:09Z"}`, `{"a":[2,1],"t":"2026-01-29T05:16:39Z"}`},
		{"application/json", `[{"id":1,"v":"x"},{"id":2}]`, `[{"id":2},{"id":1,"v":"y"}]`},
		{"application/json", `{"a":1,"a":2,"":{"*":1,"~/":1e400}}`, `{"":{"~2":-0.0}}`},
		{"application/json", `"\ud800"`, "[[[[]]]]"},
		{"application/json", `{"jwt":"eyJhbGciOiJub25lIn0.eyJpYXQiOjE3Njk2NjM3MDl9.","in":"{\"n\":1}"}`, `{"jwt":"eyJhbGciOiJub25lIn0.eyJpYXQiOjE3Njk2NjM3OTl9.","in":"{\"n\":2}"}`},
		{"application/json", `[1,`, `{"a" 1}`},
		{"application/x-ndjson", "{\"a\":1}\n{\"a\":2}\n", "{\"a\":2}\n{\"a\":3}\n\n"},
		{"application/xml", `<?xml version="1.0"?><a b="1"><c/>x</a>`, `<a b="2"><c/><c/>y</a>`},
		{"text/html", "<p id=1>at 05:15:09<br>", "<p id=2>at 05:16:39<br>"},
		{"application/x-www-form-urlencoded", "a=1&b=%zz", "a=2&b=%41"},
		{"multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--x--", "--x\r\n\r\n2\r\n--x--"},
		{"text/plain", "error in com.x.Foo@72c11c70 (thread-12) line 33", "error in com.x.Foo@1b2c3d4e (thread-3) line 33"},
		{"application/octet-stream", "\x00\xff\x1f\x8b", "\x00\xfe\x1f"},
	} {
		head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: %s\r\nSet-Cookie: a=1; Expires=Thu, 29 Jan 2026 05:15:09 GMT\r\nSet-Cookie: b=2\r\n\r\n", s.kind)
		f.Add([]byte("GET /a/1?q=x HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n"), []byte(head), []byte(head), []byte(s.a), []byte(s.b), []byte(s.a), uint16(0))
		f.Add([]byte("POST /a HTTP/1.1\r\n\r\n"), []byte(head), []byte("HTTP/1.1 500\n\n"), []byte(s.b), []byte(s.b), []byte(s.a), uint16(0xffff))
	}
	f.Fuzz(func(t *testing.T, asked, recorded, again, a, b, c []byte, how uint16) {
		j := fuzzed{asked, recorded, again, [3][]byte{a, b, c}, how}
		first := encode(t, j.judge(t), true)
		if again := encode(t, j.judge(t), true); !bytes.Equal(first, again) {
			t.Fatalf("the same input gives another map:\n%s\n%s", first, again)
		}
		// Bytes that are no UTF-8, in a method or a key, are replaced when they are written: the second file stays as it is.
		m := decoded(t, first)
		second := encode(t, m, true)
		if third := encode(t, decoded(t, second), true); !bytes.Equal(second, third) {
			t.Fatalf("what was read is written otherwise:\n%s\n%s", second, third)
		}
		for _, o := range m.Operations {
			for _, x := range o.Fields {
				if o.At(x.Place) == nil {
					t.Fatalf("field %s is not found", x.Place)
				}
			}
		}
	})
}

func decoded(t *testing.T, written []byte) *mapfile.Map {
	t.Helper()
	m, err := mapfile.Decode(bytes.NewReader(written))
	if err != nil {
		t.Fatalf("what was written cannot be read: %v\n%s", err, written)
	}
	return m
}

// fuzzed is a recording of three steps with three runs, made of arbitrary bytes. The bits of how say what else varies:
// what fails, what state the runs began in, whether requests hold the bodies.
type fuzzed struct {
	asked, recorded, again []byte
	bodies                 [3][]byte
	how                    uint16
}

func (z fuzzed) bit(n int) bool { return z.how>>n&1 == 1 }

func (z fuzzed) request(step, run int) exchange.Request {
	m := exchange.Message{Head: z.asked, Plain: true}
	if z.bit(0) {
		m.Body = z.bodies[(step+run*int(z.how>>1&1))%3]
	}
	return exchange.ParseRequest(m)
}

// answer returns what a step answers in a run, 0 being the recording: the bodies rotate from step to step, so that each
// is held against the others.
func (z fuzzed) answer(step, run int) (*exchange.Response, *exchange.Fault) {
	if z.bit(2) && (step+run)%3 == 2 {
		return nil, &exchange.Fault{Kind: exchange.FaultReset, Text: string(z.bodies[step])}
	}
	head := z.recorded
	if run > 0 && (step+run)%2 == 0 {
		head = z.again
	}
	if z.bit(3) {
		head = slices.Concat([]byte("HTTP/1.1 200 OK\r\n"), head, []byte("\r\n\r\n"))
	}
	return exchange.ParseResponse(exchange.Message{Head: head, Body: z.bodies[(step+run)%3], Plain: !z.bit(4)}), nil
}

func (z fuzzed) at(step, run int) time.Time {
	if z.bit(5) {
		return time.Time{}
	}
	return moment0.Add(time.Duration(run)*90*time.Second + time.Duration(step)*time.Second)
}

func (z fuzzed) judge(t *testing.T) *mapfile.Map {
	t.Helper()
	var runs []exchange.Run
	for n := 1; n <= 3; n++ {
		run := exchange.Run{Number: n, Kind: exchange.RunReplay, Started: z.at(0, n), Conditions: exchange.Conditions{Start: exchange.StartFresh}}
		if z.bit(6) {
			run.Kind = []exchange.RunKind{exchange.RunClient, exchange.RunImport, exchange.RunRepeat}[n-1]
		}
		if z.bit(7) {
			run.Conditions.Start = exchange.StartContinued
		}
		if z.bit(8) && n == 3 {
			run.Conditions.Perturb = []string{[]string{"delay", "double", "order", "tz=UTC", "clock", "restart", "language=de", "user"}[z.how>>11&7]}
		}
		runs = append(runs, run)
	}
	if z.bit(9) {
		runs = runs[:1]
	}
	operations := map[uint64]exchange.Operation{1: {Method: "GET", Template: "/a/{id}"}, 2: {Method: "GET", Template: "/a/{id}"}}
	bindings := []exchange.Binding{{Name: "id", Value: "1", Producer: exchange.Ref{Seq: 1, Place: "/body/id"}, Uses: []exchange.Ref{{Seq: 2, Place: "/path/1"}}}}
	rec := exchange.Recording{Started: moment0, Count: 3, Passes: []exchange.Pass{{Number: 1, Started: z.at(0, 0), Start: exchange.StartFresh}}}
	m, err := Judge(rec, runs, z.steps(len(runs)), operations, bindings, Options{Environment: []string{"build-host", "/tmp"}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (z fuzzed) steps(runs int) iter.Seq2[exchange.Step, error] {
	return func(yield func(exchange.Step, error) bool) {
		for s := range 3 {
			e := &exchange.Exchange{Seq: uint64(s + 1), Pass: 1, Addr: "127.0.0.1:8080", Start: z.at(s, 0), Latency: time.Millisecond, Request: z.request(s, 0)}
			e.Response, e.Fault = z.answer(s, 0)
			step := exchange.Step{Exchange: e}
			for run := 1; run <= runs; run++ {
				o := &exchange.Observation{Run: run, Seq: e.Seq, Start: z.at(s, run), Latency: time.Millisecond, Sent: z.request(s, run)}
				o.Response, o.Fault = z.answer(s, run)
				step.Observations = append(step.Observations, o)
				if z.bit(10) {
					twin := *o
					twin.Response, twin.Fault = z.answer(s+1, run)
					step.Observations = append(step.Observations, &twin)
				}
			}
			if !yield(step, nil) {
				return
			}
		}
	}
}
