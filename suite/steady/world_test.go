package steady_test

import (
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/suite/steady"
	"github.com/flaketap/flaketap/volatility"
	"github.com/flaketap/flaketap/waits/settle"
)

// world is an API in words: what it answers to the n-th request of a client in some run, at some time. Run 0 is recorded, the runs
// from 1 on are learned from, and the last is live.
type world struct {
	requests []string
	answer   func(run, n int, at time.Time) string
	// settling says what became of a read when it was asked again; nil where none was
	settling func(run, n int) *exchange.Settling
}

// runs is how many runs there are to learn from.
const runs = 24

// began is when a run begins.
func began(run int) time.Time {
	return time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC).Add(time.Duration(run) * 25 * time.Hour * 17 / 16)
}

// message splits a text into head and body. Lines of the head end in \n in it, and lengths are made up for.
func message(text string) exchange.Message {
	head, body, _ := strings.Cut(text, "\n\n")
	head = strings.ReplaceAll(head, "\n", "\r\n")
	if !strings.Contains(head, "Transfer-Encoding") && body != "" && !strings.Contains(head, "Content-Length") {
		head += fmt.Sprintf("\r\nContent-Length: %d", len(body))
	}
	return exchange.Message{Head: []byte(head + "\r\n\r\n"), Body: []byte(body)}
}

func (w world) request(n int) exchange.Request { return exchange.ParseRequest(message(w.requests[n])) }

func (w world) exchange(run, n int) *exchange.Exchange {
	at := began(run).Add(time.Duration(n) * time.Second)
	return &exchange.Exchange{
		Seq: uint64(n + 1), Pass: 1, Conn: 1, Target: "default", Scheme: "http", Addr: "api.example:80", Start: at, Latency: time.Millisecond,
		Request: w.request(n), Response: exchange.ParseResponse(message(w.answer(run, n, at))),
	}
}

// learned returns a Steady that knows the recording and the runs, and where it lists what passed as it is.
func (w world) learned(t testing.TB, change ...func(*steady.Options)) (*steady.Steady, *[]string) {
	t.Helper()
	var recorded []*exchange.Exchange
	var list []exchange.Run
	for run := 1; run <= runs; run++ {
		list = append(list, exchange.Run{Number: run, Kind: exchange.RunReplay, Started: began(run), Ended: began(run).Add(time.Minute),
			Conditions: exchange.Conditions{Start: exchange.StartFresh}})
	}
	var steps []exchange.Step
	for n := range w.requests {
		e := w.exchange(0, n)
		recorded = append(recorded, e)
		step := exchange.Step{Exchange: e}
		for run := 1; run <= runs; run++ {
			o := w.exchange(run, n)
			seen := &exchange.Observation{Run: run, Seq: e.Seq, Start: o.Start, Latency: o.Latency, Sent: o.Request, Response: o.Response}
			if w.settling != nil {
				seen.Settling = w.settling(run, n)
			}
			step.Observations = append(step.Observations, seen)
		}
		steps = append(steps, step)
	}
	bindings := flow.Bindings(recorded)
	operations := flow.Operations(recorded, bindings)
	rec := exchange.Recording{Count: uint64(len(recorded)), Started: began(0)}
	m, err := volatility.Judge(rec, list, func(yield func(exchange.Step, error) bool) {
		for _, s := range steps {
			if !yield(s, nil) {
				return
			}
		}
	}, operations, bindings, volatility.Options{Redactor: exchange.Redactor{Reveal: true}})
	if err != nil {
		t.Fatal(err)
	}
	waits := settle.New(operations)
	for _, s := range steps {
		waits.Add(s)
	}
	raw := &[]string{}
	o := steady.Options{
		Exchange:   func(seq uint64) (*exchange.Exchange, error) { return recorded[seq-1], nil },
		Operations: operations, Bindings: bindings, Map: m, Stages: waits.Stages(),
		Raw: func(r steady.Raw) { *raw = append(*raw, fmt.Sprintf("%s: %s", r.Place, r.Reason)) },
	}
	for _, f := range change {
		f(&o)
	}
	s, err := steady.New(sequence(recorded), o)
	if err != nil {
		t.Fatal(err)
	}
	return s, raw
}

func sequence(all []*exchange.Exchange) iter.Seq2[*exchange.Exchange, error] {
	return func(yield func(*exchange.Exchange, error) bool) {
		for _, e := range all {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// live is the run that is held still.
const live = runs + 40

// say sends a request through, and returns what the API gets and, of what it answers, what the client sees.
func say(s *steady.Steady, request string, answer string) (sent, shown string) {
	e := &exchange.Exchange{Conn: 9, Target: "default", Scheme: "http", Addr: "api.example:80", Start: began(live),
		Request: exchange.ParseRequest(message(request))}
	out := s.Request(e)
	if out == nil {
		out = append(e.Request.Head, e.Request.Body...)
	}
	e.Response = exchange.ParseResponse(message(answer))
	back := s.Response(e)
	if back == nil {
		back = append(e.Response.Head, e.Response.Body...)
	}
	return string(out), string(back)
}

// onWire writes a message as it stands on the wire.
func onWire(text string) string {
	m := message(text)
	return string(m.Head) + string(m.Body)
}

// uuid makes up an id.
func uuid(a, b int) string {
	return fmt.Sprintf("%08x-57c1-4b5e-9%03x-%012x", 0x9e3779b9*uint32(a+1), a, b*7919+a*104729)
}

// stamp writes a time as APIs do.
func stamp(at time.Time) string { return at.Format("2006-01-02T15:04:05.000Z") }
