package proxy_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// A target gets what the client sent, byte for byte, and the client what the target answered; what was sent is in the
// record.
func TestOddRequestsArriveAsSent(t *testing.T) {
	if n := len(oddRequests()); n < 60 {
		t.Errorf("only %d requests", n)
	}
	for _, w := range allWays() {
		t.Run(w.name, func(t *testing.T) {
			got := make(chan []byte, 1)
			rec, connect := w.open(t, func(c net.Conn) {
				b, _ := io.ReadAll(c)
				got <- b
				io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
			})
			for _, odd := range oddRequests() {
				if w.absolute && !hasOriginForm(odd.bytes) {
					continue
				}
				c := connect()
				if _, err := io.WriteString(c, odd.bytes); err != nil {
					t.Errorf("%s: %v", odd.name, err)
					continue
				}
				finish(t, c)
				answer, err := io.ReadAll(c)
				if len(got) == 0 {
					t.Errorf("%s: never arrived; answered %s, %v", odd.name, clip(answer), err)
					continue
				}
				want := odd.bytes
				if w.absolute {
					want = proxyFields.ReplaceAllString(want, "")
				}
				if b := <-got; string(b) != want {
					t.Errorf("%s: sent %s\narrived %s", odd.name, clip([]byte(want)), clip(b))
				}
				if !bytes.HasSuffix(answer, []byte("\r\n\r\nok")) {
					t.Errorf("%s: answered %s", odd.name, clip(answer))
				}
				c.Close()
				if sent := recorded(t, rec, len(want)); string(sent) != want {
					t.Errorf("%s: sent %s\nrecorded %s", odd.name, clip([]byte(want)), clip(sent))
				}
			}
			rec.empty(t)
		})
	}
}

// proxyFields are those that a forward proxy is meant by, and keeps.
var proxyFields = regexp.MustCompile(`(?m)^Proxy-.*\n`)

// hasOriginForm reports whether all that the bytes ask for can be asked of a forward proxy by putting an authority
// before the first path: what follows on the connection goes the same way.
func hasOriginForm(request string) bool {
	line, _, _ := strings.Cut(strings.TrimLeft(request, "\r\n"), "\n")
	_, target, found := strings.Cut(line, " ")
	return found && strings.HasPrefix(target, "/")
}

// recorded returns the bytes of the requests recorded next, at least n of them.
func recorded(t *testing.T, rec *tape, n int) []byte {
	t.Helper()
	var sent []byte
	for len(sent) < n {
		e := rec.next(t)
		if (e.Response == nil) == (e.Fault == nil) {
			t.Errorf("%s %s has answer %v and fault %v", e.Request.Method, e.Request.Target, e.Response, e.Fault)
		}
		sent = append(append(sent, e.Request.Head...), e.Request.Body...)
	}
	return sent
}

// The client gets what the target answered, and the record says what it was.
func TestOddRepliesArriveAsSent(t *testing.T) {
	const request = "GET /a HTTP/1.1\r\nHost: api.example\r\n\r\n"
	if n := len(oddReplies()); n < 30 {
		t.Errorf("only %d replies", n)
	}
	for _, w := range allWays() {
		t.Run(w.name, func(t *testing.T) {
			replies := make(chan string, 1)
			rec, connect := w.open(t, func(c net.Conn) {
				b := make([]byte, len(request))
				io.ReadFull(c, b)
				io.WriteString(c, <-replies)
			})
			for _, odd := range oddReplies() {
				replies <- odd.bytes
				c := connect()
				io.WriteString(c, request)
				if got := readAll(t, c); string(got) != odd.bytes {
					t.Errorf("%s: sent %s\narrived %s", odd.name, clip([]byte(odd.bytes)), clip(got))
				}
				c.Close()
				e := rec.next(t)
				if err := checkReply(e, odd.bytes, odd.status, odd.kind); err != nil {
					t.Errorf("%s: %v", odd.name, err)
				}
			}
			rec.empty(t)
		})
	}
}

// checkReply says what of an answer is not in the record as it should be.
func checkReply(e *exchange.Exchange, reply string, status int, kind exchange.FaultKind) error {
	switch {
	case kind != "" && e.Fault == nil:
		return fmt.Errorf("recorded as %d, want fault %s", e.Response.Status, kind)
	case kind != "" && e.Fault.Kind != kind:
		return fmt.Errorf("recorded as fault %s, want %s", e.Fault, kind)
	case kind != "":
		if seen := string(e.Fault.Seen.Head) + string(e.Fault.Seen.Body); !strings.HasSuffix(reply, seen) || kind != exchange.FaultEOF && seen != reply {
			return fmt.Errorf("fault has seen %s", clip([]byte(seen)))
		}
		return nil
	case e.Fault != nil:
		return fmt.Errorf("recorded as fault %s, want status %d", e.Fault, status)
	case e.Response.Status != status:
		return fmt.Errorf("recorded as %d, want %d", e.Response.Status, status)
	}
	whole := string(e.Response.Interim) + string(e.Response.Head) + string(e.Response.Body)
	if !strings.HasPrefix(reply, whole) || len(whole) < len(reply) && !strings.Contains(reply, "408") {
		return fmt.Errorf("recorded %s", clip([]byte(whole)))
	}
	return nil
}

// HEAD and the answers that have no body in spite of their headers, several on one connection.
func TestAnswersWithoutBody(t *testing.T) {
	exchanges := []struct{ request, reply string }{
		{"HEAD /1 HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n"},
		{"HEAD /2 HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"},
		{"GET /3 HTTP/1.1\r\n\r\n", "HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\n\r\n"},
		{"POST /4 HTTP/1.1\r\nContent-Length: 1\r\n\r\nx", "HTTP/1.1 204 No Content\r\n\r\n"},
		{"GET /5 HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"},
	}
	for _, pipelined := range []bool{false, true} {
		t.Run(fmt.Sprintf("pipelined=%v", pipelined), func(t *testing.T) {
			rec, connect := ways()[0].open(t, func(c net.Conn) {
				if pipelined {
					io.ReadFull(c, make([]byte, len(exchanges[0].request)+len(exchanges[1].request)+len(exchanges[2].request)+len(exchanges[3].request)+len(exchanges[4].request)))
				}
				for _, x := range exchanges {
					if !pipelined {
						io.ReadFull(c, make([]byte, len(x.request)))
					}
					io.WriteString(c, x.reply)
				}
			})
			c := connect()
			for _, x := range exchanges {
				io.WriteString(c, x.request)
				if !pipelined {
					io.ReadFull(c, make([]byte, len(x.reply)))
				}
			}
			readAll(t, c)
			c.Close()
			for _, x := range exchanges {
				e := rec.next(t)
				if e.Response == nil || string(e.Request.Head)+string(e.Request.Body) != x.request ||
					string(e.Response.Head)+string(e.Response.Body) != x.reply {
					t.Errorf("%q: recorded %q, %+v", x.request, e.Request.Head, e.Response)
				}
			}
			rec.empty(t)
		})
	}
}
