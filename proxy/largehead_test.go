package proxy_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/proxy"
)

// Heads of any size pass as they are and end where they end: the record holds their beginning, says how much is
// missing, and what follows on the connection is an exchange of its own.
func TestLargeHeads(t *testing.T) {
	const kept = 1088 << 10
	for name, large := range map[string]string{
		"one field":   "X: " + strings.Repeat("x", 5<<20) + "\r\n",
		"many fields": strings.Repeat("A: b\r\n", 1<<20),
	} {
		answer := "HTTP/1.1 200 OK\r\n" + large + "Content-Length: 2\r\n\r\n"
		for _, way := range []string{"reverse", "forward"} {
			t.Run(name+", "+way, func(t *testing.T) {
				arrived := make(chan []byte, 2)
				a := listen(t, nil, func(c net.Conn) {
					r := bufio.NewReader(c)
					for range 2 {
						arrived <- request(t, r)
						_, _ = io.WriteString(c, answer+"ok")
					}
				})
				rec, prefix := newTape(), ""
				p := &proxy.Proxy{Recorder: rec}
				if way == "reverse" {
					p.Target = a.url("http")
				} else {
					prefix = "http://" + a.addr()
				}
				c, err := net.Dial("tcp", serve(t, p))
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				r := bufio.NewReader(c)
				for i := range 2 {
					fields := "Host: x\r\n" + large + "Content-Length: 4\r\n\r\n"
					_, _ = io.WriteString(c, fmt.Sprintf("PUT %s/%d HTTP/1.1\r\n%sbody", prefix, i, fields))
					head := fmt.Sprintf("PUT /%d HTTP/1.1\r\n%s", i, fields)
					if got := <-arrived; string(got) != head+"body" {
						t.Fatalf("sent %s, arrived %s", clip([]byte(head)), clip(got))
					}
					got := make([]byte, len(answer)+2)
					if _, err := io.ReadFull(r, got); err != nil || string(got) != answer+"ok" {
						t.Fatalf("answered %s: %v", clip(got), err)
					}
					e := rec.next(t)
					if e.Response == nil {
						t.Fatalf("fault %v", e.Fault)
					}
					if m := e.Request; !m.Malformed || string(m.Head) != head[:kept] || string(m.Body) != "body" || m.Cut != int64(len(head)-kept) {
						t.Errorf("recorded request: malformed %v, %d bytes of head, body %q, %d missing", m.Malformed, len(m.Head), m.Body, m.Cut)
					}
					if m := e.Response; !m.Malformed || string(m.Head) != answer[:kept] || string(m.Body) != "ok" || m.Cut != int64(len(answer)-kept) {
						t.Errorf("recorded answer: malformed %v, %d bytes of head, body %q, %d missing", m.Malformed, len(m.Head), m.Body, m.Cut)
					}
				}
			})
		}
	}
}

// request reads a request with a body of four bytes.
func request(t *testing.T, r *bufio.Reader) []byte {
	var b bytes.Buffer
	for {
		line, err := r.ReadBytes('\n')
		b.Write(line)
		if err != nil {
			t.Error(err)
			return nil
		}
		if string(line) == "\r\n" {
			_, _ = io.CopyN(&b, r, 4)
			return b.Bytes()
		}
	}
}
