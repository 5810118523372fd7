package proxy_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/proxy"
)

// letting is a Rewriter that lets everything pass.
type letting struct{}

func (letting) Request(*exchange.Exchange) []byte  { return nil }
func (letting) Response(*exchange.Exchange) []byte { return nil }

// allWays are those on which bytes arrive as they were sent, also past a Rewriter that has nothing to change.
func allWays() []way {
	all := waysWith(letting{})
	for i := range all {
		all[i].name += " with rewriter"
	}
	return append(ways(), all...)
}

// swapping is a Rewriter that says dog for cat to the API, and cat for dog to the client, and remembers what it was given.
type swapping struct {
	mu    sync.Mutex
	given []string
}

func (s *swapping) Request(e *exchange.Exchange) []byte {
	s.note("> " + e.Request.Method + " " + e.Request.Target + " " + string(e.Request.Body))
	return bytes.ReplaceAll(append(bytes.Clone(e.Request.Head), e.Request.Body...), []byte("cat"), []byte("dog"))
}

func (s *swapping) Response(e *exchange.Exchange) []byte {
	s.note(fmt.Sprintf("< %s %d %s", e.Request.Target, e.Response.Status, e.Response.Body))
	return bytes.ReplaceAll(append(bytes.Clone(e.Response.Head), e.Response.Body...), []byte("dog"), []byte("cat"))
}

func (s *swapping) note(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.given = append(s.given, line)
}

func (s *swapping) lines() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.given, "\n")
}

// A Rewriter's messages take the place of those that passed, in whichever pieces they come; the record holds what the API
// got and gave.
func TestRewriterHasItsWay(t *testing.T) {
	by := &swapping{}
	for _, w := range waysWith(by) {
		t.Run(w.name, func(t *testing.T) {
			by.given = nil
			rec, connect := w.open(t, func(c net.Conn) {
				r := bufio.NewReader(c)
				for {
					head, err := readHead(r)
					if err != nil {
						return
					}
					body := make([]byte, strings.Count(head, "Length: 3")*3)
					io.ReadFull(r, body)
					line, _, _ := strings.Cut(head, " HTTP")
					answer := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s %s", len(line)+1+len(body), line, body)
					for _, b := range []byte(answer) {
						c.Write([]byte{b})
					}
				}
			})
			c := connect()
			defer c.Close()
			io.WriteString(c, "POST /cat/1 HTTP/1.1\r\nHost: x\r\nCont")
			io.WriteString(c, "ent-Length: 3\r\n\r\nc")
			io.WriteString(c, "at")
			r := bufio.NewReader(c)
			want := "HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\nPOST /cat/1 cat"
			expect(t, r, want)
			expect(t, r, "") // nothing more; the connection stays
			if e := rec.next(t); e.Request.Target != "/dog/1" || string(e.Request.Body) != "dog" || string(e.Response.Body) != "POST /dog/1 dog" {
				t.Errorf("recorded %s %q, answered %q", e.Request.Target, e.Request.Body, e.Response.Body)
			}
			if w.absolute {
				io.WriteString(c, "GET http://"+c.(*forwardConn).to+"/cat/2 HTTP/1.1\r\nHost: x\r\n\r\n")
			} else {
				io.WriteString(c, "GET /cat/2 HTTP/1.1\r\nHost: x\r\n\r\n")
			}
			expect(t, r, "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nGET /cat/2 ")
			if got, want := by.lines(), "> POST /cat/1 cat\n< /cat/1 200 POST /dog/1 dog\n> GET /cat/2 \n< /cat/2 200 GET /dog/2 "; got != want {
				t.Errorf("given\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// expect reads as many bytes as are wanted, and compares them.
func expect(t *testing.T, r io.Reader, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if n, err := io.ReadFull(r, got); err != nil || string(got) != want {
		t.Fatalf("got %q, %v\nwant %q", got[:n], err, want)
	}
}

// rewritten is a message of which a Rewriter makes another one, or not.
type rewritten struct {
	name     string
	request  string
	answer   string // of the API, to all of the request
	told     string // to the client
	got      string // by the API
	leftOpen bool   // the client does not end its stream
}

func rewrittenMessages() []rewritten {
	const ok = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"
	large := strings.Repeat("dog ", 5<<20)
	length := fmt.Sprintf("Content-Length: %d\r\n\r\n", len(large))
	return []rewritten{
		{name: "HEAD", request: "HEAD /cat HTTP/1.1\r\n\r\n", got: "HEAD /dog HTTP/1.1\r\n\r\n",
			answer: "HTTP/1.1 200 OK\r\nX: dog\r\nContent-Length: 3\r\n\r\n", told: "HTTP/1.1 200 OK\r\nX: cat\r\nContent-Length: 3\r\n\r\n"},
		{name: "304", request: "GET /cat HTTP/1.1\r\n\r\n", got: "GET /dog HTTP/1.1\r\n\r\n",
			answer: "HTTP/1.1 304 Not Modified\r\nETag: dog\r\n\r\n", told: "HTTP/1.1 304 Not Modified\r\nETag: cat\r\n\r\n"},
		{name: "until close", request: "GET /cat HTTP/1.1\r\n\r\n", got: "GET /dog HTTP/1.1\r\n\r\n",
			answer: "HTTP/1.1 200 OK\r\n\r\ndog", told: "HTTP/1.1 200 OK\r\n\r\ncat"},
		{name: "chunks and trailers", request: "POST /cat HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ncat\r\n0\r\nA: cat\r\n\r\n",
			got:    "POST /dog HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ndog\r\n0\r\nA: dog\r\n\r\n",
			answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ndog\r\n0\r\nB: dog\r\n\r\n",
			told:   "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ncat\r\n0\r\nB: cat\r\n\r\n"},
		{name: "interim", request: "GET /cat HTTP/1.1\r\n\r\n", got: "GET /dog HTTP/1.1\r\n\r\n",
			answer: "HTTP/1.1 103 Early Hints\r\nLink: dog\r\n\r\n" + ok + "dog", told: "HTTP/1.1 103 Early Hints\r\nLink: dog\r\n\r\n" + ok + "cat"},
		{name: "pipelined", request: "GET /cat HTTP/1.1\r\n\r\nGET /cat/2 HTTP/1.1\r\n\r\n", got: "GET /dog HTTP/1.1\r\n\r\nGET /dog/2 HTTP/1.1\r\n\r\n",
			answer: ok + "dog" + ok + "dog", told: ok + "cat" + ok + "cat"},
		{name: "blank lines before it", request: "\r\nGET /cat HTTP/1.1\r\n\r\n\r\n", got: "\r\nGET /dog HTTP/1.1\r\n\r\n", answer: ok + "dog", told: ok + "cat"},
		{name: "nothing of it whole", request: "GET /cat HTTP/1.1\r\nX: c", got: "GET /cat HTTP/1.1\r\nX: c", answer: ok + "dog", told: ok + "dog"},
		{name: "head malformed", request: "GET /cat HTTP/1.1\r\nno colon\r\n\r\n", got: "GET /cat HTTP/1.1\r\nno colon\r\n\r\n", answer: ok + "dog", told: ok + "dog"},
		{name: "no length to be read", request: "GET /cat HTTP/1.1\r\nContent-Length: x\r\n\r\ncat", got: "GET /cat HTTP/1.1\r\nContent-Length: x\r\n\r\ncat",
			answer: ok + "dog", told: ok + "dog"},
		{name: "answer malformed", request: "GET /cat HTTP/1.1\r\n\r\n", got: "GET /dog HTTP/1.1\r\n\r\n",
			answer: "HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 3\r\n\r\ndog", told: "HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 3\r\n\r\ndog"},
		{name: "answer that is no HTTP", request: "GET /cat HTTP/1.1\r\n\r\n", got: "GET /dog HTTP/1.1\r\n\r\n", answer: "dog", told: "dog"},
		{name: "answer broken off", request: "GET /cat HTTP/1.1\r\n\r\n", got: "GET /dog HTTP/1.1\r\n\r\n",
			answer: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ndog", told: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ndog"},
		{name: "chunks broken off", request: "GET /cat HTTP/1.1\r\n\r\n", got: "GET /dog HTTP/1.1\r\n\r\n",
			answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ndog\r\n", told: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ndog\r\n"},
		{name: "chunks wrong", request: "GET /cat HTTP/1.1\r\n\r\n", got: "GET /dog HTTP/1.1\r\n\r\n",
			answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\ndog\r\n", told: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\ndog\r\n"},
		{name: "events", request: "GET /cat HTTP/1.1\r\n\r\n", got: "GET /dog HTTP/1.1\r\n\r\n",
			answer: "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: dog\n\n", told: "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: dog\n\n"},
		{name: "upgrade", leftOpen: true, request: "GET /cat HTTP/1.1\r\nUpgrade: x\r\n\r\n", got: "GET /dog HTTP/1.1\r\nUpgrade: x\r\n\r\n",
			answer: "HTTP/1.1 101 Switching\r\n\r\ndog HTTP/1.1 200 OK\r\n\r\n", told: "HTTP/1.1 101 Switching\r\n\r\ndog HTTP/1.1 200 OK\r\n\r\n"},
		{name: "after an upgrade is asked for", request: "GET /cat HTTP/1.1\r\nUpgrade: x\r\n\r\nGET /cat HTTP/1.1\r\n\r\n",
			got: "GET /dog HTTP/1.1\r\nUpgrade: x\r\n\r\nGET /cat HTTP/1.1\r\n\r\n", answer: ok + "dog" + ok + "dog", told: ok + "cat" + ok + "dog"},
		{name: "answer too large", request: "GET /cat HTTP/1.1\r\n\r\n", got: "GET /dog HTTP/1.1\r\n\r\n",
			answer: "HTTP/1.1 200 OK\r\n" + length + large, told: "HTTP/1.1 200 OK\r\n" + length + large},
		{name: "request too large", request: "POST /dog HTTP/1.1\r\n" + length + large + "GET /cat HTTP/1.1\r\n\r\n",
			got: "POST /dog HTTP/1.1\r\n" + length + large + "GET /dog HTTP/1.1\r\n\r\n", answer: ok + "dog" + ok + "dog", told: ok + "dog" + ok + "cat"},
	}
}

// What can be had whole is rewritten, whatever ends it; everything else passes as it is.
func TestRewriterOnOddMessages(t *testing.T) {
	for _, m := range rewrittenMessages() {
		t.Run(strings.ReplaceAll(m.name, " ", "_"), func(t *testing.T) {
			got := make(chan string, 1)
			a := listen(t, nil, func(c net.Conn) {
				b := make([]byte, len(m.got))
				n, _ := io.ReadFull(c, b)
				got <- string(b[:n])
				io.WriteString(c, m.answer)
			})
			addr := serve(t, &proxy.Proxy{Target: a.url("http"), Rewriter: &swapping{}})
			c := dial(t, addr)
			sent := make(chan struct{})
			go func() {
				defer close(sent)
				io.WriteString(c, m.request)
				if !m.leftOpen {
					c.(*net.TCPConn).CloseWrite() // what the target has answered by then may have ended the connection
				}
			}()
			if b := <-got; b != m.got {
				t.Errorf("arrived %s\nwant %s", clip([]byte(b)), clip([]byte(m.got)))
			}
			if b, _ := io.ReadAll(c); string(b) != m.told {
				t.Errorf("told %s\nwant %s", clip(b), clip([]byte(m.told)))
			}
			<-sent
		})
	}
}

// A client that waits to be told to go on is told so, once, and its request is had whole; one that does so while an answer is on
// its way cannot be.
func TestRewriterAndExpectation(t *testing.T) {
	const head = "POST /cat HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
	got := make(chan string, 2)
	a := listen(t, nil, func(c net.Conn) {
		b := make([]byte, len(head)+3)
		for range 2 {
			if _, err := io.ReadFull(c, b); err != nil {
				return
			}
			got <- string(b)
			io.WriteString(c, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ndog")
		}
	})
	addr := serve(t, &proxy.Proxy{Target: a.url("http"), Rewriter: &swapping{}})
	c := dial(t, addr)
	for range 2 {
		io.WriteString(c, head)
		expect(t, c, "HTTP/1.1 100 Continue\r\n\r\n")
		io.WriteString(c, "cat")
		expect(t, c, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ncat")
		if b := <-got; !strings.HasPrefix(b, "POST /dog") || !strings.HasSuffix(b, "\r\n\r\ndog") {
			t.Errorf("arrived %q", b)
		}
	}
}

// A request that is held is under way: a proxy that is shut down waits for its answer.
func TestRewriterHoldsShutdown(t *testing.T) {
	const told = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ncat"
	a := listen(t, nil, func(c net.Conn) {
		r := bufio.NewReader(c)
		for {
			if _, err := readHead(r); err != nil {
				return
			}
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ndog")
		}
	})
	p := &proxy.Proxy{Target: a.url("http"), Rewriter: &swapping{}}
	c := dial(t, serve(t, p))
	io.WriteString(c, get)
	expect(t, c, told)
	for p.Stats().Pending > 0 {
		runtime.Gosched()
	}
	io.WriteString(c, "GET /cat HTTP/1.1\r\n")
	for p.Stats().Pending == 0 {
		runtime.Gosched()
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Shutdown(over); err == nil { // what is idle has been cut by now
		t.Error("shut down with a request under way")
	}
	io.WriteString(c, "\r\n")
	expect(t, c, told)
	shutdown(t, p)
}
