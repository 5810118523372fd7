package main

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"
)

// parent is a proxy that the recorder goes through. It opens tunnels to those who have its password.
type parent struct {
	asked chan string // the authority of each tunnel that it opened
	url   string      // with the credentials
}

const parentPassword = "p@ss/w:rd"

// newParent starts a parent, with TLS where there is a config.
func newParent(t *testing.T, secure *tls.Config) parent {
	t.Helper()
	p := parent{asked: make(chan string, 64)}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		want := "Basic " + base64.StdEncoding.EncodeToString([]byte("ann:"+parentPassword))
		if r.Method != http.MethodConnect || r.Header.Get("Proxy-Authorization") != want {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		up, err := net.Dial("tcp", r.Host)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer up.Close()
		down, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer down.Close()
		p.asked <- r.Host
		fmt.Fprint(down, "HTTP/1.1 200 OK\r\nA: b\r\n\r\n")
		go func() { _, _ = io.Copy(up, down); up.(*net.TCPConn).CloseWrite() }()
		_, _ = io.Copy(down, up)
	})
	s := httptest.NewUnstartedServer(handler)
	if secure != nil {
		s.TLS = secure
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	p.url = strings.Replace(s.URL, "://", "://ann:p%40ss%2Fw%3Ard@", 1)
	return p
}

// Recorder and replay reach the API through the proxy that they are told of, whatever is spoken, and nowhere is the
// password shown.
func TestUpstreamProxy(t *testing.T) {
	b := newBench(t)
	hello := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "hello") })
	plain, secure := httptest.NewServer(hello), httptest.NewTLSServer(hello)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	b.write("ca.pem", pemOf("CERTIFICATE", secure.Certificate().Raw))
	for _, p := range []parent{newParent(t, nil), newParent(t, &tls.Config{Certificates: secure.TLS.Certificates})} {
		for _, api := range []string{plain.URL, secure.URL} {
			env := []string{"FLAKETAP_UPSTREAM_PROXY=" + p.url, "FLAKETAP_UPSTREAM_CA=ca.pem", "API=" + api}
			check := func(line, want string, tunnels int) {
				t.Helper()
				out := b.must(line, env...)
				if !strings.Contains(out, want) || strings.Contains(out, "ss/w") || strings.Contains(out, "ss%2Fw") {
					t.Errorf("%s: %s", line, out)
				}
				if len(p.asked) != tunnels {
					t.Errorf("%s went through the proxy %d times, not %d", line, len(p.asked), tunnels)
				}
				for range len(p.asked) {
					if got := <-p.asked; !strings.HasSuffix(api, got) {
						t.Errorf("the proxy was asked for %s", got)
					}
				}
			}
			check("rm -f flaketap.db; exec 2>&1; flaketap record --log-level debug --target $API --listen 127.0.0.1:0 -- sh -c 'curl -s $FLAKETAP_URL/; env'", "hello", 1)
			check("rm -f flaketap.db; exec 2>&1; flaketap record --log-level debug --listen 127.0.0.1:0 -- curl -s $API/", "hello", 1)
			check("exec 2>&1; flaketap replay --log-level debug", "1 sent, 1 answered with the recorded status", 1)
		}
	}
}

// What the proxy does not do is told as its own, and never taken for an answer of the API.
func TestUpstreamProxyFails(t *testing.T) {
	b := newBench(t)
	api := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the API was reached") }))
	t.Cleanup(api.Close)
	good := newParent(t, nil)
	dead, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead.Close()
	for url, want := range map[string]string{
		strings.Replace(good.url, "ann", "bob", 1):                                   `it answered CONNECT with "407 Proxy Authentication Required"`,
		"http://x:secret@" + dead.Addr().String():                                    `reach the upstream proxy 127\.0\.0\.1:\d+: .*connection refused`,
		"http://x:secret@" + talker(t, "SSH-2.0-hello\r\n\r\n"):                      `"SSH-2\.0-hello\\r" is not an answer of an HTTP proxy`,
		"http://x:secret@" + talker(t, strings.Repeat("HTTP/1.1 200 OK\r\n", 10000)): `its answer is too long`,
		"http://x:secret@" + talker(t, "HTTP/1.1 200 OK\r\n"):                        `EOF`,
	} {
		env := []string{"FLAKETAP_UPSTREAM_PROXY=" + url, "API=" + api.URL}
		out, _ := b.sh("rm -f flaketap.db; exec 2>&1; flaketap record --target $API --listen 127.0.0.1:0 -- sh -c 'curl -s $FLAKETAP_URL/; echo status $?'", env...)
		if !strings.Contains(out, "status 56") {
			t.Errorf("%s: the client was told %s", want, out)
		}
		out, _ = b.sh("exec 2>&1; flaketap inspect exchanges --format json; flaketap replay --target $API", env...)
		if !regexp.MustCompile(want).MatchString(strings.ReplaceAll(out, `\"`, `"`)) || strings.Contains(out, "secret") {
			t.Errorf("the recording and replay say, where %q was wanted:\n%s", want, out)
		}
	}
	for _, bad := range []string{"proxy:3128", "socks5://u:secret@h:1", "http://u:secret@h:1/%zz", "http://u:sec%ret@h", "http://u:secret@:1"} {
		out, status := b.sh("flaketap record -- true", "FLAKETAP_UPSTREAM_PROXY="+bad)
		if status != exitUsage || strings.Contains(out, "ret@") {
			t.Errorf("%s: %d, %s", bad, status, out)
		}
	}
}

// talker answers each connection with the same, whatever it is asked.
func talker(t *testing.T, says string) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { ln.Close(); <-done })
	go func() {
		defer close(done)
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			_ = c.SetDeadline(time.Now().Add(5 * time.Second))
			for r := bufio.NewReader(c); ; {
				if line, err := r.ReadString('\n'); err != nil || line == "\r\n" {
					break
				}
			}
			_, _ = io.WriteString(c, says)
			c.Close()
		}
	}()
	return ln.Addr().String()
}
