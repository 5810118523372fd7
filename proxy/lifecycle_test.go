package proxy_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/proxy"
)

// recorderFunc is a Recorder that is a function.
type recorderFunc func(*exchange.Exchange) error

func (f recorderFunc) Record(e *exchange.Exchange) error { return f(e) }

// start serves p on a port of its own and returns what Serve will.
func start(t *testing.T, p *proxy.Proxy) (addr string, served chan error) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served = make(chan error, 1)
	go func() { served <- p.Serve(ln) }()
	t.Cleanup(func() { p.Close() })
	return ln.Addr().String(), served
}

// An error of the Recorder stops the proxy: Serve returns it and idle connections are closed, but the answer that could
// not be recorded passes whole, and so do those under way.
func TestRecorderFails(t *testing.T) {
	full := errors.New("disk full")
	for _, w := range []string{"answer", "fault"} {
		t.Run(w, func(t *testing.T) {
			a := listen(t, nil, func(c net.Conn) {
				swallow(t, c)
				if w == "answer" {
					c.Write(answer)
				}
			})
			p := &proxy.Proxy{Target: a.url("http"), Recorder: recorderFunc(func(*exchange.Exchange) error { return full })}
			addr, served := start(t, p)
			bystander := dial(t, addr)
			c := dial(t, addr)
			io.WriteString(c, get)
			if b, _ := io.ReadAll(c); w == "answer" && string(b) != string(answer) || w == "fault" && len(b) > 0 {
				t.Errorf("client got %s", clip(b))
			}
			if err := <-served; !errors.Is(err, full) {
				t.Errorf("Serve returned %v", err)
			}
			if b, _ := io.ReadAll(bystander); len(b) > 0 {
				t.Errorf("bystander got %q", b)
			}
			shutdown(t, p)
			ln, _ := net.Listen("tcp", "127.0.0.1:0")
			if err := p.Serve(ln); !errors.Is(err, full) {
				t.Errorf("Serve returned %v the second time", err)
			}
		})
	}
}

// What is under way when the Recorder fails passes whole, though it is not recorded either.
func TestRecorderFailsBesideAnswers(t *testing.T) {
	begun, goOn := make(chan struct{}), make(chan struct{})
	a := listen(t, nil, func(c net.Conn) {
		head, err := readHead(bufio.NewReader(c))
		if err != nil {
			return
		}
		if !strings.Contains(head, "/slow") {
			c.Write(answer)
			return
		}
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
		close(begun)
		<-goOn
		io.WriteString(c, "world")
	})
	p := &proxy.Proxy{Target: a.url("http"), Recorder: recorderFunc(func(*exchange.Exchange) error { return errors.New("disk full") })}
	addr, served := start(t, p)
	slow, c := dial(t, addr), dial(t, addr)
	io.WriteString(slow, "GET /slow HTTP/1.1\r\n\r\n")
	<-begun
	if n := p.Stats().Pending; n != 1 {
		t.Errorf("%d requests are under way", n)
	}
	io.WriteString(c, get)
	if b, _ := io.ReadAll(c); string(b) != string(answer) {
		t.Errorf("client got %s", clip(b))
	}
	if err := <-served; err == nil {
		t.Error("Serve goes on")
	}
	close(goOn)
	if b, err := io.ReadAll(slow); err != nil || !strings.HasSuffix(string(b), "helloworld") {
		t.Errorf("the other client got %s, %v", clip(b), err)
	}
	shutdown(t, p)
	if s := p.Stats(); s.Pending != 0 || s.Exchanges != 2 {
		t.Errorf("stats are %+v", s)
	}
}

// pipes is a listener whose connections have no buffer: what is written is read.
type pipes struct {
	net.Listener
	conns chan net.Conn
}

func (l pipes) Accept() (net.Conn, error) {
	if c, ok := <-l.conns; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (l pipes) Close() error {
	defer func() { recover() }() // closed already
	close(l.conns)
	return l.Listener.Close()
}

// A client that is slow to read gets its answer whole, though the recorder stops once the answer is recorded.
func TestShutdownLetsSlowReadersRead(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	recorded := make(chan struct{})
	a := listen(t, nil, answerAll)
	p := &proxy.Proxy{Target: a.url("http"), Recorder: recorderFunc(func(*exchange.Exchange) error {
		close(recorded)
		return nil
	})}
	l := pipes{ln, make(chan net.Conn, 16)}
	served := make(chan error, 1)
	go func() { served <- p.Serve(l) }()
	t.Cleanup(func() { p.Close() })
	slow, far := net.Pipe()
	l.conns <- far
	io.WriteString(slow, get)
	<-recorded
	var idle []net.Conn
	for range 8 {
		near, far := net.Pipe()
		l.conns <- far
		io.WriteString(near, "\r\n") // accepted, once this is read
		idle = append(idle, near)
	}
	done := make(chan error, 1)
	go func() { done <- p.Shutdown(context.Background()) }()
	for _, c := range idle { // closed one after the other, in no order: the slow one has most likely been looked at
		io.ReadAll(c)
	}
	if b, _ := io.ReadAll(slow); string(b) != string(answer) {
		t.Errorf("the slow client got %s", clip(b))
	}
	if err := errors.Join(<-done, <-served); err != nil {
		t.Error(err)
	}
}

// A request whose target has not been reached yet when the recorder is stopped is in the record, and no fault of the
// target's.
func TestCloseWhileDialing(t *testing.T) {
	for _, w := range []struct{ name, request string }{
		{"as to the API", get},
		{"as to a proxy", "GET http://api.test/a HTTP/1.1\r\n\r\n"},
		{"in a tunnel", "CONNECT api.test:443 HTTP/1.1\r\n\r\n"},
	} {
		t.Run(w.name, func(t *testing.T) {
			rec, dialing := newTape(), make(chan struct{})
			p := &proxy.Proxy{Target: &url.URL{Scheme: "http", Host: "127.0.0.1:1"}, Recorder: rec, Leaves: newTrust(t)}
			p.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
				close(dialing)
				<-ctx.Done()
				return nil, ctx.Err()
			}
			addr, served := start(t, p)
			io.WriteString(dial(t, addr), w.request)
			<-dialing
			if n := p.Stats().Pending; n != 1 {
				t.Errorf("%d requests are under way", n)
			}
			p.Close()
			e := rec.next(t)
			wantFault(t, e, exchange.FaultClient, "")
			if !strings.Contains(e.Fault.Text, "stopped") {
				t.Errorf("fault says %q", e.Fault.Text)
			}
			if err := <-served; err != nil {
				t.Errorf("Serve: %v", err)
			}
		})
	}
}

// An answer passes only once Record has returned, and nothing that follows from it is recorded before it.
func TestRecordedBeforeSeen(t *testing.T) {
	var (
		mu    sync.Mutex
		order []string
	)
	entered, allowed := make(chan struct{}, 1), make(chan struct{}, 1)
	p := &proxy.Proxy{Recorder: recorderFunc(func(e *exchange.Exchange) error {
		entered <- struct{}{}
		<-allowed
		mu.Lock()
		defer mu.Unlock()
		order = append(order, e.Request.Target)
		return nil
	})}
	a := listen(t, nil, answerAll)
	p.Target = a.url("http")
	addr := serve(t, p)
	var want []string
	for i := range 10 {
		c := dial(t, addr) // a connection each: no order but that of cause and effect
		target := fmt.Sprintf("/%d", i)
		want = append(want, target)
		fmt.Fprintf(c, "GET %s HTTP/1.1\r\n\r\n", target)
		got := make(chan error, 1)
		go func() {
			_, err := io.ReadFull(c, make([]byte, len(answer)))
			got <- err
		}()
		<-entered
		select {
		case <-got:
			t.Fatal("the answer passed before it was recorded")
		default:
		}
		allowed <- struct{}{}
		if err := <-got; err != nil {
			t.Fatal(err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if got := strings.Join(order, " "); got != strings.Join(want, " ") {
		t.Errorf("recorded in the order %s", got)
	}
}

// Shutdown lets answers under way come through, on any kind of connection, and closes the others at once.
func TestShutdownDrains(t *testing.T) {
	ca, own := newTrust(t), newTrust(t)
	asked, go_ := make(chan struct{}, 8), make(chan struct{})
	handle := func(c net.Conn) {
		if _, err := readHead(bufio.NewReader(c)); err != nil {
			return // of an idle connection
		}
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
		asked <- struct{}{}
		<-go_
		io.WriteString(c, "world")
		io.Copy(io.Discard, c)
	}
	plain, secure := listen(t, nil, handle), listen(t, ca.server(t), handle)
	rec := newTape()
	p := &proxy.Proxy{Target: plain.url("http"), Recorder: rec, Leaves: own, UpstreamTLS: ca.client()}
	addr, served := start(t, p)
	idle := []net.Conn{dial(t, addr), dial(t, addr), openTunnel(t, addr, secure.addr()), throughTunnel(t, addr, secure.addr(), own.client())}
	io.WriteString(idle[1], "\r\n") // not a request yet
	busy := []net.Conn{dial(t, addr), dial(t, addr), throughTunnel(t, addr, secure.addr(), own.client())}
	requests := []string{get, "GET http://" + plain.addr() + "/a HTTP/1.1\r\n\r\n", get}
	for i, c := range busy {
		io.WriteString(c, requests[i])
		<-asked
	}
	done := make(chan error, 1)
	go func() { done <- p.Shutdown(context.Background()) }()
	for i, c := range idle {
		if b, _ := io.ReadAll(c); len(b) > 0 {
			t.Errorf("idle connection %d got %q", i, b)
		}
	}
	select {
	case err := <-done:
		t.Fatalf("Shutdown returned %v before the answers were through", err)
	default:
	}
	close(go_)
	for i, c := range busy {
		if b := readAll(t, c); !strings.HasSuffix(string(b), "helloworld") {
			t.Errorf("busy connection %d got %q", i, b)
		}
		if e := rec.next(t); e.Response == nil {
			t.Errorf("recorded %v", e.Fault)
		}
	}
	if err := <-done; err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	if err := <-served; err != nil {
		t.Errorf("Serve: %v", err)
	}
	rec.empty(t)
	if s := p.Stats(); s.Open != 0 || s.Connections != 7 || s.Exchanges != 3 {
		t.Errorf("stats are %+v", s)
	}
}

// Close cuts what Shutdown waits for, and what was under way is in the record.
func TestCloseCuts(t *testing.T) {
	rec := newTape()
	asked := make(chan struct{})
	a := listen(t, nil, func(c net.Conn) {
		swallow(t, c)
		close(asked)
		io.Copy(io.Discard, c)
	})
	p := &proxy.Proxy{Target: a.url("http"), Recorder: rec}
	addr, served := start(t, p)
	c := dial(t, addr)
	io.WriteString(c, get)
	<-asked
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := p.Shutdown(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Shutdown: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if b, _ := io.ReadAll(c); len(b) > 0 {
		t.Errorf("client got %q", b)
	}
	e := rec.next(t)
	wantFault(t, e, exchange.FaultClient, "")
	if !strings.Contains(e.Fault.Text, "stopped") {
		t.Errorf("fault says %q", e.Fault.Text)
	}
	if err := <-served; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// Stopping before, twice and without serving.
func TestStopAtAnyTime(t *testing.T) {
	p := &proxy.Proxy{}
	shutdown(t, p)
	p.Close()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Serve(ln); err != nil {
		t.Errorf("Serve after Shutdown: %v", err)
	}
	if _, err := ln.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the listener is still open: %v", err)
	}
}

// A panic costs its connection and is told of; the proxy goes on.
func TestPanicStaysInItsConnection(t *testing.T) {
	var told atomic.Bool
	var log bytes.Buffer
	a := listen(t, nil, answerAll)
	p := &proxy.Proxy{Target: a.url("http"), Log: slog.New(slog.NewTextHandler(&log, nil)), Recorder: recorderFunc(func(*exchange.Exchange) error {
		if told.CompareAndSwap(false, true) {
			panic("oh no")
		}
		return nil
	})}
	addr, _ := start(t, p)
	c := dial(t, addr)
	io.WriteString(c, get)
	if b, _ := io.ReadAll(c); len(b) > 0 {
		t.Errorf("got %q", b)
	}
	c = dial(t, addr)
	io.WriteString(c, get)
	if _, err := io.ReadFull(c, make([]byte, len(answer))); err != nil {
		t.Error(err)
	}
	shutdown(t, p)
	if !strings.Contains(log.String(), "oh no") {
		t.Errorf("log says %q", &log)
	}
}

// Many clients at once, on all kinds of connections: each gets its own answers, and the record has each once.
func TestManyAtOnce(t *testing.T) {
	const clients, each = 24, 20
	echo := func(c net.Conn) {
		for r := bufio.NewReader(c); ; {
			head, err := readHead(r)
			if err != nil {
				return
			}
			path := strings.Fields(head)[1]
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(path), path)
		}
	}
	ca, own, rec := newTrust(t), newTrust(t), newTape()
	plain, secure := listen(t, nil, echo), listen(t, ca.server(t), echo)
	addr := serve(t, &proxy.Proxy{Target: plain.url("http"), Recorder: rec, Leaves: own, UpstreamTLS: ca.client()})
	var wg sync.WaitGroup
	for i := range clients {
		c, base := dial(t, addr), ""
		switch i % 3 {
		case 1:
			base = "http://" + plain.addr()
		case 2:
			c = throughTunnel(t, addr, secure.addr(), own.client())
		}
		wg.Go(func() {
			r := bufio.NewReader(c)
			for j := range each {
				path := fmt.Sprintf("/%d/%d", i, j)
				if got := ask(t, c, r, "GET "+base+path+" HTTP/1.1\r\n\r\n"); got != path {
					t.Errorf("%s: got %q", path, got)
				}
			}
			c.Close()
		})
	}
	wg.Wait()
	seen := map[string]bool{}
	for range clients * each {
		e := rec.next(t)
		body, err := e.Response.Payload()
		if err != nil || string(body) != e.Request.Target || seen[e.Request.Target] {
			t.Errorf("%s: recorded %q, %v", e.Request.Target, body, err)
		}
		seen[e.Request.Target] = true
	}
	rec.empty(t)
}

// A client that leaves its connection open after the target has closed its own does not keep one to the target open.
func TestTargetClosesIdleConnection(t *testing.T) {
	rec, connect := ways()[0].open(t, func(c net.Conn) {
		swallow(t, c)
		c.Write(answer)
	})
	c := connect()
	io.WriteString(c, get)
	if b := readAll(t, c); string(b) != string(answer) { // EOF comes at once
		t.Errorf("got %q", b)
	}
	// The next request on the dead connection meets what it would meet without a recorder.
	_, err := io.WriteString(c, get)
	if err == nil {
		_, err = io.ReadAll(c)
	}
	if err != nil && !wasReset(err) {
		t.Errorf("second request: %v", err)
	}
	if e := rec.next(t); e.Response == nil {
		t.Errorf("recorded %v", e.Fault)
	}
	c.Close()
	e := rec.next(t)
	if e.Fault == nil {
		t.Errorf("recorded %+v of the second request", e.Response)
	}
}

// A slow handshake of one client keeps nobody else waiting.
func TestHandshakeLeftOpen(t *testing.T) {
	ca, own := newTrust(t), newTrust(t)
	a, _ := teller(t, ca.server(t), "a")
	p := &proxy.Proxy{Leaves: own, UpstreamTLS: ca.client()}
	addr := serve(t, p)
	slow := openTunnel(t, addr, a.addr())
	slow.Write([]byte{22, 3}) // half a record header
	s := throughTunnel(t, addr, a.addr(), own.client())
	if got := ask(t, s, bufio.NewReader(s), get); got != "a" {
		t.Errorf("answered by %q", got)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	slow.SetReadDeadline(time.Now().Add(patience))
	if _, err := slow.Read(make([]byte, 1)); err == nil {
		t.Error("the slow client got an answer")
	}
}
