package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/proxy"
	"github.com/flaketap/flaketap/store"
)

// connections is how many clients the recording benchmark has at once.
const connections = 32

// BenchmarkRecord compares, in one run, requests that go straight to an API, through a bare TCP relay that records
// nothing (the least that any proxy costs), and through the recorder with its database. One operation is one exchange
// with an answer of about 1 kB; the API, the proxy and the clients share the machine's cores.
func BenchmarkRecord(b *testing.B) {
	body := `{"items":[` + strings.TrimSuffix(strings.Repeat(`{"id":12345678,"name":"article","price":19.99},`, 21), ",") + `]}`
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}))
	defer api.Close()
	addr := api.Listener.Addr().String()

	b.Run("direct", func(b *testing.B) { load(b, addr) })
	b.Run("relay", func(b *testing.B) { load(b, startRelay(b, addr)) })
	b.Run("record", func(b *testing.B) { load(b, startRecorder(b, addr)) })
}

// load sends b.N requests over keep-alive connections.
func load(b *testing.B, addr string) {
	request := []byte("GET /items?page=1 HTTP/1.1\r\nHost: api\r\nAccept: application/json\r\nUser-Agent: load\r\n\r\n")
	work := make(chan struct{}, 4*connections)
	var wg sync.WaitGroup
	errs := make(chan error, connections)
	for range connections {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			b.Fatal(err)
		}
		wg.Go(func() {
			defer conn.Close()
			r := bufio.NewReader(conn)
			for range work {
				if _, err := conn.Write(request); err != nil {
					errs <- err
					return
				}
				resp, err := http.ReadResponse(r, nil)
				if err == nil {
					_, err = io.Copy(io.Discard, resp.Body)
				}
				if err != nil {
					errs <- err
					return
				}
			}
		})
	}
	b.ResetTimer()
	for range b.N {
		select {
		case work <- struct{}{}:
		case err := <-errs:
			b.Fatal(err)
		}
	}
	close(work)
	wg.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "exchanges/s")
}

// startRelay copies bytes between each client and the API, both ways, and does nothing else.
func startRelay(b *testing.B, to string) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { ln.Close() })
	go func() {
		for {
			client, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer client.Close()
				server, err := net.Dial("tcp", to)
				if err != nil {
					return
				}
				defer server.Close()
				go func() {
					_, _ = io.Copy(server, client)
					server.Close()
				}()
				_, _ = io.Copy(client, server)
			}()
		}
	}()
	return ln.Addr().String()
}

// startRecorder runs the recorder with a database, as the record command does.
func startRecorder(b *testing.B, to string) string {
	db, err := store.Create(filepath.Join(b.TempDir(), "bench.db"), store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := db.BeginPass(exchange.Pass{Started: time.Now()}); err != nil {
		b.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	p := &proxy.Proxy{Target: &url.URL{Scheme: "http", Host: to}, Recorder: db}
	served := make(chan error, 1)
	go func() { served <- p.Serve(ln) }()
	b.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := p.Shutdown(ctx); err != nil {
			b.Error(err)
		}
		<-served
		if err := db.Close(); err != nil {
			b.Error(fmt.Errorf("close: %w", err))
		}
	})
	return ln.Addr().String()
}

// BenchmarkSplitRequest sends the head and the body of each request apart, over one connection with Nagle's algorithm
// on, as Python's requests does towards proxies. The kernel of a recorder that waits for the body in silence holds the
// acknowledgement back, and each exchange takes 40 ms.
func BenchmarkSplitRequest(b *testing.B) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
	}))
	defer api.Close()
	conn, err := net.Dial("tcp", startRecorder(b, api.Listener.Addr().String()))
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	if err := conn.(*net.TCPConn).SetNoDelay(false); err != nil {
		b.Fatal(err)
	}
	r := bufio.NewReader(conn)
	for b.Loop() {
		for _, part := range []string{"POST / HTTP/1.1\r\nHost: api\r\nContent-Length: 4\r\n\r\n", "body"} {
			if _, err := io.WriteString(conn, part); err != nil {
				b.Fatal(err)
			}
		}
		resp, err := http.ReadResponse(r, nil)
		if err == nil {
			_, err = io.Copy(io.Discard, resp.Body)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
