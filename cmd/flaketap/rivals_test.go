package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/elazarl/goproxy"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/certs"
	"github.com/flaketap/flaketap/store"
)

// way is one way to the API: straight, or through a rival.
type way struct {
	name    string
	api     string // host:port, as requests name it
	pid     int    // of the rival's process
	connect func() (asker, error)

	workload *workload
	next     int // of the requests
}

// ways starts the rivals. Those that stand in front of the API are spoken to as the API is, those that intercept TLS
// through a tunnel. What is not installed is left out, with a word.
func (r *rivalry) ways(b *testing.B) []*way {
	direct := &way{name: "direct", api: r.api, workload: r.workload, connect: r.connector(r.api, false)}
	ways := []*way{direct, r.relay(b, "relay"), r.flaketap(b)}
	if r.how != overHTTP2 {
		ways = append(ways, r.goproxy(b))
	}
	if !r.secure {
		ways = append(ways, r.relay(b, "splice"))
	}
	if w := r.mitmdump(b); w != nil {
		ways = append(ways, w)
	}
	return ways
}

// connector returns what connects the clients of an address, through a tunnel where tunnel says so.
func (r *rivalry) connector(addr string, tunnel bool) func() (asker, error) {
	if r.how == overHTTP2 {
		return shareStreams(func() (net.Conn, error) {
			c, err := r.open(addr, tunnel)
			if err != nil {
				return nil, err
			}
			return c.Conn, nil
		})
	}
	return func() (asker, error) { return r.open(addr, tunnel) }
}

// open connects to an address, through a tunnel where tunnel says so.
func (r *rivalry) open(addr string, tunnel bool) (*apiClient, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil { // a rival that does not answer is an error
		return nil, err
	}
	if !r.secure {
		return &apiClient{conn, bufio.NewReader(conn)}, nil
	}
	if tunnel {
		c := &apiClient{conn, bufio.NewReader(conn)}
		if err := c.ask("CONNECT", []byte("CONNECT "+r.api+" HTTP/1.1\r\nHost: "+r.api+"\r\n\r\n")); err != nil {
			return nil, fmt.Errorf("CONNECT: %w", err)
		}
	}
	secure := tls.Client(conn, &tls.Config{InsecureSkipVerify: true, NextProtos: r.protocols()})
	if err := secure.Handshake(); err != nil {
		return nil, fmt.Errorf("TLS handshake: %w", err)
	}
	return &apiClient{secure, bufio.NewReader(secure)}, nil
}

// behind returns the way through a process of this rivalry.
func (r *rivalry) behind(name string, cmd *exec.Cmd, addr string, tunnel bool) *way {
	return &way{name: name, api: r.api, pid: cmd.Process.Pid, workload: r.workload,
		connect: r.connector(addr, tunnel)}
}

// start starts a rival that says the address it listens on.
func (r *rivalry) start(b *testing.B, program, as string, args ...string) (*exec.Cmd, string) {
	b.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = r.dir, append(os.Environ(), "FLAKETAP_TEST_AS_RIVAL="+as, "FLAKETAP_CA_DIR="+filepath.Join(r.dir, "ca"))
	said, err := cmd.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	lines := bufio.NewReader(said)
	for {
		line, err := lines.ReadString('\n')
		if m := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(line); m != "" {
			go io.Copy(io.Discard, lines)
			return cmd, m
		}
		if err != nil {
			b.Fatalf("%s did not start: %v", cmp.Or(as, "flaketap"), err)
		}
	}
}

func (r *rivalry) flaketap(b *testing.B) *way {
	w, _ := r.recorder(b)
	return w
}

// recorder starts flaketap with further flags, and returns its recording's path.
func (r *rivalry) recorder(b *testing.B, flags ...string) (w *way, db string) {
	db = fmt.Sprintf("flaketap-%d.db", time.Now().UnixNano())
	args := append([]string{"record", "--db", db, "--listen", "127.0.0.1:0"}, flags...)
	if r.secure {
		args = append(args, "--upstream-ca", r.ca.CertFile())
	} else {
		args = append(args, "--target", "http://"+r.api)
	}
	cmd, addr := r.start(b, program(b), "", args...)
	return r.behind("flaketap", cmd, addr, true), filepath.Join(r.dir, db)
}

func (r *rivalry) relay(b *testing.B, name string) *way {
	cmd, addr := r.start(b, testBinary(b), name, r.args()...)
	return r.behind(name, cmd, addr, false)
}

func (r *rivalry) goproxy(b *testing.B) *way {
	cmd, addr := r.start(b, testBinary(b), "goproxy", r.args()...)
	return r.behind("goproxy", cmd, addr, true)
}

func (r *rivalry) args() []string {
	if r.secure {
		return append([]string{r.api, filepath.Join(r.dir, "ca")}, r.protocols()...)
	}
	return []string{r.api}
}

// protocols are those that TLS is told to agree upon.
func (r *rivalry) protocols() []string {
	if r.how == overHTTP2 {
		return []string{"h2"}
	}
	return nil
}

// mitmdump writes its flows to a file, as somebody who wants a recording would have it do.
func (r *rivalry) mitmdump(b *testing.B) *way {
	path, err := exec.LookPath("mitmdump")
	if err != nil {
		b.Logf("mitmdump is not here and left out: %v", err)
		return nil
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	addr := ln.Addr().(*net.TCPAddr)
	ln.Close()
	args := []string{"-q", "-w", "flows", "--listen-host", "127.0.0.1", "-p", fmt.Sprint(addr.Port), "--set", "confdir=" + r.dir}
	if r.secure {
		args = append(args, "--set", "ssl_verify_upstream_trusted_ca="+r.ca.CertFile())
	} else {
		args = append(args, "--mode", "reverse:http://"+r.api)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = r.dir
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	for tries := 0; ; tries++ {
		conn, err := net.Dial("tcp", addr.String())
		if err == nil {
			conn.Close()
			return r.behind("mitmdump", cmd, addr.String(), true)
		}
		if tries == 300 {
			b.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// serverTLS shows what ca has signed for this machine.
func serverTLS(ca *certs.Authority) (*tls.Config, error) {
	leaf, err := ca.Leaf("127.0.0.1")
	if err != nil {
		return nil, err
	}
	return &tls.Config{Certificates: []tls.Certificate{*leaf}}, nil
}

// rivalMain is the process of a rival: of the relay or the goproxy, in front of the API at the first argument; the
// second, where there is one, is the folder of the authority for TLS, and those after it are the protocols within.
func rivalMain(name string, args []string) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	api := args[0]
	var ca *certs.Authority
	var protocols []string
	if len(args) > 1 {
		protocols = args[2:]
		if ca, err = certs.LoadOrCreate(args[1]); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Fprintln(os.Stderr, ln.Addr())
	switch name {
	case "relay":
		log.Fatal(relay(ln, api, ca, protocols, copyInUserSpace))
	case "splice":
		log.Fatal(relay(ln, api, ca, protocols, io.Copy))
	}
	log.Fatal(recordWithGoproxy(ln, api, ca))
}

// copyInUserSpace copies as io.Copy does between what is no socket.
func copyInUserSpace(to io.Writer, from io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{to}, struct{ io.Reader }{from})
}

// relay copies bytes between each client and the API, both ways, and does nothing else. With an authority it takes TLS
// off on the one side and puts it on again on the other, both for the same protocols.
func relay(ln net.Listener, api string, ca *certs.Authority, protocols []string, transfer func(io.Writer, io.Reader) (int64, error)) error {
	dial := func() (net.Conn, error) { return net.Dial("tcp", api) }
	if ca != nil {
		own, err := serverTLS(ca)
		if err != nil {
			return err
		}
		own.NextProtos = protocols
		ln = tls.NewListener(ln, own)
		upstream := clientTLS(ca)
		upstream.NextProtos = protocols
		dial = func() (net.Conn, error) { return tls.Dial("tcp", api, upstream) }
	}
	for {
		client, err := ln.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer client.Close()
			server, err := dial()
			if err != nil {
				log.Print(err)
				return
			}
			defer server.Close()
			go func() {
				_, _ = transfer(server, client)
				server.Close()
			}()
			_, _ = transfer(client, server)
		}()
	}
}

// clientTLS trusts what ca has signed.
func clientTLS(ca *certs.Authority) *tls.Config {
	pool := x509.NewCertPool()
	pool.AddCert(ca.Certificate())
	return &tls.Config{RootCAs: pool}
}

// recordWithGoproxy is goproxy with a handler that keeps each exchange in a recording.
func recordWithGoproxy(ln net.Listener, api string, ca *certs.Authority) error {
	db, err := store.Create(filepath.Join(os.TempDir(), fmt.Sprintf("goproxy-%d.db", os.Getpid())), store.Options{})
	if err != nil {
		return err
	}
	defer os.Remove(db.Path())
	if _, err := db.BeginPass(exchange.Pass{Started: time.Now()}); err != nil {
		return err
	}
	g := goproxy.NewProxyHttpServer()
	g.Logger = log.New(io.Discard, "", 0)
	g.NonproxyHandler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.URL.Scheme, r.URL.Host = "http", api
		g.ServeHTTP(w, r)
	})
	g.Tr = &http.Transport{MaxIdleConnsPerHost: 64}
	if ca != nil {
		g.Tr.TLSClientConfig = clientTLS(ca)
		signer := ca.TLSCertificate()
		g.OnRequest().HandleConnectFunc(func(host string, _ *goproxy.ProxyCtx) (*goproxy.ConnectAction, string) {
			return &goproxy.ConnectAction{Action: goproxy.ConnectMitm, TLSConfig: goproxy.TLSConfigFromCA(&signer)}, host
		})
		g.CertStore = &madeLeaves{}
	}
	g.OnRequest().DoFunc(func(r *http.Request, ctx *goproxy.ProxyCtx) (*http.Request, *http.Response) {
		head, err := httputil.DumpRequest(r, false)
		if err != nil {
			return r, nil
		}
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		ctx.UserData = &exchange.Exchange{
			Scheme: "http", Addr: api, Start: time.Now(),
			Request: exchange.ParseRequest(exchange.Message{Head: head, Body: body}),
		}
		return r, nil
	})
	g.OnResponse().DoFunc(func(resp *http.Response, ctx *goproxy.ProxyCtx) *http.Response {
		e, ok := ctx.UserData.(*exchange.Exchange)
		if !ok || resp == nil {
			return resp
		}
		head, err := httputil.DumpResponse(resp, false)
		if err != nil {
			return resp
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body = io.NopCloser(bytes.NewReader(body))
		e.Response = exchange.ParseResponse(exchange.Message{Head: head, Body: body})
		e.Latency = time.Since(e.Start)
		if err := db.Record(e); err != nil {
			log.Print(err)
		}
		return resp
	})
	stopped, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s := &http.Server{Handler: g}
	context.AfterFunc(stopped, func() { s.Close() })
	if err := s.Serve(ln); err != http.ErrServerClosed {
		return err
	}
	return db.Close()
}

// madeLeaves keeps the certificates that goproxy makes; without it, it makes one for each tunnel.
type madeLeaves struct {
	mu   sync.Mutex
	made map[string]*tls.Certificate
}

func (l *madeLeaves) Fetch(host string, gen func() (*tls.Certificate, error)) (*tls.Certificate, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if cert, ok := l.made[host]; ok {
		return cert, nil
	}
	cert, err := gen()
	if err == nil {
		if l.made == nil {
			l.made = map[string]*tls.Certificate{}
		}
		l.made[host] = cert
	}
	return cert, err
}
