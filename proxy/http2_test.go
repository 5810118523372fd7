package proxy_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/proxy"
	"github.com/google/go-cmp/cmp"
)

// http2Way is a way on which HTTP/2 reaches an API.
type http2Way struct {
	name   string
	scheme string
	secure bool // the API is told by TLS
	// open starts a recorder in front of the API and returns its tape, and a client of it with the base URL to use.
	open func(t *testing.T, api *httptest.Server, upstream *tls.Config) (*tape, *http.Transport, string)
}

func http2Ways() []http2Way {
	reverse := func(t *testing.T, api *httptest.Server, upstream *tls.Config) (*tape, *http.Transport, string) {
		rec := newTape()
		target, _ := url.Parse(api.URL)
		return rec, priorKnowledge(), "http://" + serve(t, &proxy.Proxy{Target: target, Recorder: rec, UpstreamTLS: upstream})
	}
	return []http2Way{
		{"reverse", "http", false, reverse},
		{"reverse, TLS target", "https", true, reverse},
		{"intercepted", "https", true, func(t *testing.T, api *httptest.Server, upstream *tls.Config) (*tape, *http.Transport, string) {
			rec, own := newTape(), newTrust(t)
			addr := serve(t, &proxy.Proxy{Recorder: rec, Leaves: own, UpstreamTLS: upstream})
			via := &http.Transport{
				Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: addr}), TLSClientConfig: &tls.Config{RootCAs: own.pool}, ForceAttemptHTTP2: true,
			}
			return rec, via, api.URL
		}},
		{"plain within CONNECT", "http", false, func(t *testing.T, api *httptest.Server, _ *tls.Config) (*tape, *http.Transport, string) {
			rec := newTape()
			addr := serve(t, &proxy.Proxy{Recorder: rec, Leaves: newTrust(t)})
			via := priorKnowledge()
			via.DialContext = func(_ context.Context, _, to string) (net.Conn, error) { return openTunnel(t, addr, to), nil }
			return rec, via, api.URL
		}},
		{"redirected", "http", false, func(t *testing.T, api *httptest.Server, _ *tls.Config) (*tape, *http.Transport, string) {
			rec := newTape()
			addr := serve(t, &proxy.Proxy{Recorder: rec, Leaves: newTrust(t), Redirected: to(api.Listener.Addr().String())})
			via := priorKnowledge()
			via.DialContext = func(context.Context, string, string) (net.Conn, error) { return dial(t, addr), nil }
			return rec, via, api.URL
		}},
		{"redirected, TLS", "https", true, func(t *testing.T, api *httptest.Server, upstream *tls.Config) (*tape, *http.Transport, string) {
			rec, own := newTape(), newTrust(t)
			addr := serve(t, &proxy.Proxy{Recorder: rec, Leaves: own, UpstreamTLS: upstream, Redirected: to(api.Listener.Addr().String())})
			via := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: own.pool}, ForceAttemptHTTP2: true}
			via.DialContext = func(context.Context, string, string) (net.Conn, error) { return dial(t, addr), nil }
			return rec, via, api.URL
		}},
	}
}

// priorKnowledge returns the transport of a client that begins with HTTP/2 unasked.
func priorKnowledge() *http.Transport {
	via := &http.Transport{Protocols: new(http.Protocols)}
	via.Protocols.SetUnencryptedHTTP2(true)
	return via
}

// serveAPI starts an API that speaks HTTP/2 on the way w, and a recorder in front of it.
func (w http2Way) serveAPI(t *testing.T, h http.Handler) (*tape, *http.Client, string) {
	t.Helper()
	api := httptest.NewUnstartedServer(h)
	api.Config.ErrorLog = log.New(io.Discard, "", 0)
	api.Config.Protocols = new(http.Protocols)
	api.Config.Protocols.SetHTTP1(true)
	var upstream *tls.Config
	if w.secure {
		api.Config.Protocols.SetHTTP2(true)
		api.EnableHTTP2 = true
		api.StartTLS()
		upstream = api.Client().Transport.(*http.Transport).TLSClientConfig
	} else {
		api.Config.Protocols.SetUnencryptedHTTP2(true)
		api.Start()
	}
	rec, via, base := w.open(t, api, upstream)
	t.Cleanup(func() {
		via.CloseIdleConnections()
		api.CloseClientConnections()
		api.Close()
	})
	return rec, &http.Client{Transport: via}, base
}

// Requests of a real client, many at a time over one connection, with bodies, interim answers and trailers.
func TestHTTP2(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Link", "</x>")
		w.WriteHeader(103)
		w.Header().Del("Link")
		w.Header().Set("Trailer", "X-Sum")
		w.Header().Set("X-Got", r.Trailer.Get("X-End"))
		w.WriteHeader(201)
		fmt.Fprintf(w, "%s %s %s", r.Proto, r.URL, body)
		w.Header().Set("X-Sum", "of "+string(body))
	})
	for _, w := range http2Ways() {
		t.Run(w.name, func(t *testing.T) {
			rec, client, base := w.serveAPI(t, handler)
			var wg sync.WaitGroup
			for i := range 20 {
				wg.Go(func() { postHTTP2(t, client, base, i) })
			}
			wg.Wait()
			seen := map[string]bool{}
			for range 20 {
				e := rec.next(t)
				checkHTTP2(t, w, base, e)
				seen[e.Request.Target] = true
			}
			if len(seen) != 20 {
				t.Errorf("recorded %d of 20 requests", len(seen))
			}
			rec.empty(t)
		})
	}
}

// large is more than one frame, and more than one window.
var large = strings.Repeat("0123456789", 20_000)

func postHTTP2(t *testing.T, client *http.Client, base string, i int) {
	body := fmt.Sprintf("%d %s", i, large)
	req, _ := http.NewRequest("POST", fmt.Sprintf("%s/a?i=%d", base, i), struct{ io.Reader }{strings.NewReader(body)})
	req.Header.Set("X-Schemathesis-TestCaseId", fmt.Sprint("case", i))
	req.Header["X-Big"] = []string{strings.Repeat("x", 30<<10)} // needs CONTINUATION
	req.Trailer = http.Header{"X-End": {"end"}}
	resp, err := client.Do(req)
	if err != nil {
		t.Error(err)
		return
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if want := fmt.Sprintf("HTTP/2.0 /a?i=%d %s", i, body); err != nil || string(got) != want || resp.Trailer.Get("X-Sum") != "of "+body {
		t.Errorf("%d: got %s, %v, trailers of %d bytes", i, clip(got), err, len(resp.Trailer.Get("X-Sum")))
	}
}

func checkHTTP2(t *testing.T, w http2Way, base string, e *exchange.Exchange) {
	t.Helper()
	if e.Response == nil {
		t.Fatalf("recorded fault %s", e.Fault)
	}
	i := e.Request.Header.Get("X-Schemathesis-TestCaseId")
	body := strings.TrimPrefix(i, "case") + " " + large
	host := strings.TrimPrefix(strings.TrimPrefix(base, "https://"), "http://")
	got := []string{
		e.Scheme, e.Request.Method, e.Request.Target, e.Request.Proto, e.Request.Header[0].Name, e.Request.Header[0].Value, e.Sequence,
		string(e.Request.Trailer), string(e.Request.Body), fmt.Sprint(e.Request.Malformed),
		string(e.Response.Interim), e.Response.Proto, fmt.Sprint(e.Response.Status), e.Response.Header.Get("X-Got"),
		string(e.Response.Body), string(e.Response.Trailer), fmt.Sprint(e.Response.Malformed),
	}
	want := []string{
		w.scheme, "POST", "/a?i=" + strings.TrimPrefix(i, "case"), "HTTP/2.0", "host", host, i,
		"x-end: end\r\n\r\n", body, "false",
		"HTTP/2.0 103 \r\nlink: </x>\r\n\r\n", "HTTP/2.0", "201", "end",
		"HTTP/2.0 " + e.Request.Target + " " + body, "x-sum: of " + body + "\r\n\r\n", "false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("recorded (-want +got):\n%.2000s", diff)
	}
}

// gRPC, hand-made: messages both ways in turn over one stream, and a status in the trailers. Each message passes when it
// is sent.
func TestGRPC(t *testing.T) {
	message := func(i int) string { return fmt.Sprintf("\x00\x00\x00\x00\x05msg %d", i) }
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/grpc+proto")
		w.Header().Set("Trailer", "grpc-status")
		for i := range 3 {
			got := make([]byte, len(message(i)))
			if _, err := io.ReadFull(r.Body, got); err != nil || string(got) != message(i) {
				t.Errorf("API got %q, %v", got, err)
			}
			w.Write(got)
			w.(http.Flusher).Flush()
		}
		w.Header().Set("Grpc-Status", "0")
	})
	for _, w := range http2Ways() {
		t.Run(w.name, func(t *testing.T) {
			rec, client, base := w.serveAPI(t, handler)
			r, send := io.Pipe()
			req, _ := http.NewRequest("POST", base+"/pkg.Service/Method", r)
			req.Header.Set("Content-Type", "application/grpc+proto")
			req.Header.Set("Te", "trailers")
			first := make(chan struct{})
			go func() {
				io.WriteString(send, message(0))
				close(first)
			}()
			resp, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			<-first
			for i := range 3 {
				if i > 0 {
					io.WriteString(send, message(i))
				}
				got := make([]byte, len(message(i)))
				if _, err := io.ReadFull(resp.Body, got); err != nil || string(got) != message(i) {
					t.Errorf("client got %q, %v", got, err)
				}
			}
			send.Close()
			readAll(t, resp.Body)
			if resp.Trailer.Get("Grpc-Status") != "0" {
				t.Errorf("trailers are %v", resp.Trailer)
			}
			checkGRPC(t, rec.next(t))
		})
	}
}

func checkGRPC(t *testing.T, e *exchange.Exchange) {
	t.Helper()
	if e.Response == nil || string(e.Response.Trailer) != "grpc-status: 0\r\n\r\n" {
		t.Fatalf("recorded %+v, %v", e.Response, e.Fault)
	}
	var seen []string
	last := e.Frames()[0]
	for _, f := range e.Frames() {
		seen = append(seen, fmt.Sprintf("%v %s", f.FromClient, f.Data))
		if f.At < last.At {
			t.Errorf("%s after %v, %s after %v", last.Data, last.At, f.Data, f.At)
		}
		last = f
	}
	if want := "true msg 0|false msg 0|true msg 1|false msg 1|true msg 2|false msg 2"; strings.Join(seen, "|") != want {
		t.Errorf("messages are %s", seen)
	}
}

// Events pass one by one, with the times of each.
func TestHTTP2Events(t *testing.T) {
	for _, w := range http2Ways() {
		t.Run(w.name, func(t *testing.T) {
			taken := make(chan struct{})
			rec, client, base := w.serveAPI(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				for range 3 {
					io.WriteString(w, "data: x\n\n")
					w.(http.Flusher).Flush()
					<-taken
				}
			}))
			resp, err := client.Get(base + "/events")
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				io.ReadFull(resp.Body, make([]byte, 9))
				taken <- struct{}{}
			}
			readAll(t, resp.Body)
			if parts := rec.next(t).Frames(); len(parts) != 3 || parts[0].At >= parts[1].At || parts[1].At >= parts[2].At {
				t.Errorf("parts are %+v", parts)
			}
		})
	}
}

// A stream that either side breaks off is broken off on the other at once, and a fault in the record.
func TestHTTP2Faults(t *testing.T) {
	for _, w := range http2Ways() {
		t.Run(w.name, func(t *testing.T) {
			felt := make(chan struct{})
			rec, client, base := w.serveAPI(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/abort":
					panic(http.ErrAbortHandler)
				case "/cut":
					io.WriteString(w, "half of")
					w.(http.Flusher).Flush()
					panic(http.ErrAbortHandler)
				case "/wait":
					io.WriteString(w, "wait")
					w.(http.Flusher).Flush()
					<-r.Context().Done()
					close(felt)
				}
			}))
			if _, err := client.Get(base + "/abort"); err == nil || !strings.Contains(err.Error(), "INTERNAL_ERROR") {
				t.Errorf("aborted: %v", err)
			}
			e := rec.next(t)
			if wantFault(t, e, exchange.FaultReset, ""); !strings.Contains(e.Fault.Text, "INTERNAL_ERROR") {
				t.Errorf("fault is %s", e.Fault)
			}
			resp, err := client.Get(base + "/cut")
			if err != nil {
				t.Fatal(err)
			}
			if b, err := io.ReadAll(resp.Body); err == nil || string(b) != "half of" {
				t.Errorf("cut: %q, %v", b, err)
			}
			if e := rec.next(t); e.Fault == nil || e.Fault.Kind != exchange.FaultReset || string(e.Fault.Seen.Body) != "half of" {
				t.Errorf("recorded %+v, %v", e.Response, e.Fault)
			}
			ctx, cancel := context.WithCancel(context.Background())
			req, _ := http.NewRequestWithContext(ctx, "GET", base+"/wait", nil)
			if resp, err = client.Do(req); err != nil {
				t.Fatal(err)
			}
			io.ReadFull(resp.Body, make([]byte, 4))
			cancel()
			<-felt
			if e := rec.next(t); e.Fault == nil || e.Fault.Kind != exchange.FaultClient || string(e.Fault.Seen.Body) != "wait" {
				t.Errorf("recorded %+v, %v", e.Response, e.Fault)
			}
			rec.empty(t)
		})
	}
}

// Within a tunnel the client and the target agree on a protocol as they would without a recorder.
func TestProtocolIsTheirChoice(t *testing.T) {
	ca, own := newTrust(t), newTrust(t)
	offers := [][]string{nil, {"http/1.1"}, {"h2", "http/1.1"}, {"http/1.1", "h2"}, {"h2"}, {"x-odd", "h2"}}
	for _, server := range offers {
		config := ca.server(t)
		config.NextProtos = server
		a := listen(t, config, func(c net.Conn) { io.Copy(io.Discard, c) })
		addr := serve(t, &proxy.Proxy{Leaves: own, UpstreamTLS: ca.client()})
		for _, client := range offers {
			config := ca.client()
			config.NextProtos = client
			direct := tls.Client(dial(t, a.addr()), config)
			want := direct.Handshake()
			config = own.client()
			config.NextProtos = client
			through := tls.Client(openTunnel(t, addr, a.addr()), config)
			got := through.Handshake()
			if (want == nil) != (got == nil) || direct.ConnectionState().NegotiatedProtocol != through.ConnectionState().NegotiatedProtocol {
				t.Errorf("%v and %v: %q, %v; without a recorder %q, %v", client, server,
					through.ConnectionState().NegotiatedProtocol, got, direct.ConnectionState().NegotiatedProtocol, want)
			}
			direct.Close()
			through.Close()
		}
	}
}

// Who has no credentials gets nothing recorded in HTTP/2 either.
func TestHTTP2WithoutCredentials(t *testing.T) {
	rec, via := newTape(), priorKnowledge()
	p := &proxy.Proxy{Recorder: rec, Auth: "ada:pw"}
	_, err := (&http.Client{Transport: via}).Get("http://" + serve(t, p) + "/a")
	via.CloseIdleConnections()
	if rec.empty(t); err == nil || p.Stats().Denied == 0 {
		t.Errorf("client got %v, counted %+v", err, p.Stats())
	}
}

// A target that is not there: reset in reverse mode. A forward proxy that is told no host says so in HTTP/2.
func TestHTTP2Refused(t *testing.T) {
	a := listen(t, nil, func(net.Conn) {})
	a.close()
	for _, p := range []*proxy.Proxy{{Target: a.url("http")}, {}} {
		rec := newTape()
		p.Recorder = rec
		via := priorKnowledge()
		_, err := (&http.Client{Transport: via}).Get("http://" + serve(t, p) + "/a")
		via.CloseIdleConnections()
		e := rec.next(t)
		wantFault(t, e, exchange.FaultDial, "")
		if e.Request.Target != "/a" || e.Request.Proto != "HTTP/2.0" {
			t.Errorf("recorded %+v", e.Request)
		}
		if p.Target != nil && (!wasReset(err) || len(e.Fault.Told.Head) > 0) {
			t.Errorf("client got %v; recorded as our own answer %q", err, e.Fault.Told.Head)
		}
		if p.Target == nil && (err == nil || !bytes.Contains(e.Fault.Told.Head, []byte("flaketap: dial"))) {
			t.Errorf("client got %v; recorded as our own answer %q", err, e.Fault.Told.Head)
		}
	}
}
