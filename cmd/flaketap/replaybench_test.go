package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/store"
)

// orderAPI makes orders with ids beyond 5 000 000 and answers for those alone.
func orderAPI(t testing.TB) *httptest.Server {
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
	t.Cleanup(api.Close)
	return api
}

// BenchmarkReplay runs the command, from the reading of the recording to the last of five stored runs, nine of ten requests
// with a bound value, beside a bare Go client that sends the same requests and stores nothing: one after the other, and
// eight at once.
func BenchmarkReplay(b *testing.B) {
	const steps, runs = 10_000, 5
	api := orderAPI(b)
	path := filepath.Join(b.TempDir(), "long.db")
	longRecording(b, path, strings.TrimPrefix(api.URL, "http://"), steps)
	s, err := store.OpenReadOnly(path)
	if err != nil {
		b.Fatal(err)
	}
	var all []*exchange.Exchange
	for e, err := range s.Exchanges() {
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, e)
	}
	s.Close()
	rate := func(b *testing.B) { b.ReportMetric(float64(b.N*runs*steps)/b.Elapsed().Seconds(), "requests/s") }
	for _, workers := range []int{1, 8} {
		b.Run(fmt.Sprintf("flaketap-%d", workers), func(b *testing.B) {
			recording, err := os.ReadFile(path)
			if err != nil {
				b.Fatal(err)
			}
			for range b.N {
				b.StopTimer()
				db := filepath.Join(b.TempDir(), "again.db") // without the runs of the round before
				if err := os.WriteFile(db, recording, 0o600); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				var said bytes.Buffer
				code := run(context.Background(), []string{"flaketap", "replay", "--db", db, "--runs", strconv.Itoa(runs), "--workers", strconv.Itoa(workers)}, streams{io.Discard, &said})
				if want := fmt.Sprintf("%d answered with the recorded status", steps); code != 0 || strings.Count(said.String(), want) != runs {
					b.Fatal(said.String())
				}
			}
			rate(b)
		})
		b.Run(fmt.Sprintf("net-http-%d", workers), func(b *testing.B) {
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: workers}}
			defer client.CloseIdleConnections()
			for range b.N * runs {
				bare(b, client, all, workers)
			}
			rate(b)
		})
	}
}

// bare sends the requests of exchanges with net/http, several at once, and reads the answers.
func bare(b *testing.B, client *http.Client, all []*exchange.Exchange, workers int) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := next.Add(1); i <= int64(len(all)); i = next.Add(1) {
				e := all[i-1]
				req, err := http.NewRequest(e.Request.Method, e.URL(), bytes.NewReader(e.Request.Body))
				if err == nil {
					var resp *http.Response
					if resp, err = client.Do(req); err == nil {
						_, err = io.Copy(io.Discard, resp.Body)
						resp.Body.Close()
					}
				}
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// longRecording writes a recording of sequences with ten steps each: an order is made and read nine times.
func longRecording(t testing.TB, path, addr string, steps int) {
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
