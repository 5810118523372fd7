//go:build linux && !race

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/store"
)

// mostReplayMemory is what a replay may take of anonymous memory, in KiB, however long the recording is.
const mostReplayMemory = 128 << 10

// TestReplayMemory replays a long recording in which nine of ten requests hold an id that a response gave.
func TestReplayMemory(t *testing.T) {
	steps := 30_000
	if os.Getenv("FLAKETAP_LONG") != "" {
		steps = 1_000_000
	}
	var made atomic.Int64
	made.Store(5_000_000)
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method == "POST" {
			w.WriteHeader(http.StatusCreated)
			fmt.Fprintf(w, `{"id":%d,"state":"new"}`, made.Add(1))
			return
		}
		if id, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/orders/")); id <= 5_000_000 {
			w.WriteHeader(http.StatusNotFound)
		}
		fmt.Fprint(w, `{"state":"new","lines":[{"sku":"a","qty":1},{"sku":"b","qty":2}],"total":19.99}`)
	}))
	defer api.Close()
	b := newBench(t)
	longRecording(t, filepath.Join(b.dir, "flaketap.db"), strings.TrimPrefix(api.URL, "http://"), steps)
	p := b.run(nil, "replay", "--workers", "4")
	most := 0
	for over := false; !over; {
		select {
		case <-p.over:
			over = true
		case <-time.After(5 * time.Millisecond):
			if kib, err := memory(p.cmd.Process.Pid); err == nil {
				most = max(most, kib)
			}
		}
	}
	p.exit(0)
	t.Logf("%d steps: %d KiB of anonymous memory", steps, most)
	if most == 0 || most > mostReplayMemory {
		t.Errorf("the replay took %d KiB, want %d at most", most, mostReplayMemory)
	}
	p.says(1, fmt.Sprintf("%d sent, %d answered with the recorded status", steps, steps))
}

// longRecording writes a recording of sequences with ten steps each: an order is made and read nine times.
func longRecording(t *testing.T, path, addr string, steps int) {
	db, err := store.Create(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if _, err := db.BeginPass(exchange.Pass{Started: start, Target: "http://" + addr, Source: "record"}); err != nil {
		t.Fatal(err)
	}
	request := func(line, body string) exchange.Request {
		head := fmt.Sprintf("%s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", line, addr, len(body))
		return exchange.ParseRequest(exchange.Message{Head: []byte(head), Body: []byte(body)})
	}
	response := func(line, body string) *exchange.Response {
		head := fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", line, len(body))
		return exchange.ParseResponse(exchange.Message{Head: []byte(head), Body: []byte(body)})
	}
	for i := range steps {
		id := 100_000 + i/10
		e := &exchange.Exchange{
			Conn: 1, Sequence: fmt.Sprint("case ", i/10), Target: exchange.DefaultTarget, Scheme: "http", Addr: addr,
			Start: start.Add(time.Duration(i) * time.Millisecond), Latency: time.Millisecond,
		}
		if i%10 == 0 {
			e.Request, e.Response = request("POST /orders", `{"qty":2}`), response("201 Created", fmt.Sprintf(`{"id":%d,"state":"new"}`, id))
		} else {
			e.Request = request(fmt.Sprintf("GET /orders/%d?view=%d", id, i%10), "")
			e.Response = response("200 OK", `{"state":"new","lines":[{"sku":"a","qty":1},{"sku":"b","qty":2}],"total":19.99}`)
		}
		if err := db.Record(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.EndPass(start.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
