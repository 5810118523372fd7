//go:build linux && !race

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility/analysis"
)

// The bounds on a judgement of 100 000 exchanges in ten runs.
const (
	mostMapMemory = 256 << 10 // of anonymous memory, in KiB
	mostMapTime   = 60 * time.Second
)

// longSteps is how many exchanges a recording has that is judged where FLAKETAP_LONG is set, and judgedRuns how many runs.
const (
	longSteps  = 100_000
	judgedRuns = 10
)

func judgedSteps() int {
	if os.Getenv("FLAKETAP_LONG") != "" {
		return longSteps
	}
	return 2_000
}

// TestJudgeScale makes the map of a long recording with ten runs, as the command does it.
func TestJudgeScale(t *testing.T) {
	b, steps := newBench(t), judgedSteps()
	writeTraffic(t, filepath.Join(b.dir, "flaketap.db"), steps, judgedRuns)
	start := time.Now()
	p := b.run(nil, "map", "--out", "map.json")
	most := p.mostUntilOver()
	took := time.Since(start)
	p.exit(0)
	used := p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
	t.Logf("%d answers: %.1f s, %.1f s of processor time, %d KiB of anonymous memory", steps*(judgedRuns+1), took.Seconds(), used.Seconds(), most)
	if most == 0 || most > mostMapMemory {
		t.Errorf("the map took %d KiB, want %d at most", most, mostMapMemory)
	}
	if steps == longSteps && took > mostMapTime {
		t.Errorf("the map took %v, want %v at most", took, mostMapTime)
	}
	raw, err := os.ReadFile(filepath.Join(b.dir, "map.json"))
	if err != nil {
		t.Fatal(err)
	}
	var m struct{ Summary struct{ Jitter int } }
	if err := json.Unmarshal(raw, &m); err != nil || m.Summary.Jitter < 20 {
		t.Errorf("%d places jitter, %v", m.Summary.Jitter, err)
	}
}

// traffic is what an API of 30 operations answers, about 1 kB each: in its answers a clock, ids that it makes up, an id
// that later requests hold, lists of which some are shuffled, and much that never moves.
type traffic struct {
	step, run int
	at        time.Time
	random    *rand.Rand
}

// id is that of the thing which every tenth request makes, another in each run.
func (c *traffic) id() int { return 100_000 + c.step/10 + 1_000_000*c.run }

func (c *traffic) request() exchange.Request {
	line, body := fmt.Sprintf("GET /things/%d/part%d?page=1", c.id(), c.step%30), ""
	if c.step%10 == 0 {
		line, body = "POST /things", `{"name":"thing","qty":2}`
	}
	head := fmt.Sprintf("%s HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: python-requests/2.34.2\r\nAccept: */*\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n", line, len(body))
	return exchange.ParseRequest(exchange.Message{Head: []byte(head), Body: []byte(body)})
}

func (c *traffic) response() *exchange.Response {
	items := make([]string, 6)
	for i := range items {
		items[i] = fmt.Sprintf(`{"id":%d,"name":"article number %d","price":%d.99,"tags":["a","b"],"ok":true,"at":"2020-01-29T12:15:09Z"}`, i, i, 3*i)
	}
	if c.step%30 == 5 {
		c.random.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	}
	updated, uuid := "2025-11-12T13:14:15Z", "a3bb189e-8bf9-4888-9912-ace4e6543002"
	switch c.step % 3 {
	case 0:
		updated = c.at.Format("2006-01-02T15:04:05.000Z")
	case 1:
		uuid = fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", c.random.Uint32(), c.random.Uint32()>>16, c.random.Uint32()>>20, c.random.Uint32()>>20, c.random.Uint64()>>16)
	}
	body := fmt.Sprintf(`{"id":%d,"request":"%s","updated":"%s","owner":{"id":%d,"name":"Ada Lovelace","email":"user%d@example.org","active":true},"items":[%s],"note":"%s"}`,
		c.id(), uuid, updated, c.step%500, c.step%500, strings.Join(items, ","), strings.Repeat("leave it at the door. ", 8))
	status := "200 OK"
	if c.step%10 == 0 {
		status = "201 Created"
	}
	head := fmt.Sprintf("HTTP/1.1 %s\r\nDate: %s\r\nServer: uvicorn\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		status, c.at.Format("Mon, 02 Jan 2006 15:04:05 GMT"), len(body))
	return exchange.ParseResponse(exchange.Message{Head: []byte(head), Body: []byte(body)})
}

// writeTraffic writes a recording with runs.
func writeTraffic(t testing.TB, path string, steps, runs int) {
	db, err := store.Create(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	call := func(step, run int) *traffic {
		at := begin.Add(time.Duration(run)*time.Hour + time.Duration(step)*10*time.Millisecond)
		return &traffic{step, run, at, rand.New(rand.NewPCG(uint64(run), uint64(step)))}
	}
	if _, err := db.BeginPass(exchange.Pass{Started: begin, Target: "http://127.0.0.1:8080", Source: "record"}); err != nil {
		t.Fatal(err)
	}
	for i := range steps {
		c := call(i, 0)
		err := db.Record(&exchange.Exchange{
			Conn: 1, Target: exchange.DefaultTarget, Scheme: "http", Addr: "127.0.0.1:8080", Start: c.at, Latency: 5 * time.Millisecond,
			Request: c.request(), Response: c.response(),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := db.EndPass(begin.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	for r := 1; r <= runs; r++ {
		run := exchange.Run{Kind: exchange.RunReplay, Started: call(0, r).at, Conditions: exchange.Conditions{Start: exchange.StartReset}}
		w, err := db.BeginRun(run)
		if err != nil {
			t.Fatal(err)
		}
		for i := range steps {
			c := call(i, r)
			if err := w.Observe(&exchange.Observation{Seq: uint64(i + 1), Start: c.at, Latency: 5 * time.Millisecond, Sent: c.request(), Response: c.response()}); err != nil {
				t.Fatal(err)
			}
		}
		run.Ended = call(steps, r).at
		if err := w.Finish(run); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkMap judges a stored recording of 2 000 exchanges with ten runs.
func BenchmarkMap(b *testing.B) {
	const steps, runs = 2_000, 10
	path := filepath.Join(b.TempDir(), "long.db")
	writeTraffic(b, path, steps, runs)
	for b.Loop() {
		if _, err := analysis.Judge(path, analysis.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(steps*(runs+1)*b.N)/b.Elapsed().Seconds(), "answers/s")
}
