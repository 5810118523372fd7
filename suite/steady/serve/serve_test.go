package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/flaketap/flaketap/capture"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility/analysis"
)

func message(head, body string) exchange.Message {
	return exchange.Message{Head: []byte(strings.ReplaceAll(head, "\n", "\r\n") + "\r\n\r\n"), Body: []byte(body)}
}

func answered(body string) *exchange.Response {
	return exchange.ParseResponse(message(fmt.Sprintf("HTTP/1.1 200 OK\nContent-Type: application/json\nContent-Length: %d", len(body)), body))
}

// write makes a recording of one request to an API, with five runs: its token moves, its name does not.
func write(t *testing.T, api string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "flaketap.db")
	db, err := store.Create(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	_, err = db.BeginPass(exchange.Pass{Started: begin, Target: api, Source: "record", Label: "first"})
	check(err)
	request := exchange.ParseRequest(message("GET /a HTTP/1.1\nHost: api", ""))
	check(db.Record(&exchange.Exchange{Conn: 1, Target: exchange.DefaultTarget, Scheme: "http", Addr: strings.TrimPrefix(api, "http://"), Start: begin,
		Request: request, Response: answered(`{"name":"ann","draw":"4f2a9c01"}`)}))
	check(db.EndPass(begin.Add(time.Minute)))
	for i := range 5 {
		run := exchange.Run{Kind: exchange.RunReplay, Started: begin.Add(time.Duration(i+1) * time.Hour)}
		run.Ended = run.Started.Add(time.Minute)
		w, err := db.BeginRun(run)
		check(err)
		body := fmt.Sprintf(`{"name":"ann","draw":"%x"}`, 0x9e3779b1*uint32(i+1))
		check(w.Observe(&exchange.Observation{Seq: 1, Start: run.Started, Sent: request, Response: answered(body)}))
		check(w.Finish(run))
	}
	check(db.Close())
	return path
}

// serving serves an API to a client that asks it for /a once, and returns what that was answered, and what was said.
func serving(t *testing.T, api *httptest.Server, raw string) (answer, talk string) {
	t.Helper()
	return served(t, api.URL, Options{DB: write(t, api.URL), Raw: raw}, func(base string) string { return get(t, base+"/a") })
}

// served serves an API to a client, and returns what that returns, and what was said.
func served(t *testing.T, api string, o Options, client func(base string) string) (answer, talk string) {
	t.Helper()
	judged, err := analysis.Judge(o.DB, analysis.Options{Reveal: true})
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(api)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	ln.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var said buffer
	o.Options, o.Label, o.Judged = capture.Options{Listen: addr, Target: target, Console: &console.Console{Err: &said}}, "first", judged
	ended := make(chan error, 1)
	go func() {
		_, err := Run(ctx, o)
		ended <- err
	}()
	listening(t, addr)
	answer = client("http://" + addr)
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	return answer, said.String()
}

// listening returns once somebody listens.
func listening(t *testing.T, addr string) {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < 10*time.Second; time.Sleep(10 * time.Millisecond) {
		if c, err := net.Dial("tcp", addr); err == nil {
			c.Close()
			return
		}
	}
	t.Fatal("nobody listens")
}

// get asks once.
func get(t *testing.T, url string) string {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	return string(body)
}

// buffer is written to by one goroutine and read by another.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func answering(t *testing.T, body string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, body)
	}))
	t.Cleanup(s.Close)
	return s
}

// What moves is held still; a regression passes unchanged, and is listed.
func TestRun(t *testing.T) {
	answer, talk := serving(t, answering(t, `{"name":"ann","draw":"b7e15162"}`), "")
	if answer != `{"name":"ann","draw":"4f2a9c01"}` || !strings.Contains(talk, "1 request, 1 of them as recorded; 1 value held still (") {
		t.Errorf("answered %s\n%s", answer, talk)
	}
	raw := filepath.Join(t.TempDir(), "raw.jsonl")
	answer, talk = serving(t, answering(t, `{"name":"bob","draw":"b7e15162"}`), raw)
	if answer != `{"name":"bob","draw":"4f2a9c01"}` || !strings.Contains(talk, "1 value passed through unchanged:\nflaketap:   GET /a /body/name: ") {
		t.Errorf("answered %s\n%s", answer, talk)
	}
	if lines, err := os.ReadFile(raw); err != nil || !strings.HasPrefix(string(lines), `{"operation":"GET /a","exchange":1,"place":"/body/name","reason":`) {
		t.Errorf("%s, %v", lines, err)
	}
}

func TestRunRefuses(t *testing.T) {
	api := answering(t, "{}")
	db := write(t, api.URL)
	judged, err := analysis.Judge(db, analysis.Options{Reveal: true})
	if err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]Options{
		"must not be the recording": {DB: db, Judged: judged, Raw: db},
		`no pass has the label "x"`: {DB: db, Judged: judged, Label: "x"},
		"no such file":              {DB: filepath.Join(t.TempDir(), "none.db"), Judged: judged},
	} {
		if _, err := Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := openRawLog(filepath.Join(t.TempDir(), "none", "raw"), db); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// A read is held until there is what it asks for, through the whole of it: recorded, learned from replays, served.
func TestRunHolds(t *testing.T) {
	var asked atomic.Int32
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch n := asked.Add(1); {
		case r.Method == "POST":
			fmt.Fprint(w, `{"id":7}`)
		case n < 5:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error":"none"}`)
		default:
			fmt.Fprint(w, `{"state":"done"}`)
		}
	}))
	t.Cleanup(api.Close)
	db := slow(t, api.URL)
	for _, hold := range []bool{false, true} {
		asked.Store(0)
		o := Options{DB: db, Hold: hold}
		answer, talk := served(t, api.URL, o, func(base string) string {
			if res, err := http.Post(base+"/jobs", "application/json", strings.NewReader("{}")); err == nil {
				res.Body.Close()
			}
			return get(t, base+"/jobs/7")
		})
		want, told := `{"error":"none"}`, false
		if hold {
			want, told = `{"state":"done"}`, true
		}
		if answer != want || strings.Contains(talk, "1 read answered as in passing runs only because flaketap held it") != told {
			t.Errorf("with hold %t it is answered %s\n%s", hold, answer, talk)
		}
	}
	asked.Store(0)
	if _, talk := served(t, api.URL, Options{DB: write(t, api.URL), Hold: true}, func(base string) string { return get(t, base+"/a") }); !strings.Contains(talk, "no read in") {
		t.Errorf("nothing can be held, and that is not said:\n%s", talk)
	}
}

// missing is how a job is answered that is not there yet.
func missing() *exchange.Response {
	return exchange.ParseResponse(message("HTTP/1.1 404 Not Found\nContent-Type: application/json\nContent-Length: 16", `{"error":"none"}`))
}

// slow makes a recording of a job that is there when it is read, which five replays saw to be so after a while.
func slow(t *testing.T, api string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "flaketap.db")
	db, err := store.Create(path, store.Options{})
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(err)
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	_, err = db.BeginPass(exchange.Pass{Started: begin, Target: api, Source: "record", Label: "first"})
	check(err)
	addr := strings.TrimPrefix(api, "http://")
	requests := []exchange.Request{
		exchange.ParseRequest(message("POST /jobs HTTP/1.1\nHost: "+addr+"\nContent-Type: application/json\nContent-Length: 2", "{}")),
		exchange.ParseRequest(message("GET /jobs/7 HTTP/1.1\nHost: "+addr, "")),
	}
	for i, body := range []string{`{"id":7}`, `{"state":"done"}`} {
		check(db.Record(&exchange.Exchange{Conn: 1, Target: exchange.DefaultTarget, Scheme: "http", Addr: addr,
			Start: begin.Add(time.Duration(i) * time.Second), Request: requests[i], Response: answered(body)}))
	}
	check(db.EndPass(begin.Add(time.Minute)))
	for i := range 5 {
		run := exchange.Run{Kind: exchange.RunReplay, Started: begin.Add(time.Duration(i+1) * time.Hour)}
		run.Ended = run.Started.Add(time.Minute)
		w, err := db.BeginRun(run)
		check(err)
		check(w.Observe(&exchange.Observation{Seq: 1, Start: run.Started, Sent: requests[0], Response: answered(`{"id":7}`)}))
		check(w.Observe(&exchange.Observation{Seq: 2, Start: run.Started, Sent: requests[1], Response: missing(),
			Settling: &exchange.Settling{Settled: true, After: time.Duration(100+20*i) * time.Millisecond, Looks: 5}}))
		check(w.Finish(run))
	}
	check(db.Close())
	return path
}

// A job that was done when it was recorded, and that runs were told later of, is shown as what the API says it is now.
func TestJobIsShownAsItIs(t *testing.T) {
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	post, get1 := exchange.ParseRequest(message("POST /jobs HTTP/1.1\nHost: api", "")), exchange.ParseRequest(message("GET /jobs/7 HTTP/1.1\nHost: api", ""))
	for _, ended := range []string{"pending", "failed"} {
		for _, hold := range []bool{false, true} {
			api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprintf(w, `{"state":%q}`, ended)
			}))
			path := filepath.Join(t.TempDir(), "flaketap.db")
			db, err := store.Create(path, store.Options{})
			check := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			check(err)
			_, err = db.BeginPass(exchange.Pass{Started: begin, Target: api.URL, Source: "record", Label: "first"})
			check(err)
			for i, r := range []exchange.Request{post, get1} {
				check(db.Record(&exchange.Exchange{Conn: 1, Target: exchange.DefaultTarget, Scheme: "http", Addr: strings.TrimPrefix(api.URL, "http://"),
					Start: begin.Add(time.Duration(i) * time.Second), Request: r, Response: answered([]string{`{}`, `{"state":"done"}`}[i])}))
			}
			check(db.EndPass(begin.Add(time.Minute)))
			for i, state := range []string{"pending", "pending", "failed", "failed"} {
				run := exchange.Run{Kind: exchange.RunReplay, Started: begin.Add(time.Duration(i+1) * time.Hour)}
				run.Ended = run.Started.Add(time.Minute)
				w, err := db.BeginRun(run)
				check(err)
				check(w.Observe(&exchange.Observation{Seq: 1, Start: run.Started, Sent: post, Response: answered(`{}`)}))
				o := &exchange.Observation{Seq: 2, Start: run.Started.Add(time.Millisecond), Sent: get1, Response: answered(`{"state":"` + state + `"}`)}
				if state == "pending" {
					o.Settling = &exchange.Settling{Settled: true, After: 3 * time.Millisecond, Looks: 2}
				}
				check(w.Observe(o))
				check(w.Finish(run))
			}
			check(db.Close())
			answer, talk := served(t, api.URL, Options{DB: path, Hold: hold}, func(base string) string {
				res, err := http.Post(base+"/jobs", "application/json", nil)
				check(err)
				res.Body.Close()
				return get(t, base+"/jobs/7")
			})
			api.Close()
			if want := `{"state":"` + ended + `"}`; answer != want {
				t.Errorf("held %t: the client is answered %s, want %s\n%s", hold, answer, want, talk)
			}
		}
	}
}
