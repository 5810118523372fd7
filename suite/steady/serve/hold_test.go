package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/flaketap/flaketap/capture"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite/steady"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/waits/settle"
)

// reply is "200 Header: value {body}" with any number of headers.
func reply(text string) *exchange.Response {
	status, rest, _ := strings.Cut(text, " ")
	head, body := rest, ""
	if i := strings.Index(rest, "{"); i >= 0 {
		head, body = rest[:i], rest[i:]
	}
	lines := fmt.Sprintf("HTTP/1.1 %s X\nContent-Type: application/json\nContent-Length: %d", status, len(body))
	for _, h := range strings.Split(head, ";") {
		if h = strings.TrimSpace(h); h != "" {
			lines += "\n" + h
		}
	}
	return exchange.ParseResponse(message(lines, body))
}

// jobs is a recording of a job that is done when it is read, and what is known of that.
func jobs(t *testing.T, read string) *steady.Steady {
	t.Helper()
	recorded := []*exchange.Exchange{
		{Seq: 1, Pass: 1, Conn: 1, Request: exchange.ParseRequest(message("POST /jobs HTTP/1.1\nHost: api", "")), Response: reply(`202 {"id":7}`)},
		{Seq: 2, Pass: 1, Conn: 1, Request: exchange.ParseRequest(message(read, "")), Response: reply(`200 {"state":"done"}`)},
	}
	ops := map[uint64]exchange.Operation{1: {Method: "POST", Template: "/jobs"}, 2: {Method: recorded[1].Request.Method, Template: "/jobs/{id}"}}
	state := func(s string) settle.Value { return settle.Value{Place: "/body/state", JSON: s, Type: settle.String} }
	s, err := steady.New(iter.Seq2[*exchange.Exchange, error](func(yield func(*exchange.Exchange, error) bool) {
		for _, e := range recorded {
			if !yield(e, nil) {
				return
			}
		}
	}), steady.Options{
		Exchange:   func(seq uint64) (*exchange.Exchange, error) { return recorded[seq-1], nil },
		Operations: ops, Map: &mapfile.Map{}, Oracles: map[uint64]*settle.Oracle{2: {
			Status: 200, Values: []settle.Value{state(`"done"`)}, InVain: []settle.Value{state(`"failed"`)},
			Times: settle.Times{N: 10, Median: 200 * time.Millisecond, Longest: 400 * time.Millisecond},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// pass has a client ask, and be answered first so.
func pass(h *holder, request, first string) (shown string) {
	e := &exchange.Exchange{Conn: 1, Request: exchange.ParseRequest(message(request, ""))}
	h.Request(e)
	e.Response = reply(first)
	out := h.Response(e)
	if out == nil {
		out = append(reply(first).Head, reply(first).Body...)
	}
	_, body, _ := bytes.Cut(out, []byte("\r\n\r\n"))
	return strings.Fields(string(out))[1] + " " + string(body)
}

// A read is held until the API is ready, and for no longer than it may be; what passes is an answer of the API's.
func TestHold(t *testing.T) {
	const get, pending, done = "GET /jobs/7 HTTP/1.1\nHost: api", `200 {"state":"pending"}`, `200 {"state":"done"}`
	for _, tt := range []struct {
		name           string
		request, first string
		later          func(since time.Duration) string // "" for no answer
		want           string                           // what the client is answered
		outcome        outcome
		least, most    time.Duration
	}{
		{"ready at once", get, done, nil, done, "", 0, 0},
		{"ready later", get, pending, after(300*time.Millisecond, pending, done), done, ready, 300 * time.Millisecond, 340 * time.Millisecond},
		{"not found until then", get, `404 {}`, after(300*time.Millisecond, `404 {}`, done), done, ready, 300 * time.Millisecond, 340 * time.Millisecond},
		{"never", get, pending, after(time.Hour, pending, done), pending, capped, 2 * time.Second, 2 * time.Second},
		{"wrong for good", get, `200 {"state":"dome"}`, after(time.Hour, `200 {"state":"dome"}`, ``), `200 {"state":"dome"}`, capped, 2 * time.Second, 2 * time.Second},
		{"failed at once", get, `200 {"state":"failed"}`, nil, `200 {"state":"failed"}`, inVain, 0, 0},
		{"failed later", get, pending, after(300*time.Millisecond, pending, `200 {"state":"failed"}`), `200 {"state":"failed"}`, inVain, 300 * time.Millisecond, 340 * time.Millisecond},
		{"can be read once", get, pending, after(0, "", `410 {}`), pending, changed, 20 * time.Millisecond, 20 * time.Millisecond},
		{"refused until then", get, `403 {}`, after(300*time.Millisecond, `403 {}`, done), done, ready, 300 * time.Millisecond, 340 * time.Millisecond},
		{"asked again, it hangs", get, pending, after(0, "", "hangs"), pending, capped, 2 * time.Second, 2 * time.Second},
		{"limited at once", get, `429 Retry-After: 1 {}`, nil, `429 {}`, limited, 0, 0},
		{"limited for a while", get, pending, after(900*time.Millisecond, `429 Retry-After: 1 {}`, done), done, ready, 1020 * time.Millisecond, 1020 * time.Millisecond},
		{"limited for long", get, pending, after(time.Hour, `429 Retry-After: 100 {}`, done), pending, capped, 2 * time.Second, 2 * time.Second},
		{"limited without a word", get, pending, after(time.Hour, `429 {}`, done), pending, limited, 20 * time.Millisecond, 20 * time.Millisecond},
		{"few left", get, pending, after(time.Hour, `200 X-RateLimit-Remaining: 2 {"state":"pending"}`, ""), pending, limited, 20 * time.Millisecond, 20 * time.Millisecond},
		{"gone", get, pending, after(100*time.Millisecond, pending, ""), pending, failed, 100 * time.Millisecond, 140 * time.Millisecond},
		{"a part", get + "\nRange: bytes=0-1", pending, nil, pending, "", 0, 0},
		{"what has changed", get + "\nIf-None-Match: \"a\"", pending, nil, pending, "", 0, 0},
		{"another read", "GET /jobs HTTP/1.1\nHost: api", pending, nil, pending, "", 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				h := &holder{Steady: jobs(t, get), over: context.Background(), again: func(ctx context.Context, e *exchange.Exchange, raw []byte) (*exchange.Response, error) {
					if tt.later == nil || !bytes.HasPrefix(raw, []byte("GET /jobs/7 ")) {
						t.Errorf("asked again by %q", raw)
					}
					text := tt.later(time.Since(begun))
					switch text {
					case "":
						return nil, errors.New("gone")
					case "hangs":
						<-ctx.Done()
						return nil, ctx.Err()
					}
					return reply(text), nil
				}}
				got := pass(h, tt.request, tt.first)
				took := time.Since(begun)
				all, _ := h.holds()
				var last held
				if len(all) > 0 {
					last = all[0]
				}
				if got != tt.want || last.outcome != tt.outcome || took < tt.least || took > tt.most {
					t.Errorf("%s after %s (%q), want %s within %s to %s (%q)", got, took, last.outcome, tt.want, tt.least, tt.most, tt.outcome)
				}
			})
		})
	}
}

// after answers one thing before a time, and another from then on.
func after(d time.Duration, before, then string) func(time.Duration) string {
	return func(since time.Duration) string {
		if since < d {
			return before
		}
		return then
	}
}

// What can be sent once, or is limited, is not sent again, for a second request neither; a read whose query bears a secret
// that no other request has, or that asks for a part or for what has changed, is not sent again at all.
func TestHoldIsCareful(t *testing.T) {
	const get, pending = "GET /jobs/7 HTTP/1.1\nHost: api", `200 {"state":"pending"}`
	for _, tt := range []struct {
		read, second string
		asked        int
	}{
		{get, `403 {}`, 1}, {get, `429 {}`, 1}, {get, pending, 3 * 10},
		{"GET /jobs/7?token=4f2a9c01b7e1 HTTP/1.1\nHost: api", pending, 0},
		{get + "\nRange: bytes=0-1", pending, 0}, {get + "\nIf-None-Match: \"a\"", pending, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			asked := 0
			h := &holder{Steady: jobs(t, tt.read), over: context.Background(), again: func(context.Context, *exchange.Exchange, []byte) (*exchange.Response, error) {
				asked++
				return reply(tt.second), nil
			}}
			for range 3 {
				pass(h, tt.read, pending)
			}
			if asked != tt.asked && (tt.asked < 2 || asked < tt.asked) {
				t.Errorf("%q, answered %s then, is asked again %d times, want %d", tt.read, tt.second, asked, tt.asked)
			}
		})
	}
}

// The end of the session ends all holds.
func TestHoldEndsWithSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over, end := context.WithCancel(context.Background())
		const get = "GET /jobs/7 HTTP/1.1\nHost: api"
		h := &holder{Steady: jobs(t, get), over: over, again: func(context.Context, *exchange.Exchange, []byte) (*exchange.Response, error) {
			end()
			return reply(`200 {"state":"pending"}`), nil
		}}
		begun := time.Now()
		if got := pass(h, get, `200 {"state":"pending"}`); got != `200 {"state":"pending"}` || time.Since(begun) > 20*time.Millisecond {
			t.Errorf("%s after %s", got, time.Since(begun))
		}
	})
}

// The summary tells which reads were held, for how long, and why they passed.
func TestHeldIsTold(t *testing.T) {
	o := &settle.Oracle{Times: settle.Times{N: 10, Median: 180 * time.Millisecond, Longest: 400 * time.Millisecond}}
	job := steady.Awaited{Oracle: o, Operation: exchange.Operation{Method: "GET", Template: "/jobs/{id}"}, Seq: 3}
	h := &holder{}
	for _, k := range []held{
		{Awaited: job, outcome: ready, took: 212 * time.Millisecond, sequence: "job is done"},
		{Awaited: job, outcome: ready, took: 219 * time.Millisecond},
		{Awaited: job, outcome: inVain, word: settle.Value{Place: "/body/state", JSON: `"failed"`}},
		{Awaited: job, outcome: capped, took: 2 * time.Second},
		{Awaited: job, outcome: changed}, {Awaited: job, outcome: limited}, {Awaited: job, outcome: failed},
	} {
		h.note(k)
	}
	var b bytes.Buffer
	shower{}.sayHeld(told(&b), h)
	for _, want := range []string{
		"2 reads answered as in passing runs only because flaketap held them, for 431ms in all:\nflaketap:   GET /jobs/{id} (exchange 3): 219ms; " +
			"10 earlier reads took 180ms, at most 400ms\nflaketap:   GET /jobs/{id} of test job is done (exchange 3): 212ms;",
		"5 reads were held, and not answered as in passing runs even so:\nflaketap:   GET /jobs/{id} (exchange 3): 2s, the longest that it may be held\n",
		`0s, passed as /body/state is "failed", from which no read went on`,
		"passed as it was answered first", "passed as the API limits", "passed as the API did not answer",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}

// told are options whose console writes there.
func told(b *bytes.Buffer) Options {
	return Options{Options: capture.Options{Console: &console.Console{Err: b}}}
}

// Of many reads that were held, the first lines tell, and the number of the others.
func TestManyHeldAreTold(t *testing.T) {
	h := &holder{more: 3}
	for range maxListed + 2 {
		h.note(held{Awaited: steady.Awaited{Oracle: &settle.Oracle{}}, outcome: capped})
	}
	var b bytes.Buffer
	shower{}.sayHeld(told(&b), h)
	if n := strings.Count(b.String(), "the longest that it may be held"); n != maxListed || !strings.Contains(b.String(), "flaketap:   and 2 others\n") ||
		!strings.Contains(b.String(), "and 3 other reads that flaketap held\n") || strings.Contains(b.String(), "as in passing runs only") {
		t.Errorf("%d lines tell of reads:\n%s", n, b.String())
	}
}
