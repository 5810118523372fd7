package recorded

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/store"
)

// Call is one exchange: a request, and what is answered to it in the recording, which is run 0, and in each run.
type Call struct {
	Sequence string
	Request  string // "GET /orders/7"
	Status   func(run int) int
	Body     func(run int) string
}

// Always answers with one status.
func Always(status int) func(int) int { return func(int) int { return status } }

// Write makes a recording of calls with some runs, each second of which was played under the condition delay=2h, and
// returns its path.
func Write(t testing.TB, all []Call, runs int) string {
	t.Helper()
	exchanges := make([]*exchange.Exchange, len(all))
	for i, c := range all {
		exchanges[i] = &exchange.Exchange{Sequence: c.Sequence, Request: requestOf(c), Response: responseOf(c, 0)}
	}
	db, begin := begun(t, exchanges)
	for r := 1; r <= runs; r++ {
		run := exchange.Run{Kind: exchange.RunReplay, Started: begin.Add(time.Duration(r) * time.Hour),
			Ended:      begin.Add(time.Duration(r)*time.Hour + time.Minute),
			Conditions: exchange.Conditions{Start: exchange.StartReset}}
		if r%2 == 0 {
			run.Conditions.Perturb = []string{"delay=2h"}
		}
		w, err := db.BeginRun(run)
		check(t, err)
		for i, c := range all {
			check(t, w.Observe(&exchange.Observation{Seq: uint64(i + 1),
				Start: run.Started.Add(time.Duration(i) * time.Millisecond), Latency: time.Millisecond,
				Sent: requestOf(c), Response: responseOf(c, r)}))
		}
		run.Steps = len(all)
		check(t, w.Finish(run))
	}
	check(t, db.Close())
	return db.Path()
}

// Exchanges makes a recording of exchanges without runs, and returns its path. Of an exchange the request, the response
// and the sequence are to be given.
func Exchanges(t testing.TB, all []*exchange.Exchange) string {
	t.Helper()
	db, _ := begun(t, all)
	check(t, db.Close())
	return db.Path()
}

// begun makes a recording of exchanges that can be gone on with, and returns when it began, too.
func begun(t testing.TB, all []*exchange.Exchange) (*store.Store, time.Time) {
	t.Helper()
	db, err := store.Create(filepath.Join(t.TempDir(), "flaketap.db"), store.Options{})
	check(t, err)
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	_, err = db.BeginPass(exchange.Pass{Started: begin, Target: "http://127.0.0.1:8080", Source: "record"})
	check(t, err)
	for i, e := range all {
		e.Conn, e.Target, e.Scheme, e.Addr = 1, exchange.DefaultTarget, "http", "127.0.0.1:8080"
		e.Start, e.Latency = begin.Add(time.Duration(i)*20*time.Millisecond), 5*time.Millisecond
		check(t, db.Record(e))
	}
	check(t, db.EndPass(begin.Add(time.Minute)))
	return db, begin
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func requestOf(c Call) exchange.Request {
	return exchange.ParseRequest(exchange.Message{Head: fmt.Appendf(nil, "%s HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n", c.Request)})
}

func responseOf(c Call, run int) *exchange.Response {
	body := c.Body(run)
	head := fmt.Sprintf("HTTP/1.1 %d Some\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", c.Status(run), len(body))
	return exchange.ParseResponse(exchange.Message{Head: []byte(head), Body: []byte(body)})
}

// Wide are calls of which a number of operations answer with a number of members that move, each called otherwise.
func Wide(operations, members int) []Call {
	var out []Call
	for i := range operations {
		out = append(out, Call{Sequence: fmt.Sprintf("case-%d", i/5), Request: fmt.Sprintf("GET /service%d/resource%d", i/20, i), Status: Always(200),
			Body: func(run int) string {
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

// Shop are calls of a few sequences: an order is made and read, a list is shuffled, a read fails in some runs.
func Shop() []Call {
	id := func(run int) string { return fmt.Sprintf("0a1b2c3d-4e5f-4a6b-8c7d-%012d", 7_300_419+run*104_729) }
	list := [][]string{{`"ink"`, `"pen"`, `"pad"`}, {`"pad"`, `"ink"`, `"pen"`}, {`"pen"`, `"pad"`, `"ink"`}}
	return []Call{
		{"orders", "POST /orders", Always(201), func(run int) string { return fmt.Sprintf(`{"orderId":%q,"total":12}`, id(run)) }},
		{"orders", "GET /orders/" + id(0), Always(200), func(run int) string {
			return fmt.Sprintf(`{"orderId":%q,"state":"new","at":"2026-01-02T%02d:04:05Z"}`, id(run), 3+run)
		}},
		{"lists", "GET /tags", Always(200), func(run int) string { return `{"tags":[` + strings.Join(list[run%3], ",") + `]}` }},
		{"reads", "GET /stock", func(run int) int {
			if run == 2 {
				return 503
			}
			return 200
		}, func(run int) string { return `{"left":4}` }},
		{"steady", "GET /version", Always(200), func(run int) string { return `{"version":"1.2"}` }},
	}
}
