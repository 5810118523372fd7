package main

import (
	"bufio"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/certs"
	"github.com/flaketap/flaketap/proxy"
	"github.com/flaketap/flaketap/store"
)

// BenchmarkRecord compares, in one run, exchanges that go straight to an API with those that go through relays that
// record nothing (the least that any proxy costs: one copies in user space, as whoever looks at what passes must, the
// other has the kernel splice what is plain), through flaketap with its recording, through a goproxy that keeps them in
// the same store, and through mitmdump -w. One operation is one exchange of the workload; each rival is a process of its
// own, and shares the machine's cores with the API and the clients.
//
// The ways are plain HTTP in front of the API, TLS that is taken off and put on again, both with connections that are
// kept, TLS with a new connection for each exchange, and HTTP/2 within TLS, eight streams at once on each of four
// connections. There goproxy is left out, which speaks HTTP/1 to its clients.
func BenchmarkRecord(b *testing.B) {
	b.Run("plain", func(b *testing.B) {
		for _, w := range newRivalry(b, plainHTTP).ways(b) {
			b.Run("conns=32/"+w.name, func(b *testing.B) { w.load(b, 32, false) })
			b.Run("conns=1/"+w.name, func(b *testing.B) { w.load(b, 1, false) })
		}
	})
	b.Run("tls", func(b *testing.B) {
		for _, w := range newRivalry(b, overTLS).ways(b) {
			b.Run("conns=32/"+w.name, func(b *testing.B) { w.load(b, 32, false) })
			b.Run("new/"+w.name, func(b *testing.B) { w.load(b, 32, true) })
		}
	})
	b.Run("h2", func(b *testing.B) {
		for _, w := range newRivalry(b, overHTTP2).ways(b) {
			b.Run("streams=32/"+w.name, func(b *testing.B) { w.load(b, 32, false) })
		}
	})
}

// How requests are sent.
const (
	plainHTTP = "http"
	overTLS   = "https"
	overHTTP2 = "h2" // within TLS
)

// rivalry is what the ways of one benchmark have in common.
type rivalry struct {
	how    string
	secure bool
	dir    string
	ca     *certs.Authority // has signed the API's certificate, and what the rivals show their clients
	api    string           // host:port

	workload *workload
}

func newRivalry(b *testing.B, how string) *rivalry {
	b.Helper()
	r := &rivalry{how: how, secure: how != plainHTTP, dir: b.TempDir(), workload: newWorkload()}
	var err error
	if r.ca, err = certs.LoadOrCreate(filepath.Join(r.dir, "ca")); err != nil {
		b.Fatal(err)
	}
	api := httptest.NewUnstartedServer(r.workload)
	api.Config.ErrorLog = log.New(io.Discard, "", 0) // rivals hang up as they like
	if r.secure {
		api.EnableHTTP2 = how == overHTTP2
		if api.TLS, err = serverTLS(r.ca); err != nil {
			b.Fatal(err)
		}
		api.StartTLS()
	} else {
		api.Start()
	}
	b.Cleanup(api.Close)
	r.api = api.Listener.Addr().String()
	return r
}

// load sends b.N requests over that many connections, or each over a new one.
func (w *way) load(b *testing.B, connections int, fresh bool) {
	work := make(chan int, 4*connections)
	var ready, wg sync.WaitGroup
	errs := make(chan error, connections)
	took := make([][]time.Duration, connections)
	ready.Add(connections)
	for i := range connections {
		wg.Go(func() {
			if err := w.worker(&took[i], work, fresh, ready.Done); err != nil {
				errs <- err
			}
		})
	}
	ready.Wait()
	before := w.cpu()
	b.ResetTimer()
	for range b.N {
		select {
		case work <- w.next:
			w.next++
		case err := <-errs:
			b.Fatal(err)
		}
	}
	close(work)
	wg.Wait()
	b.StopTimer()
	select {
	case err := <-errs:
		b.Fatal(err)
	default:
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "exchanges/s")
	all := slices.Concat(took...)
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Nanoseconds())/1e3, "p50-µs")
	if w.pid != 0 {
		b.ReportMetric(float64((w.cpu()-before).Nanoseconds())/1e3/float64(b.N), "cpu-µs/exchange")
	}
}

// worker sends a request for each piece of work, over one connection or each over a new one, and notes how long it took.
// It says when it is ready, which it is with its first connection open.
func (w *way) worker(took *[]time.Duration, work <-chan int, fresh bool, ready func()) error {
	c, err := w.connect()
	ready()
	if err != nil {
		return err
	}
	defer func() { c.Close() }()
	for n := range work {
		method, request := w.workload.request(n, w.api)
		start := time.Now()
		if fresh {
			c.Close()
			next, err := w.connect()
			if err != nil {
				return err
			}
			c = next
		}
		if err := c.ask(method, request); err != nil {
			return err
		}
		*took = append(*took, time.Since(start))
	}
	return nil
}

// asker sends requests, one after the other, and reads their answers.
type asker interface {
	ask(method string, request []byte) error
	io.Closer
}

// apiClient is a connection over which an API answers.
type apiClient struct {
	net.Conn
	r *bufio.Reader
}

// ask sends a request, of that method, and reads its answer.
func (c *apiClient) ask(method string, request []byte) error {
	if _, err := c.Write(request); err != nil {
		return err
	}
	resp, err := http.ReadResponse(c.r, &http.Request{Method: method})
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	if method == http.MethodConnect {
		return nil // what follows is the tunnel
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// cpu returns the processor time that the way's process has used; 0 where there is none, or no /proc.
func (w *way) cpu() time.Duration {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(w.pid) + "/stat")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(stat), ") ") // the name of the program, in parentheses, may hold spaces
	fields := strings.Fields(after)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond // Linux counts in hundredths of a second for all programs
}

// BenchmarkSplitRequest sends the head and the body of each request apart, over one connection with Nagle's algorithm
// on, as Python's requests does towards proxies. The kernel of a recorder that waits for the body in silence holds the
// acknowledgement back, and each exchange takes 40 ms.
func BenchmarkSplitRequest(b *testing.B) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
	}))
	defer api.Close()
	db, err := store.Create(filepath.Join(b.TempDir(), "bench.db"), store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	if _, err := db.BeginPass(exchange.Pass{Started: time.Now()}); err != nil {
		b.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	p := &proxy.Proxy{Target: &url.URL{Scheme: "http", Host: api.Listener.Addr().String()}, Recorder: db}
	served := make(chan error, 1)
	go func() { served <- p.Serve(ln) }()
	defer func() {
		p.Close()
		<-served
	}()
	conn, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	c := &apiClient{conn, bufio.NewReader(conn)}
	defer c.Close()
	if err := conn.(*net.TCPConn).SetNoDelay(false); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: api\r\nContent-Length: 4\r\n\r\n"); err != nil {
			b.Fatal(err)
		}
		if err := c.ask("POST", []byte("body")); err != nil {
			b.Fatal(err)
		}
	}
}
