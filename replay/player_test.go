package replay

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

func TestCarriesValuesToAnotherInstance(t *testing.T) {
	rec := shopping(t, serve(t, newShop()))
	target := &url.URL{Scheme: "http", Host: serve(t, newShop())}
	sum, got := play(t, &Player{Target: target}, rec)
	if sum.Sent != len(rec.list) || sum.Reproduced != sum.Sent || sum.First != nil || len(sum.Unresolved) != 0 {
		t.Errorf("summary: %s", sum)
	}
	for i, o := range got {
		if o.Seq != rec.list[i].Seq || o.Response == nil || o.Start.IsZero() || o.Latency <= 0 {
			t.Errorf("observation %d: %+v", i, o)
		}
		if host := o.Sent.Header.Get("Host"); host != target.Host {
			t.Errorf("observation %d: Host %q, want that of the target", i, host)
		}
	}
	var s sink
	without := &Player{Target: target}
	sum, err := without.Play(context.Background(), rec, &s)
	if err != nil || sum.Reproduced > 3 || sum.First == nil || sum.First.Seq != 2 {
		t.Errorf("without bindings nothing but the login can go well: %v, %v", sum, err)
	}
}

// TestBytesAsRecorded sends what no HTTP library would and looks at what arrives.
func TestBytesAsRecorded(t *testing.T) {
	var arrived bytes.Buffer
	addr := rawServer(t, func(conn net.Conn, r *bufio.Reader) {
		for {
			head, err := readHead(r)
			if err != nil {
				return
			}
			arrived.WriteString(head)
			if strings.Contains(head, "ength: 5") {
				_, _ = io.CopyN(&arrived, r, 5)
			}
			fmt.Fprint(conn, "HTTP/1.1 200 fine by me\r\nX-a:  b\r\nContent-Length: 2\r\n\r\nok")
		}
	})
	p := &tape{t: t, addr: addr}
	heads := []string{
		"GET /%zz?a=b&&=;#frag HTTP/1.1\r\nhOsT: " + addr + "\r\nX-Two: 1\r\nX-Two: 2\r\n\r\n",
		"POST /a b HTTP/1.1\r\nHost: evil.example\r\ncontent-LENGTH: 5\r\n\r\n",
		"OPTIONS * HTTP/1.1\r\nHost: " + addr + "\r\nHost: second\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: " + addr + "\r\nno colon here\r\n\r\n",
		"GET /last HTTP/1.1\nHost: " + addr + "\n\n",
	}
	want := ""
	for i, head := range heads {
		body := ""
		if i == 1 {
			body = "hello"
		}
		e := p.add(head, body)
		e.Response = &exchange.Response{Status: 200}
		want += head + body
	}
	sum, got := play(t, &Player{Target: &url.URL{Scheme: "http", Host: addr}}, p)
	if arrived.String() != want {
		t.Errorf("arrived:\n%q\nwant:\n%q", arrived.String(), want)
	}
	if sum.Reproduced != len(heads) || string(got[0].Response.Head) != "HTTP/1.1 200 fine by me\r\nX-a:  b\r\nContent-Length: 2\r\n\r\n" {
		t.Errorf("summary %s, head %q", sum, got[0].Response.Head)
	}
}

// TestAnswers holds the ways in which an answer can end against what becomes of it.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name, method, answer string
		reset                bool
		status               int
		body                 string
		kind                 exchange.FaultKind
	}{
		{name: "length", answer: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", status: 200, body: "abc"},
		{name: "chunked", answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nT: x\r\n\r\n", status: 200, body: "3\r\nabc\r\n0\r\nT: x\r\n\r\n"},
		{name: "until close", answer: "HTTP/1.0 200 OK\r\n\r\nabc", status: 200, body: "abc"},
		{name: "head", method: "HEAD", answer: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", status: 200},
		{name: "no content", answer: "HTTP/1.1 204 No Content\r\n\r\n", status: 204},
		{name: "not modified", answer: "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", status: 304},
		{name: "interim", answer: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n", status: 201},
		{name: "switched", answer: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", status: 101},
		{name: "two lengths", answer: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc", status: 200, body: "abc"},
		{name: "nothing", kind: exchange.FaultEOF},
		{name: "reset", reset: true, kind: exchange.FaultReset},
		{name: "cut head", answer: "HTTP/1.1 200 OK\r\nContent-Le", kind: exchange.FaultTruncated},
		{name: "cut body", answer: "HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\nabc", kind: exchange.FaultTruncated},
		{name: "cut chunk", answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na", kind: exchange.FaultTruncated},
		{name: "no HTTP", answer: "SSH-2.0-OpenSSH\r\n", kind: exchange.FaultUnparseable},
		{name: "no status", answer: "HTTP/1.1 abc\r\n\r\n", kind: exchange.FaultUnparseable},
	} {
		t.Run(c.name, func(t *testing.T) {
			addr := rawServer(t, func(conn net.Conn, r *bufio.Reader) {
				if _, err := readHead(r); err != nil {
					return
				}
				_, _ = io.WriteString(conn, c.answer)
				if c.reset {
					_ = conn.(*net.TCPConn).SetLinger(0)
				}
			})
			p := &tape{t: t, addr: addr}
			method := c.method
			if method == "" {
				method = "GET"
			}
			e := p.add(method+" / HTTP/1.1\r\nHost: x\r\n\r\n", "")
			e.Response = &exchange.Response{Status: 200}
			sum, got := play(t, &Player{}, p)
			o := got[0]
			if c.kind != "" {
				if o.Fault == nil || o.Fault.Kind != c.kind || o.Response != nil {
					t.Fatalf("got %+v, %v, want a fault of kind %s", o.Response, o.Fault, c.kind)
				}
				if seen := string(o.Fault.Seen.Head) + string(o.Fault.Seen.Body); seen != c.answer {
					t.Errorf("seen %q, want %q", seen, c.answer)
				}
				if sum.Faults != 1 || sum.First == nil || sum.First.Run != string(c.kind) {
					t.Errorf("summary: %s", sum)
				}
				return
			}
			if o.Fault != nil || o.Response.Status != c.status || string(o.Response.Body) != c.body {
				t.Fatalf("got %+v, fault %v", o.Response, o.Fault)
			}
			if all := string(o.Response.Interim) + string(o.Response.Head) + string(o.Response.Body); all != c.answer {
				t.Errorf("bytes %q, want %q", all, c.answer)
			}
		})
	}
}

func TestTimeout(t *testing.T) {
	held := make(chan struct{})
	addr := rawServer(t, func(conn net.Conn, r *bufio.Reader) {
		if head, _ := readHead(r); strings.HasPrefix(head, "GET /slow") {
			fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Le")
			<-held
		} else {
			fmt.Fprint(conn, "HTTP/1.1 204 No Content\r\n\r\n")
		}
	})
	defer close(held)
	p := &tape{t: t, addr: addr}
	p.add("GET /slow HTTP/1.1\r\n\r\n", "").Response = &exchange.Response{Status: 200}
	p.add("GET / HTTP/1.1\r\n\r\n", "").Response = &exchange.Response{Status: 204}
	sum, got := play(t, &Player{Timeout: 50 * time.Millisecond}, p)
	if f := got[0].Fault; f == nil || f.Kind != exchange.FaultTimeout || string(f.Seen.Head) != "HTTP/1.1 200 OK\r\nContent-Le" {
		t.Errorf("fault: %+v", f)
	}
	if sum.Reproduced != 1 || sum.Faults != 1 {
		t.Errorf("summary: %s", sum)
	}
}

// TestConnections counts connections: one while the API keeps it, a fresh one after it closed, whether it said so or
// not; and requests that fail below HTTP do not spoil those of others.
func TestConnections(t *testing.T) {
	var opened atomic.Int32
	addr := rawServer(t, func(conn net.Conn, r *bufio.Reader) {
		opened.Add(1)
		for i := 0; ; i++ {
			head, err := readHead(r)
			switch {
			case err != nil, i > 0 && strings.HasPrefix(head, "GET /first"):
				return
			case strings.HasPrefix(head, "GET /announced"):
				fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
				return
			case strings.HasPrefix(head, "GET /silent"):
				fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
				return
			case strings.HasPrefix(head, "GET /drop"):
				return
			case strings.HasPrefix(head, "GET /lying"):
				fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
				continue
			case strings.HasPrefix(head, "GET /extra"):
				fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 500 X\r\n")
				continue
			}
			fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		}
	})
	for _, c := range []struct {
		paths string
		conns int32
	}{
		{"/a /a /a /a", 1},
		{"/announced /a /a", 2},
		{"/silent /a /silent /a", 3},
		{"/a /drop /a", 3},
		{"/a /first /a", 2},
		{"/lying /a", 2},
		{"/extra /a", 2},
	} {
		opened.Store(0)
		p := &tape{t: t, addr: addr}
		for path := range strings.FieldsSeq(c.paths) {
			e := p.add("GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n", "")
			if path == "/drop" {
				e.Fault = &exchange.Fault{Kind: exchange.FaultEOF}
			} else {
				e.Response = &exchange.Response{Status: 200}
			}
		}
		sum, _ := play(t, &Player{}, p)
		if sum.Reproduced != len(p.list) || opened.Load() != c.conns {
			t.Errorf("%s: %d connections, want %d; %s", c.paths, opened.Load(), c.conns, sum)
		}
	}
}

// TestLargeBodies sends a request that the API answers without reading it, and takes an answer larger than any buffer.
func TestLargeBodies(t *testing.T) {
	const size = 8 << 20
	addr := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "POST" {
			w.Header().Set("Connection", "close")
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		_, _ = w.Write(make([]byte, size))
	}))
	p := &tape{t: t, addr: addr}
	e := p.add(fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", size), strings.Repeat("x", size))
	e.Response = &exchange.Response{Status: 413}
	p.add("GET / HTTP/1.1\r\nHost: x\r\n\r\n", "").Response = &exchange.Response{Status: 200}
	_, got := play(t, &Player{}, p)
	if r := got[0].Response; r != nil && r.Status != 413 || r == nil && got[0].Fault.Kind != exchange.FaultReset {
		t.Errorf("early answer: %+v, %v", r, got[0].Fault) // the close may overtake the answer: that is TCP's own race
	}
	body, err := got[1].Response.Payload()
	if err != nil || len(body) != size {
		t.Errorf("large answer: %d bytes, %v", len(body), err)
	}
}

// TestStrayBytes: what an API sends unasked is not taken for the answer to the next request.
func TestStrayBytes(t *testing.T) {
	stray, sent := make(chan struct{}), make(chan struct{})
	addr := rawServer(t, func(conn net.Conn, r *bufio.Reader) {
		for {
			head, err := readHead(r)
			if err != nil {
				return
			}
			fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
			if strings.HasPrefix(head, "GET /a") {
				<-stray
				fmt.Fprint(conn, "HTTP/1.1 500 Stray\r\nContent-Length: 0\r\n\r\n")
				close(sent)
			}
		}
	})
	p := &tape{t: t, addr: addr}
	p.add("GET /a HTTP/1.1\r\nHost: x\r\n\r\n", "").Response = &exchange.Response{Status: 200}
	p.add("GET /b HTTP/1.1\r\nHost: x\r\n\r\n", "").Response = &exchange.Response{Status: 200}
	hook := hooked(func(o *exchange.Observation) {
		if o.Seq == 1 {
			close(stray)
			<-sent
		}
	})
	if sum, err := (&Player{}).Play(context.Background(), p, hook); err != nil || sum.Reproduced != 2 {
		t.Errorf("%v, %s", err, sum)
	}
}

// hooked is a Sink that calls a function.
type hooked func(*exchange.Observation)

func (h hooked) Observe(o *exchange.Observation) error {
	h(o)
	return nil
}

// TestAnswerBeforeRequestIsRead: an API that answers at length before it reads must not make both sides wait.
func TestAnswerBeforeRequestIsRead(t *testing.T) {
	const size = 32 << 20
	addr := rawServer(t, func(conn net.Conn, r *bufio.Reader) {
		if _, err := readHead(r); err != nil {
			return
		}
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", size)
		_, _ = conn.Write(make([]byte, size))
		_, _ = io.CopyN(io.Discard, r, size)
	})
	p := &tape{t: t, addr: addr}
	e := p.add(fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", size), strings.Repeat("x", size))
	e.Response = &exchange.Response{Status: 200}
	if sum, got := play(t, &Player{}, p); sum.Reproduced != 1 || len(got[0].Response.Body) != size {
		t.Errorf("%s", sum)
	}
}

func TestSkips(t *testing.T) {
	addr := serve(t, http.NotFoundHandler())
	p := &tape{t: t, addr: addr}
	p.add("CONNECT a:1 HTTP/1.1\r\n\r\n", "")
	p.add("GET /ws HTTP/1.1\r\nUpgrade: websocket\r\n\r\n", "").Response = &exchange.Response{Status: 101}
	p.add("POST /big HTTP/1.1\r\nContent-Length: 9\r\n\r\n", "abc").Request.Cut = 6
	p.add("GET /given-up HTTP/1.1\r\nHost: x\r\n\r\n", "").Fault = &exchange.Fault{Kind: exchange.FaultClient}
	p.add("GET /\x1b[2J?token=geheim HTTP/1.1\r\nHost: x\r\n\r\n", "").Response = &exchange.Response{Status: 200}
	sum, _ := play(t, &Player{}, p)
	if sum.Skipped != 3 || len(sum.Reasons) != 3 || sum.Unjudged != 1 || sum.Differed != 1 {
		t.Errorf("summary: %+v", sum)
	}
	want := "2 sent, 0 answered with the recorded status, 1 differently, 0 failed, 1 not comparable (the recorded client gave up), 3 skipped (a tunnel (CONNECT); it was not stored in full; switched to another protocol (101)); first difference: #5 GET /\\x1b[2J: 200 recorded, 400 now"
	if sum.String() != want {
		t.Errorf("got  %s\nwant %s", sum, want)
	}
}

// TestUnresolved: an API that no longer gives the id.
func TestUnresolved(t *testing.T) {
	p := &tape{t: t, addr: serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{}`)
	}))}
	p.add("POST /orders HTTP/1.1\r\nHost: x\r\n\r\n", "").Response = exchange.ParseResponse(exchange.Message{
		Head: []byte("HTTP/1.1 201 Created\r\n\r\n"), Body: []byte(`{"id": 7}`), Plain: true})
	p.add("GET /orders/7 HTTP/1.1\r\nHost: x\r\n\r\n", "").Response = &exchange.Response{Status: 200}
	sum, got := play(t, &Player{}, p)
	if len(sum.Unresolved) != 1 || sum.Unresolved[0] != "orderId" || got[1].Sent.Target != "/orders/7" {
		t.Errorf("unresolved %v, sent %s", sum.Unresolved, got[1].Sent.Target)
	}
}

func TestTargetDown(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	ln.Close()
	p := &tape{t: t, addr: addr}
	p.add("GET / HTTP/1.1\r\n\r\n", "")
	_, err = (&Player{}).Play(context.Background(), p, &sink{})
	want := "replay to http://" + addr + ": connection refused: is the API running?"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	for _, bad := range []string{"ftp://a", "http://", "http:a"} {
		u, _ := url.Parse(bad)
		if _, err := (&Player{Target: u}).Play(context.Background(), p, &sink{}); err == nil {
			t.Errorf("target %s: no error", bad)
		}
	}
}

// TestTargetDies: what was done is kept, and the error says that the API is gone.
func TestTargetDies(t *testing.T) {
	var srv *httptest.Server
	srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/4" {
			srv.Listener.Close()
			w.Header().Set("Connection", "close")
		}
	}))
	defer srv.Close()
	p := &tape{t: t, addr: srv.Listener.Addr().String()}
	for i := range 100 {
		p.add(fmt.Sprintf("GET /%d HTTP/1.1\r\nHost: x\r\n\r\n", i), "").Response = &exchange.Response{Status: 200}
	}
	var s sink
	sum, err := (&Player{}).Play(context.Background(), p, &s)
	if err == nil || !strings.Contains(err.Error(), "the API is gone") || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("error: %v", err)
	}
	if sum.Reproduced != 5 || len(s.list) != 5+maxRefused || s.list[5].Fault.Kind != exchange.FaultDial {
		t.Errorf("%d observed; %s", len(s.list), sum)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	release := make(chan struct{})
	addr := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hang" {
			cancel()
			<-release
		}
	}))
	defer close(release)
	p := &tape{t: t, addr: addr}
	for _, path := range []string{"/a", "/hang", "/b"} {
		p.add("GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n", "").Response = &exchange.Response{Status: 200}
	}
	var s sink
	sum, err := (&Player{Timeout: time.Hour}).Play(ctx, p, &s)
	if !errors.Is(err, context.Canceled) || len(s.list) != 1 || sum.Sent != 1 {
		t.Errorf("got %v, %d observed, %s", err, len(s.list), sum)
	}
}

func TestSinkAndSourceErrors(t *testing.T) {
	p := &tape{t: t, addr: serve(t, http.NotFoundHandler())}
	p.add("GET /a HTTP/1.1\r\nHost: x\r\n\r\n", "")
	full := errors.New("disk full")
	if _, err := (&Player{}).Play(context.Background(), p, failing{full}); !errors.Is(err, full) || !strings.Contains(err.Error(), "exchange 1") {
		t.Errorf("sink: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Observe(*exchange.Observation) error { return f.err }

func TestTLS(t *testing.T) {
	srv := httptest.NewUnstartedServer(newShop())
	srv.Config.ErrorLog = log.New(io.Discard, "", 0) // it will complain of the client that does not trust it
	srv.StartTLS()
	defer srv.Close()
	rec := shopping(t, serve(t, newShop()))
	target, _ := url.Parse(srv.URL)
	config := srv.Client().Transport.(*http.Transport).TLSClientConfig
	sum, _ := play(t, &Player{Target: target, TLS: config}, rec)
	if sum.Reproduced != len(rec.list) {
		t.Errorf("summary: %s", sum)
	}
	_, err := (&Player{Target: target}).Play(context.Background(), rec, &sink{})
	if err == nil || !strings.Contains(err.Error(), "certificate") || strings.Contains(err.Error(), "is the API running") {
		t.Errorf("certificate of nobody: %v", err)
	}
}

// TestFromFile: requests that a file kept get the framing that the wire needs.
func TestFromFile(t *testing.T) {
	addr := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %v %s", r.Host, r.Header.Get("Content-Encoding"), r.TransferEncoding, b)
	}))
	for _, c := range []struct{ head, want string }{
		{"POST / HTTP/2.0\r\nContent-Type: text/plain\r\n\r\n", addr + "  [] hello"},
		{"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", "a  [chunked] hello"},
		{"POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: 99\r\n\r\n", "a  [] hello"},
	} {
		p := &tape{t: t, addr: addr}
		e := p.add(c.head, "")
		e.Request = exchange.ParseRequest(exchange.Message{Head: []byte(c.head), Body: []byte("hello"), Plain: true})
		_, got := play(t, &Player{}, p)
		if got[0].Response == nil || string(got[0].Response.Body) != c.want {
			t.Errorf("%q: got %+v, %v", c.head, got[0].Response, got[0].Fault)
		}
	}
}

func TestProgress(t *testing.T) {
	rec := shopping(t, serve(t, newShop()))
	var last Progress
	play(t, &Player{Total: 27, Progress: func(p Progress) { last = p }}, rec)
	if last.Done != len(rec.list) || last.Total != 27 || last.Rate <= 0 {
		t.Errorf("last progress: %+v", last)
	}
}

// What nobody could be reached for in the recording neither stands for the API nor ends a run, and what names no host is
// not sent.
func TestStrayExchanges(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	defer srv.Close()
	p := &tape{t: t, addr: srv.Listener.Addr().String()}
	for range 2 * maxRefused {
		e := p.add("GET http://no.such.invalid/tele HTTP/1.1\r\nHost: no.such.invalid\r\n\r\n", "")
		e.Addr, e.Fault = "127.0.0.1:1", &exchange.Fault{Kind: exchange.FaultDial}
	}
	e := p.add("\x05", "")
	e.Addr, e.Fault = "", &exchange.Fault{Kind: exchange.FaultDial}
	p.send("GET", "/x", "", "")
	sum, err := (&Player{}).Play(context.Background(), p, &sink{})
	if err != nil || sum.Reproduced != 2*maxRefused+1 || sum.Skipped != 1 {
		t.Errorf("%+v, %v", sum, err)
	}
}
