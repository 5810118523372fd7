package proxy_test

import (
	"bufio"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/elazarl/goproxy"
	"github.com/flaketap/flaketap/proxy"
)

// rival is a proxy that the corpus goes through.
type rival struct {
	name string
	// connect starts one in front of an API, and returns a connection to it as a client makes one.
	connect func(b *testing.B, a *api, own, upstream trust) net.Conn
}

// rivals are flaketap and the two that Go programs reach for: goproxy as it comes, ReverseProxy told to leave alone what
// it can be told to. Plain, they stand in front of the API. With TLS they take it off and put it on again, flaketap and
// goproxy within a tunnel.
func rivals(secure bool) []rival {
	if secure {
		return []rival{{"flaketap", flaketapTLS}, {"goproxy", goproxyTLS}, {"ReverseProxy", reverseProxyTLS}}
	}
	return []rival{
		{"flaketap", func(b *testing.B, a *api, _, _ trust) net.Conn {
			return dial(b, serve(b, &proxy.Proxy{Target: a.url("http"), ReverseOnly: true}))
		}},
		{"goproxy", func(b *testing.B, a *api, _, _ trust) net.Conn {
			g := goproxy.NewProxyHttpServer()
			g.Logger = log.New(io.Discard, "", 0)
			g.NonproxyHandler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				r.URL.Scheme, r.URL.Host = "http", a.addr()
				g.ServeHTTP(w, r)
			})
			return dial(b, serveHTTP(b, g, nil))
		}},
		{"ReverseProxy", func(b *testing.B, a *api, _, _ trust) net.Conn {
			return dial(b, serveHTTP(b, reverseProxy(b, a.url("http"), &http.Transport{}), nil))
		}},
	}
}

func flaketapTLS(b *testing.B, a *api, own, upstream trust) net.Conn {
	addr := serve(b, &proxy.Proxy{Leaves: own, UpstreamTLS: upstream.client()})
	return throughTunnel(b, addr, a.addr(), own.client())
}

func goproxyTLS(b *testing.B, a *api, own, upstream trust) net.Conn {
	g := goproxy.NewProxyHttpServer()
	g.Logger = log.New(io.Discard, "", 0)
	g.Tr = &http.Transport{TLSClientConfig: upstream.client()}
	b.Cleanup(g.Tr.CloseIdleConnections)
	ca := own.TLSCertificate()
	g.OnRequest().HandleConnectFunc(func(host string, _ *goproxy.ProxyCtx) (*goproxy.ConnectAction, string) {
		return &goproxy.ConnectAction{Action: goproxy.ConnectMitm, TLSConfig: goproxy.TLSConfigFromCA(&ca)}, host
	})
	return throughTunnel(b, serveHTTP(b, g, nil), a.addr(), own.client())
}

func reverseProxyTLS(b *testing.B, a *api, own, upstream trust) net.Conn {
	p := reverseProxy(b, a.url("https"), &http.Transport{TLSClientConfig: upstream.client()})
	c := tls.Client(dial(b, serveHTTP(b, p, own.server(b))), own.client())
	if err := c.Handshake(); err != nil {
		b.Fatal(err)
	}
	return c
}

func reverseProxy(b *testing.B, target *url.URL, via *http.Transport) http.Handler {
	via.DisableCompression = true
	p := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
		},
		Transport: via, FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0),
	}
	b.Cleanup(via.CloseIdleConnections)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Date"], w.Header()["Content-Type"] = nil, nil // or the server adds its own
		p.ServeHTTP(w, r)
	})
}

// serveHTTP runs a handler until the benchmark ends and returns its address.
func serveHTTP(b *testing.B, h http.Handler, secure *tls.Config) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	addr := ln.Addr().String()
	if secure != nil {
		ln = tls.NewListener(ln, secure)
	}
	s := &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0)}
	done := make(chan struct{})
	go func() {
		s.Serve(ln)
		close(done)
	}()
	b.Cleanup(func() {
		s.Close()
		<-done
	})
	return addr
}

// What a rival says may take slow to begin; once it is silent for a while, that counts as all: rivals keep connections
// open that a wire would have closed.
const (
	slow   = 2 * time.Second
	silent = 300 * time.Millisecond
)

// BenchmarkCorpus counts the messages of the corpus that come out of each proxy as they went in.
func BenchmarkCorpus(b *testing.B) {
	own, upstream := newTrust(b), newTrust(b)
	for _, secure := range []bool{false, true} {
		way, config := "plain", (*tls.Config)(nil)
		if secure {
			way, config = "TLS", upstream.server(b)
		}
		for _, r := range rivals(secure) {
			b.Run("requests/"+way+"/"+r.name, func(b *testing.B) {
				count(b, len(oddRequests()), func(i int) bool {
					return requestArrives(b, r, config, own, upstream, oddRequests()[i].bytes)
				})
			})
			b.Run("replies/"+way+"/"+r.name, func(b *testing.B) {
				count(b, len(oddReplies()), func(i int) bool {
					return replyArrives(b, r, config, own, upstream, oddReplies()[i].bytes)
				})
			})
		}
	}
}

// count reports for how many of n the test holds, a few at a time.
func count(b *testing.B, n int, holds func(i int) bool) {
	for range b.N {
		var identical atomic.Int64
		var wg sync.WaitGroup
		few := make(chan struct{}, 12)
		for i := range n {
			few <- struct{}{}
			wg.Go(func() {
				if holds(i) {
					identical.Add(1)
				}
				<-few
			})
		}
		wg.Wait()
		b.ReportMetric(float64(identical.Load()), "identical")
		b.ReportMetric(float64(n), "of")
	}
}

// requestArrives sends a request through a rival, and reports whether it arrives byte for byte, and nothing else.
func requestArrives(b *testing.B, r rival, secure *tls.Config, own, upstream trust, request string) bool {
	got := make(chan string, 16)
	a := listen(b, secure, func(c net.Conn) {
		got <- readFor(c, len(request)+1)
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
	})
	c := r.connect(b, a, own, upstream)
	go io.WriteString(c, request) // which may never be read
	readFor(c, 1<<20)
	c.Close()
	a.close()
	return len(got) == 1 && <-got == request
}

// replyArrives has a request answered through a rival, and reports whether the answer arrives byte for byte.
func replyArrives(b *testing.B, r rival, secure *tls.Config, own, upstream trust, reply string) bool {
	a := listen(b, secure, func(c net.Conn) {
		readHead(bufio.NewReader(c))
		io.WriteString(c, reply)
	})
	c := r.connect(b, a, own, upstream)
	io.WriteString(c, get)
	arrived := readFor(c, len(reply)+1)
	c.Close()
	a.close()
	return arrived == reply
}

// readFor reads n bytes, or what comes until the peer is silent or gone.
func readFor(c net.Conn, n int) string {
	got := make([]byte, 0, n)
	c.SetReadDeadline(time.Now().Add(slow))
	for len(got) < n {
		k, err := c.Read(got[len(got):n])
		got = got[:len(got)+k]
		if err != nil {
			break
		}
		c.SetReadDeadline(time.Now().Add(silent))
	}
	return string(got)
}
