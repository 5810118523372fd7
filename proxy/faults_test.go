package proxy_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/proxy"
)

const get = "GET /a HTTP/1.1\r\nHost: api.example\r\n\r\n"

// swallow reads a request off a connection.
func swallow(t testing.TB, c net.Conn) *bufio.Reader {
	t.Helper()
	r := bufio.NewReader(c)
	if head, err := readHead(r); err != nil {
		t.Errorf("target got %q, %v", head, err)
	}
	return r
}

func wantFault(t *testing.T, e *exchange.Exchange, kind exchange.FaultKind, seen string) {
	t.Helper()
	if e.Fault == nil || e.Response != nil {
		t.Fatalf("recorded answer %+v, want fault %s", e.Response, kind)
	}
	if got := string(e.Fault.Seen.Head) + string(e.Fault.Seen.Body); e.Fault.Kind != kind || got != seen {
		t.Errorf("fault %s after %q, want %s after %q", e.Fault, got, kind, seen)
	}
	if e.Latency < 0 || e.Start.IsZero() {
		t.Errorf("start %v, latency %v", e.Start, e.Latency)
	}
}

// A reset arrives as a reset, whatever the target had answered by then.
func TestResetOfTarget(t *testing.T) {
	for _, w := range ways() {
		for name, answer := range map[string]string{
			"before":    "",
			"in head":   "HTTP/1.1 200 OK\r\nContent-",
			"in body":   "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
			"in chunks": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
		} {
			t.Run(w.name+"/"+name, func(t *testing.T) {
				seen := make(chan struct{})
				rec, connect := w.open(t, func(c net.Conn) {
					swallow(t, c)
					io.WriteString(c, answer)
					<-seen // a reset overtakes what the receiver has not read
					reset(c)
				})
				c := connect()
				io.WriteString(c, get)
				got := make([]byte, len(answer))
				if _, err := io.ReadFull(c, got); err != nil || string(got) != answer {
					t.Errorf("got %q, %v", got, err)
				}
				close(seen)
				if n, err := c.Read(make([]byte, 1)); !wasReset(err) {
					t.Errorf("then %d bytes, %v; want a reset", n, err)
				}
				wantFault(t, rec.next(t), exchange.FaultReset, answer)
				rec.empty(t)
			})
		}
	}
}

// A target that resets while the client still sends, having answered or not, is not mistaken for one that ended its
// stream: the write that hears of the reset first must not hide it.
func TestResetWhileClientSends(t *testing.T) {
	for range 20 {
		rec, connect := ways()[0].open(t, func(c net.Conn) {
			swallow(t, c)
			reset(c)
		})
		c := connect()
		_, err := io.WriteString(c, "POST / HTTP/1.1\r\nContent-Length: 100000000\r\n\r\n")
		for block := []byte(strings.Repeat("x", 1<<16)); err == nil; {
			_, err = c.Write(block)
		}
		if !wasReset(err) {
			t.Fatalf("sending ended with %v", err)
		}
		wantFault(t, rec.next(t), exchange.FaultReset, "")
		rec.empty(t)
	}
}

// A connection that can not be made is a reset to the client, and in the record with the whole request.
func TestTargetRefuses(t *testing.T) {
	a := listen(t, nil, func(net.Conn) {})
	a.ln.Close()
	a.wg.Wait()
	for _, scheme := range []string{"http", "https"} {
		rec := newTape()
		addr := serve(t, &proxy.Proxy{Target: a.url(scheme), Recorder: rec, TargetName: "shop"})
		c := dial(t, addr)
		io.WriteString(c, "POST /a HTTP/1.1\r\nX-Schemathesis-TestCaseId: t1\r\nContent-Length: 5\r\n\r\n")
		io.WriteString(c, "hello")
		if b, err := io.ReadAll(c); len(b) > 0 || !wasReset(err) {
			t.Errorf("client got %q, %v; want a reset", b, err)
		}
		e := rec.next(t)
		wantFault(t, e, exchange.FaultDial, "")
		if len(e.Fault.Told.Head) > 0 {
			t.Errorf("recorded an answer of our own: %q", e.Fault.Told.Head)
		}
		if string(e.Request.Body) != "hello" || e.Sequence != "t1" || e.Target != "shop" || e.Addr != a.addr() || e.Scheme != scheme || e.Conn != 1 {
			t.Errorf("recorded %+v", e)
		}
		rec.empty(t)
	}
}

func TestTargetFailsHandshake(t *testing.T) {
	a := listen(t, newTrust(t).server(t), func(c net.Conn) { io.Copy(io.Discard, c) })
	rec := newTape()
	addr := serve(t, &proxy.Proxy{Target: a.url("https"), Recorder: rec}) // whose CA is not trusted
	c := dial(t, addr)
	io.WriteString(c, get)
	if b, err := io.ReadAll(c); len(b) > 0 || !wasReset(err) {
		t.Errorf("client got %q, %v; want a reset", b, err)
	}
	wantFault(t, rec.next(t), exchange.FaultTLS, "")
}

// A client that closes its connection is felt by the target at once, with an answer under way or none.
func TestClientGivesUp(t *testing.T) {
	for _, w := range ways() {
		for name, begun := range map[string]string{"before": "", "in body": "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"} {
			for how, leave := range map[string]func(net.Conn){"close": func(c net.Conn) { c.Close() }, "reset": reset} {
				t.Run(w.name+"/"+name+"/"+how, func(t *testing.T) {
					felt, asked := make(chan error, 1), make(chan struct{})
					rec, connect := w.open(t, func(c net.Conn) {
						r := swallow(t, c)
						close(asked)
						if begun != "" { // an empty write would be told of the reset, and the read not
							io.WriteString(c, begun)
						}
						_, err := r.ReadByte()
						felt <- err
					})
					c := connect()
					io.WriteString(c, get)
					<-asked // a reset throws away what is still on its way
					io.ReadFull(c, make([]byte, len(begun)))
					leave(c)
					select {
					case err := <-felt:
						if err == nil {
							t.Error("target read more")
						}
						if how == "reset" && !wasReset(err) {
							t.Errorf("target felt %v, want a reset", err)
						}
					case <-time.After(patience):
						t.Fatal("target never felt it")
					}
					wantFault(t, rec.next(t), exchange.FaultClient, begun)
					rec.empty(t)
				})
			}
		}
	}
}

// A client that has gone away while the target answers on and on.
func TestClientGivesUpStream(t *testing.T) {
	stopped := make(chan error, 1)
	rec, connect := ways()[0].open(t, func(c net.Conn) {
		swallow(t, c)
		_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
		for err == nil {
			_, err = io.WriteString(c, "5\r\nhello\r\n")
		}
		stopped <- err
	})
	c := connect()
	io.WriteString(c, get)
	io.ReadFull(c, make([]byte, 100))
	c.Close()
	if err := <-stopped; !wasReset(err) {
		t.Errorf("target stopped for %v", err)
	}
	if e := rec.next(t); e.Fault == nil || e.Fault.Kind != exchange.FaultClient {
		t.Errorf("recorded %+v, fault %v", e.Response, e.Fault)
	}
}

// An API may answer before it has the whole request, and close. The client still sending gets the answer.
func TestEarlyAnswer(t *testing.T) {
	const answer = "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n"
	rec, connect := ways()[0].open(t, func(c net.Conn) {
		swallow(t, c)
		io.WriteString(c, answer)
		finish(t, c)
		io.Copy(io.Discard, c)
	})
	c := connect()
	io.WriteString(c, "POST /a HTTP/1.1\r\nContent-Length: 10\r\n\r\nhell")
	if got := readAll(t, c); string(got) != answer {
		t.Errorf("got %q", got)
	}
	c.Close()
	e := rec.next(t)
	if e.Response == nil || e.Response.Status != 413 || string(e.Request.Body) != "hell" {
		t.Errorf("recorded %+v, fault %v", e.Request, e.Fault)
	}
	rec.empty(t)
}

// A client that ends its stream after its request still gets the answer.
func TestHalfClose(t *testing.T) {
	for _, w := range ways() {
		t.Run(w.name, func(t *testing.T) {
			rec, connect := w.open(t, func(c net.Conn) {
				r := swallow(t, c)
				if b, err := io.ReadAll(r); err != nil || len(b) > 0 {
					t.Errorf("target read %q, %v", b, err)
				}
				io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
			})
			c := connect()
			io.WriteString(c, get)
			finish(t, c)
			if got := readAll(t, c); !strings.HasSuffix(string(got), "ok") {
				t.Errorf("got %q", got)
			}
			if e := rec.next(t); e.Response == nil {
				t.Errorf("recorded fault %s", e.Fault)
			}
		})
	}
}

// MaxBody limits what is kept, never what passes.
func TestMaxBody(t *testing.T) {
	const body = "0123456789"
	rec := newTape()
	a := listen(t, nil, func(c net.Conn) {
		r := swallow(t, c)
		io.ReadFull(r, make([]byte, len(body)))
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"+body)
	})
	c := dial(t, serve(t, &proxy.Proxy{Target: a.url("http"), Recorder: rec, MaxBody: 4}))
	io.WriteString(c, "POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\n"+body)
	if got := readAll(t, c); !strings.HasSuffix(string(got), body) {
		t.Errorf("got %q", got)
	}
	e := rec.next(t)
	for _, m := range []exchange.Message{e.Request.Message, e.Response.Message} {
		if string(m.Body) != "0123" || m.Cut != 6 {
			t.Errorf("kept %q, cut %d", m.Body, m.Cut)
		}
	}
}

// Exchanges on one connection, and on the next: numbers, names, times.
func TestRecordOfConnections(t *testing.T) {
	rec := newTape()
	a := listen(t, nil, answerAll)
	addr := serve(t, &proxy.Proxy{Target: a.url("http"), Recorder: rec, SequenceHeaders: []string{"x-first", "x-second"}})
	from := time.Now()
	for range 2 {
		c := dial(t, addr)
		for _, field := range []string{"X-Second: b\r\nX-First: a\r\n", "X-SECOND: b\r\n", "X-Schemathesis-TestCaseId: c\r\n"} {
			io.WriteString(c, "GET / HTTP/1.1\r\n"+field+"\r\n")
			io.ReadFull(c, make([]byte, len(answer)))
		}
	}
	for conn := range 2 {
		for _, want := range []string{"a", "b", ""} {
			e := rec.next(t)
			if e.Conn != uint64(conn)+1 || e.Sequence != want {
				t.Errorf("conn %d, sequence %q; want %d, %q", e.Conn, e.Sequence, conn+1, want)
			}
			if e.Start.Before(from) || e.Latency <= 0 || e.Start.Add(e.Latency).After(time.Now()) {
				t.Errorf("start %v, latency %v", e.Start, e.Latency)
			}
		}
	}
}

// Without a target there is nowhere to go but where absolute-form requests say.
func TestBadSetup(t *testing.T) {
	for _, p := range []*proxy.Proxy{
		{Target: &url.URL{Scheme: "ftp", Host: "a"}},
		{Target: &url.URL{Scheme: "http"}},
		{ReverseOnly: true},
		{RewriteHost: true},
	} {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Serve(ln); err == nil {
			t.Errorf("%+v serves", p.Target)
		}
		if _, err := ln.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("listener is left open: %v", err)
		}
	}
}
