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
	db := write(t, api.URL)
	judged, err := analysis.Judge(db, analysis.Options{Reveal: true})
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(api.URL)
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
	ended := make(chan error, 1)
	go func() {
		_, err := Run(ctx, Options{Options: capture.Options{Listen: addr, Target: target, Console: &console.Console{Err: &said}}, DB: db, Label: "first",
			Judged: judged, Raw: raw})
		ended <- err
	}()
	answer = get(t, "http://"+addr+"/a")
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	return answer, said.String()
}

// get asks until somebody listens.
func get(t *testing.T, url string) string {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for begun := time.Now(); time.Since(begun) < 10*time.Second; time.Sleep(10 * time.Millisecond) {
		res, err := client.Get(url)
		if err != nil {
			continue
		}
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body)
		return string(body)
	}
	t.Fatal("nobody listens")
	return ""
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
