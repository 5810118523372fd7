package page

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/store"
)

// answered is one exchange: a request, and what was answered in the recording and in each run.
type answered struct {
	sequence string
	request  string // "GET /orders/7"
	status   func(run int) int
	body     func(run int) string
}

// always answers with one status.
func always(status int) func(int) int { return func(int) int { return status } }

// record makes a recording of exchanges with some runs, of which each second one came two hours later.
func record(t testing.TB, all []answered, runs int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "flaketap.db")
	db, err := store.Create(path, store.Options{})
	check(t, err)
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	_, err = db.BeginPass(exchange.Pass{Started: begin, Target: "http://127.0.0.1:8080", Source: "record"})
	check(t, err)
	for i, c := range all {
		check(t, db.Record(&exchange.Exchange{Conn: 1, Sequence: c.sequence, Target: exchange.DefaultTarget, Scheme: "http",
			Addr: "127.0.0.1:8080", Start: begin.Add(time.Duration(i) * 20 * time.Millisecond), Latency: 5 * time.Millisecond,
			Request: requestOf(c), Response: responseOf(c, 0)}))
	}
	check(t, db.EndPass(begin.Add(time.Minute)))
	for r := 1; r <= runs; r++ {
		run := exchange.Run{Kind: exchange.RunReplay, Started: begin.Add(time.Duration(r) * time.Hour),
			Ended: begin.Add(time.Duration(r)*time.Hour + time.Minute), Conditions: exchange.Conditions{Start: exchange.StartReset}}
		if r%2 == 0 {
			run.Conditions.Perturb = []string{"delay=2h"}
		}
		w, err := db.BeginRun(run)
		check(t, err)
		for i, c := range all {
			check(t, w.Observe(&exchange.Observation{Seq: uint64(i + 1), Start: run.Started.Add(time.Duration(i) * time.Millisecond),
				Latency: time.Millisecond, Sent: requestOf(c), Response: responseOf(c, r)}))
		}
		run.Steps = len(all)
		check(t, w.Finish(run))
	}
	check(t, db.Close())
	return path
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func requestOf(c answered) exchange.Request {
	return exchange.ParseRequest(exchange.Message{Head: fmt.Appendf(nil, "%s HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n", c.request)})
}

func responseOf(c answered, run int) *exchange.Response {
	body := c.body(run)
	head := fmt.Sprintf("HTTP/1.1 %d Some\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", c.status(run), len(body))
	return exchange.ParseResponse(exchange.Message{Head: []byte(head), Body: []byte(body)})
}

// wide is a recording in which a number of operations answer with a number of members that move.
func wide(operations, members int) []answered {
	var out []answered
	for i := range operations {
		out = append(out, answered{sequence: fmt.Sprintf("case-%d", i/5), request: fmt.Sprintf("GET /service%d/resource%d", i/20, i), status: always(200),
			body: func(run int) string {
				var parts []string
				for m := range members {
					value := fmt.Sprintf("%q", fmt.Sprintf("%08x-%04x-4%03x-9abc-%012x", (run+1)*2654435761*(m+1)%(1<<32), i, m, run*7919+m*i+104729))
					if m%3 == 0 {
						value = fmt.Sprint(1_000_000 + (run+3)*(i+7)*(m+11)*7919%999_983)
					}
					parts = append(parts, fmt.Sprintf("%q:%s", fmt.Sprintf("member%dOf%d", m, i), value))
				}
				return `{"data":{` + strings.Join(parts, ",") + `}}`
			}})
	}
	return out
}
