package proxy_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/proxy"
	"github.com/google/go-cmp/cmp"
)

const (
	upgrade   = "GET /ws HTTP/1.1\r\nHost: api.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n"
	switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
)

// A WebSocket passes byte for byte, and is in the record with the frames of both directions as they alternated.
func TestWebSocket(t *testing.T) {
	frames := []struct{ fromClient, fromAPI string }{
		{"", "\x81\x02hi"}, // in one packet with the answer
		{"\x81\x85\x01\x02\x03\x04igohn", "\x81\x05hello"},
		{"\xc1\x07\xf2\x48\xcd\xc9\xc9\x07\x00", "\xc1\x07\xf2\x48\xcd\xc9\xc9\x07\x00"}, // permessage-deflate, RFC 7692 §7.2.3.1
		{"GET / HTTP/1.1\r\n\r\n", "\x8a\x00"},                                           // no frame at all, but for its first bytes
	}
	for _, w := range allWays() {
		t.Run(w.name, func(t *testing.T) {
			rec, connect := w.open(t, func(c net.Conn) {
				r := swallow(t, c)
				for i, f := range frames {
					if _, err := io.ReadFull(r, make([]byte, len(f.fromClient))); err != nil {
						t.Error(err)
					}
					if i == 0 {
						f.fromAPI = switching + f.fromAPI
					}
					io.WriteString(c, f.fromAPI)
				}
				io.Copy(io.Discard, r)
			})
			c := connect()
			io.WriteString(c, upgrade)
			r := bufio.NewReader(c)
			if head, _ := readHead(r); head != switching {
				t.Errorf("got %q", head)
			}
			for _, f := range frames {
				io.WriteString(c, f.fromClient)
				got := make([]byte, len(f.fromAPI))
				if _, err := io.ReadFull(r, got); err != nil || string(got) != f.fromAPI {
					t.Errorf("got %q, %v; want %q", got, err, f.fromAPI)
				}
			}
			rec.empty(t) // it goes on
			c.Close()
			checkWebSocket(t, rec.next(t), frames)
			rec.empty(t)
		})
	}
}

func checkWebSocket(t *testing.T, e *exchange.Exchange, frames []struct{ fromClient, fromAPI string }) {
	t.Helper()
	var sent, got string
	for _, f := range frames {
		sent, got = sent+f.fromClient, got+f.fromAPI
	}
	if e.Response == nil || string(e.Request.Tunnel) != sent || string(e.Response.Tunnel) != got || len(e.Response.Body)+len(e.Request.Body) > 0 {
		t.Fatalf("recorded %+v, fault %v", e, e.Fault)
	}
	var seen []string
	last := e.Latency
	for i, f := range e.Frames() {
		seen = append(seen, fmt.Sprintf("%v %x %q", f.FromClient, f.Flags, f.Data))
		if f.At < last {
			t.Errorf("frame %d after %v, the one before after %v", i, f.At, last)
		}
		last = f.At
	}
	want := []string{`false 81 "hi"`, `true 81 "hello"`, `false 81 "hello"`, `true c1 "\xf2H\xcd\xc9\xc9\a\x00"`,
		`false c1 "\xf2H\xcd\xc9\xc9\a\x00"`, `false 8a ""`}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("frames (-want +got):\n%s", diff)
	}
}

// What is kept of a tunnel has a bound, and what passes has none.
func TestTunnelBound(t *testing.T) {
	rec := newTape()
	a := listen(t, nil, func(c net.Conn) {
		r := swallow(t, c)
		io.WriteString(c, switching)
		io.Copy(c, r)
	})
	c := dial(t, serve(t, &proxy.Proxy{Target: a.url("http"), Recorder: rec, MaxBody: 10}))
	const sent = "0123456789abcdefghijklmnopqrstuvwxyz"
	io.WriteString(c, upgrade+sent[:3]) // without waiting for the answer
	io.WriteString(c, sent[3:])
	got := make([]byte, len(switching+sent))
	if _, err := io.ReadFull(c, got); err != nil || string(got) != switching+sent {
		t.Errorf("got %q, %v", got, err)
	}
	c.Close()
	e := rec.next(t)
	for _, m := range []exchange.Message{e.Request.Message, e.Response.Message} {
		if string(m.Tunnel) != sent[:10] || m.Cut != int64(len(sent)-10) || len(m.Marks) == 0 || m.Marks[len(m.Marks)-1].End != 10 {
			t.Errorf("kept %q, cut %d, marks %v", m.Tunnel, m.Cut, m.Marks)
		}
	}
}

// Events and lines pass when they come, not when the answer is whole, and the record says when each came.
func TestStream(t *testing.T) {
	const part = "data: x\n\n"
	kinds := map[string]struct{ head, before, after, end string }{
		"until close": {"Content-Type: text/event-stream\r\n", "", "", ""},
		"chunked":     {"Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n", "9\r\n", "\r\n", "0\r\n\r\n"},
		"lines":       {"Content-Type: application/x-ndjson\r\nConnection: close\r\n", "", "", ""},
	}
	for _, w := range allWays() {
		for name, kind := range kinds {
			t.Run(w.name+"/"+name, func(t *testing.T) {
				ready := make(chan struct{})
				rec, connect := w.open(t, func(c net.Conn) {
					swallow(t, c)
					io.WriteString(c, "HTTP/1.1 200 OK\r\n"+kind.head+"\r\n")
					for range 5 {
						io.WriteString(c, kind.before+part+kind.after)
						<-ready // the client has it
					}
					io.WriteString(c, kind.end)
				})
				c := connect()
				io.WriteString(c, get)
				r := bufio.NewReader(c)
				readHead(r)
				for range 5 {
					if _, err := io.ReadFull(r, make([]byte, len(kind.before+part+kind.after))); err != nil {
						t.Fatal(err)
					}
					ready <- struct{}{}
				}
				readAll(t, r)
				e := rec.next(t)
				if e.Response == nil || string(e.Response.Body) != strings.Repeat(kind.before+part+kind.after, 5)+kind.end {
					t.Fatalf("recorded %+v, %v", e.Response, e.Fault)
				}
				parts := e.Frames()
				if len(parts) != 5 {
					t.Fatalf("%d parts: %+v", len(parts), parts)
				}
				for i, p := range parts {
					if strings.TrimSpace(string(p.Data)) != "data: x" || p.At <= 0 || p.At > e.Latency || i > 0 && p.At <= parts[i-1].At {
						t.Errorf("part %d of %v: %+v", i, e.Latency, p)
					}
				}
			})
		}
	}
}
