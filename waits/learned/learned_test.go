package learned_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/waits/learned"
	"github.com/flaketap/flaketap/waits/read"
)

const (
	missing = `404 {"error":"none"}`
	pending = `200 {"id":7,"state":"pending","total":null}`
	done    = `200 {"id":7,"state":"done","total":42}`
)

func answer(text string) *exchange.Response {
	status, body, _ := strings.Cut(text, " ")
	head := fmt.Sprintf("HTTP/1.1 %s X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", status, len(body))
	return exchange.ParseResponse(exchange.Message{Head: []byte(head), Body: []byte(body)})
}

// recording is one of a test that reads a menu, makes a job and reads it, and of so many replays, in which it was read early and asked
// again until it was done: the first after 201 ms, the next after 202 ms.
func recording(target string, runs int) suite.Source {
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	body := `{"of":"tea"}`
	exchanges := []*exchange.Exchange{
		{Seq: 1, Pass: 1, Scheme: "http", Addr: "a:1", Start: begin.Add(-time.Second), Response: answer(`200 {"of":"tea"}`), Request: exchange.ParseRequest(exchange.Message{
			Head: []byte("GET /menu HTTP/1.1\r\nHost: a:1\r\n\r\n")})},
		{Seq: 2, Pass: 1, Scheme: "http", Addr: "a:1", Start: begin, Response: answer(`202 {"id":7}`), Request: exchange.ParseRequest(exchange.Message{Body: []byte(body),
			Head: []byte("POST /jobs HTTP/1.1\r\nHost: a:1\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n")})},
		{Seq: 3, Pass: 1, Scheme: "http", Addr: "a:1", Start: begin.Add(500 * time.Millisecond), Response: answer(done), Request: exchange.ParseRequest(exchange.Message{
			Head: []byte("GET " + target + " HTTP/1.1\r\nHost: a:1\r\n\r\n")})},
	}
	steps := []exchange.Step{{Exchange: exchanges[0]}, {Exchange: exchanges[1]}, {Exchange: exchanges[2]}}
	for i := 1; i <= runs; i++ {
		at := begin.Add(time.Duration(i) * time.Minute)
		steps[1].Observations = append(steps[1].Observations, &exchange.Observation{Run: i, Seq: 2, Start: at, Sent: exchanges[1].Request, Response: answer(`202 {"id":7}`)})
		steps[2].Observations = append(steps[2].Observations, &exchange.Observation{Run: i, Seq: 3, Start: at, Sent: exchanges[2].Request, Response: answer(pending),
			Settling: &exchange.Settling{Settled: true, Looks: 9, After: time.Duration(200+i) * time.Millisecond}})
	}
	return suite.Source{Steps: steps, Operations: map[uint64]exchange.Operation{1: {Method: "GET", Template: "/menu"}, 2: {Method: "POST", Template: "/jobs"}, 3: {Method: "GET", Template: "/jobs/{id}"}}}
}

// of is what is known of the first sleep of a text.
func of(t *testing.T, name, text string, src suite.Source) learned.Sleep {
	t.Helper()
	for _, w := range read.Parse(name, []byte(text)).Waits {
		if w.Kind == read.Sleep {
			return learned.Of(name, []byte(text), w, src, func(string) (string, bool) { return "", false })
		}
	}
	t.Fatal("there is no sleep")
	return learned.Sleep{}
}

const head = "\ufeffimport time\n\nimport requests\n\nBASE = \"http://a:1\"\n\n\n" +
	"def test_job():\n    requests.get(f\"{BASE}/menu\")\n    made = requests.post(f\"{BASE}/jobs\", json={\"of\": \"tea\"})\n"

const (
	sleeps  = "    time.sleep(0.2)\n"
	reads   = "    job = requests.get(f\"{BASE}/jobs/{made.json()['id']}\")\n"
	asserts = "    assert job.json()[\"state\"] == \"done\"\n"
)

// A sleep is for the read behind it: how long that took is known, and it is asked again in the sleep's place, if that
// can be written; the rest of the file stays.
func TestBehind(t *testing.T) {
	for _, tt := range []struct{ name, body, unpolled string }{
		{"alone", sleeps + reads + asserts, ""},
		{"beside something else", "    time.sleep(0.2); print(made)\n" + reads + asserts, "a line of its own"},
		{"in a loop", "    for _ in range(2):\n    " + sleeps + "    " + reads + "    " + asserts, "loop"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := of(t, "test_a.py", head+tt.body, recording("/jobs/7", 30))
			if got.Untold != "" || got.Operation.String() != "GET /jobs/{id}" || got.Times.N < 30 || got.Times.Longest != 230*time.Millisecond || got.Line == 0 {
				t.Fatalf("%+v", got)
			}
			polled := string(got.Polling)
			if tt.unpolled != "" {
				if polled != "" || !strings.Contains(got.Unpolled, tt.unpolled) {
					t.Errorf("%q\n%s", got.Unpolled, polled)
				}
				return
			}
			if !strings.HasPrefix(polled, "\ufeffimport time\n") || strings.Contains(polled, "time.sleep(0.2)") || !strings.HasSuffix(polled, asserts) ||
				!strings.Contains(polled, "    job = poll(\n        lambda: requests.get(f\"{BASE}/jobs/{made.json()['id']}\"),\n") {
				t.Errorf("%q\n%s", got.Unpolled, polled)
			}
		})
	}
}

// Where the text does not tell which read a sleep is for, it is that of the only operation that is ready later; and what
// nobody has seen is said.
func TestUntold(t *testing.T) {
	elsewhere := "import time\n\n\ndef settle():\n    time.sleep(0.2)\n"
	if got := of(t, "test_a.py", elsewhere, recording("/jobs/7", 30)); got.Times.N < 30 || got.Line != 0 || got.Polling != nil || got.Unpolled == "" {
		t.Errorf("%+v", got)
	}
	before := strings.Replace(head, "    made =", sleeps+"    made =", 1) // a write is nothing that a sleep waits for
	if got := of(t, "test_a.py", before+reads+asserts, recording("/jobs/7", 30)); got.Times.N < 30 || got.Line != 0 || got.Untold != "" {
		t.Errorf("%+v", got)
	}
	src := recording("/jobs/7", 30)
	two := append(src.Steps, recording("/jobs/7", 30).Steps...)
	for i, s := range two[3:] {
		s.Exchange.Seq = uint64(4 + i)
		s.Exchange.Start = s.Exchange.Start.Add(time.Second)
	}
	src.Steps, src.Operations[6] = two, exchange.Operation{Method: "GET", Template: "/others/{id}"}
	if got := of(t, "test_a.py", elsewhere, src); !strings.Contains(got.Untold, "GET /jobs/{id}, GET /others/{id}") {
		t.Errorf("%+v", got)
	}
	if got := of(t, "test_a.py", head+sleeps+reads+asserts, recording("/jobs/7", 0)); !strings.Contains(got.Untold, "flaketap replay --runs 100 --settle 5s") {
		t.Errorf("%+v", got)
	}
	if got := of(t, "test_a.py", head+sleeps+reads+asserts, recording("/jobs/7?token=hush-hush", 30)); got.Polling != nil {
		t.Errorf("%+v", got)
	}
}
