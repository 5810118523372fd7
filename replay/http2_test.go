package replay

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
)

// serve2 starts an API that speaks HTTP/2, by TLS or by prior knowledge.
func serve2(t testing.TB, secure bool, h http.Handler) (api *httptest.Server, player *Player) {
	api = httptest.NewUnstartedServer(h)
	api.Config.ErrorLog = log.New(io.Discard, "", 0)
	api.Config.Protocols = new(http.Protocols)
	t.Cleanup(api.Close)
	if !secure {
		api.Config.Protocols.SetUnencryptedHTTP2(true)
		api.Start()
		return api, &Player{}
	}
	api.Config.Protocols.SetHTTP2(true)
	api.EnableHTTP2 = true
	api.StartTLS()
	roots := api.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	return api, &Player{TLS: &tls.Config{RootCAs: roots, ServerName: "example.com"}}
}

// add2 appends a request of HTTP/2.
func (p *tape) add2(method, target, fields, body string) *exchange.Exchange {
	e := p.add(fmt.Sprintf("%s %s HTTP/2.0\r\nhost: %s\r\n%s\r\n", method, target, p.addr, fields), body)
	e.Response = &exchange.Response{Status: 200}
	return e
}

// TestHTTP2 plays requests of every kind, each of which the API tells as it saw it.
func TestHTTP2(t *testing.T) {
	for _, secure := range []bool{false, true} {
		t.Run(fmt.Sprint("secure=", secure), func(t *testing.T) {
			var conns sync.Map
			api, player := serve2(t, secure, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				conns.Store(r.RemoteAddr, true)
				body, _ := io.ReadAll(r.Body)
				w.Header().Set("Link", "</x>")
				w.WriteHeader(http.StatusEarlyHints)
				w.Header().Set("Trailer", "X-Sum")
				fmt.Fprintf(w, "%s %s %s %s %q %d bytes, sum %s", r.Method, r.URL, r.Proto, r.Host, r.Header["X-A"], len(body), r.Trailer.Get("X-End"))
				_, _ = w.Write(bytes.Repeat([]byte("x"), len(r.Header.Get("X-Large"))*300_000))
				w.Header().Set("X-Sum", "of it")
			}))
			p := &tape{t: t, addr: api.Listener.Addr().String()}
			p.add2("GET", "/a?q=1", "x-a: 1\r\nx-a: 2\r\n", "")
			p.add2("POST", "/b", "", strings.Repeat("y", 3_000_000))
			p.add2("POST", "/c", "content-length: 3\r\nx-large: yes\r\n", "abc")
			p.add2("POST", "/d", "trailer: x-end\r\n", "abc").Request.Trailer = []byte("x-end: z\r\n\r\n")
			p.add2("GET", "/e", "x-long: "+strings.Repeat("l", 100_000)+"\r\n", "")
			for _, e := range p.list {
				e.Scheme = strings.Split(api.URL, ":")[0]
			}
			sum, observed := play(t, player, p)
			if sum.Reproduced != len(p.list) {
				t.Fatalf("%s", sum)
			}
			var got []string
			for _, o := range observed {
				r := o.Response
				text := strings.TrimRight(string(r.Body), "x")
				got = append(got, strings.ReplaceAll(text, p.addr, "HOST"))
				if r.Proto != "HTTP/2.0" || r.Malformed || !strings.Contains(string(r.Interim), "103") || string(r.Trailer) != "x-sum: of it\r\n\r\n" {
					t.Errorf("%s: %q, interim %q, trailer %q", text, r.Head, r.Interim, r.Trailer)
				}
			}
			want := []string{
				`GET /a?q=1 HTTP/2.0 HOST ["1" "2"] 0 bytes, sum `,
				`POST /b HTTP/2.0 HOST [] 3000000 bytes, sum `,
				`POST /c HTTP/2.0 HOST [] 3 bytes, sum `,
				`POST /d HTTP/2.0 HOST [] 3 bytes, sum z`,
				`GET /e HTTP/2.0 HOST [] 0 bytes, sum `,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the API saw (-want +got):\n%s", diff)
			}
			if n := len(observed[2].Response.Body); n < 900_000 {
				t.Errorf("a body of %d bytes", n)
			}
			n := 0
			conns.Range(func(any, any) bool { n++; return true })
			if n != 1 {
				t.Errorf("%d connections", n)
			}
		})
	}
}

// TestHTTP2Values carries values over in HTTP/2 as in HTTP/1.
func TestHTTP2Values(t *testing.T) {
	next := 100
	api, player := serve2(t, false, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == "POST":
			next += 7
			reply(w, 201, map[string]any{"id": next})
		case r.URL.Path == fmt.Sprint("/orders/", next):
			reply(w, 200, map[string]any{})
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	p := &tape{t: t, addr: api.Listener.Addr().String()}
	p.add2("POST", "/orders", "", "").Response = exchange.ParseResponse(exchange.Message{
		Head: []byte("HTTP/2.0 201 \r\ncontent-type: application/json\r\n\r\n"), Body: []byte(`{"id":12}`)})
	p.add2("GET", "/orders/12", "", "")
	if sum, _ := play(t, player, p); sum.Reproduced != 2 {
		t.Errorf("%s", sum)
	}
}

// raw2 answers the first stream of each connection with what handle does.
func raw2(t testing.TB, handle func(f *http2.Framer, conn net.Conn)) (addr string) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer conn.Close()
				if _, err := io.ReadFull(conn, make([]byte, len(wire.Preface))); err != nil {
					return
				}
				f := http2.NewFramer(conn, conn)
				for {
					frame, err := f.ReadFrame()
					if err != nil {
						return
					}
					if frame.Header().Type == http2.FrameHeaders {
						handle(f, conn)
						// What is left unread when a connection is closed resets it, and takes along what was written.
						_ = conn.(*net.TCPConn).CloseWrite()
						_, _ = io.Copy(io.Discard, conn)
						return
					}
				}
			})
		}
	})
	t.Cleanup(func() { ln.Close(); wg.Wait() })
	return ln.Addr().String()
}

// block packs fields.
func block(fields ...string) []byte {
	var b bytes.Buffer
	enc := hpack.NewEncoder(&b)
	for i := 0; i < len(fields); i += 2 {
		_ = enc.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	return b.Bytes()
}

// TestHTTP2Faults has an API break off in all sorts of ways.
func TestHTTP2Faults(t *testing.T) {
	ok := func(f *http2.Framer, end bool) {
		_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block(":status", "200"), EndHeaders: true, EndStream: end})
	}
	for _, c := range []struct {
		name   string
		handle func(f *http2.Framer, conn net.Conn)
		want   exchange.FaultKind
	}{
		{"closed", func(*http2.Framer, net.Conn) {}, exchange.FaultEOF},
		{"reset", func(f *http2.Framer, _ net.Conn) { _ = f.WriteRSTStream(1, http2.ErrCodeInternal) }, exchange.FaultReset},
		{"going away", func(f *http2.Framer, _ net.Conn) { _ = f.WriteGoAway(0, http2.ErrCodeNo, nil) }, exchange.FaultEOF},
		{"cut off", func(f *http2.Framer, _ net.Conn) { ok(f, false); _ = f.WriteData(1, false, []byte("half")) }, exchange.FaultTruncated},
		{"HTTP/1", func(_ *http2.Framer, conn net.Conn) { fmt.Fprint(conn, "HTTP/1.1 400 Bad Request\r\n\r\nno\r\n") }, exchange.FaultUnparseable},
		{"no header block", func(f *http2.Framer, _ net.Conn) {
			_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0xff, 0xff, 0xff, 0xff, 0xff}, EndHeaders: true})
		}, exchange.FaultReset},
		{"endless 1xx", func(f *http2.Framer, _ net.Conn) {
			for f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndHeaders: true,
				BlockFragment: block(":status", "103", "x", strings.Repeat("l", 10_000))}) == nil {
			}
		}, exchange.FaultUnparseable},
		{"an answer", func(f *http2.Framer, _ net.Conn) { ok(f, true) }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &tape{t: t, addr: raw2(t, c.handle)}
			e := p.add2("GET", "/", "", "")
			if e.Fault = (&exchange.Fault{Kind: c.want}); c.want == "" {
				e.Fault = nil
			} else {
				e.Response = nil
			}
			sum, observed := play(t, &Player{Timeout: 20 * time.Second}, p)
			if sum.Reproduced != 1 {
				t.Errorf("%s; %v", sum, observed[0].Fault)
			}
		})
	}
}

// TestHTTP2ClosedBetween has an API that ends each connection behind its first answer, announced or not: the request is sent
// again on another.
func TestHTTP2ClosedBetween(t *testing.T) {
	for _, announced := range []bool{true, false} {
		var opened atomic.Int32
		addr := raw2(t, func(f *http2.Framer, _ net.Conn) {
			opened.Add(1)
			_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block(":status", "200"), EndHeaders: true, EndStream: true})
			if announced {
				_ = f.WriteGoAway(1, http2.ErrCodeNo, nil)
			}
		})
		p := &tape{t: t, addr: addr}
		for range 5 {
			p.add2("GET", "/", "", "")
		}
		if sum, _ := play(t, &Player{}, p); sum.Reproduced != 5 || opened.Load() != 5 {
			t.Errorf("announced=%v: %s; %d connections", announced, sum, opened.Load())
		}
	}
}

// FuzzHTTP2 has an API answer with anything.
func FuzzHTTP2(f *testing.F) {
	var good bytes.Buffer
	framer := http2.NewFramer(&good, nil)
	_ = framer.WriteSettings()
	_ = framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block(":status", "200", "a", "b"), EndHeaders: true})
	_ = framer.WriteData(1, true, []byte("hello"))
	f.Add(good.Bytes())
	f.Add([]byte("HTTP/1.1 200 OK\r\n\r\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		ours, theirs := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, theirs) }()
		go func() { _, _ = theirs.Write(in); theirs.Close() }()
		l := &link{conn: ours, raw: ours, stop: func() bool { return true }}
		defer l.close()
		l.speakHTTP2("http")
		e := (&tape{t: t, addr: "a"}).add2("POST", "/", "", strings.Repeat("b", 100))
		o := &exchange.Observation{Start: time.Now()}
		_ = ours.SetDeadline(time.Now().Add(10 * time.Second))
		l.roundTrip2(&step{exchange: e, request: e.Request}, o)
		if (o.Response == nil) == (o.Fault == nil) {
			t.Fatalf("response %v, fault %v", o.Response, o.Fault)
		}
		if o.Fault != nil && o.Fault.Kind == exchange.FaultTimeout {
			t.Fatal("it hangs")
		}
	})
}
