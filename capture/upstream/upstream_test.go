package upstream

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/console"
)

// tunnels is a proxy that answers CONNECT with a status and then echoes a line, in the place of a tunnel.
func tunnels(t *testing.T, status string) (addr string, asked <-chan *http.Request) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	requests := make(chan *http.Request, 1)
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		in := bufio.NewReader(conn)
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		requests <- r
		_, _ = io.WriteString(conn, "HTTP/1.1 "+status+"\r\n\r\nfirst words")
		_, _ = io.Copy(conn, in)
	}()
	return ln.Addr().String(), requests
}

func TestDialThroughProxy(t *testing.T) {
	addr, asked := tunnels(t, "200 Fine")
	config, dial, err := Options{Proxy: "http://ada:p%2Fw@" + addr}.Open()
	if err != nil || config == nil {
		t.Fatal(config, err)
	}
	conn, err := dial(context.Background(), "tcp", "api.example:80")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	r := <-asked
	r.Header.Set("Authorization", r.Header.Get("Proxy-Authorization"))
	if user, password, _ := r.BasicAuth(); r.Method != "CONNECT" || r.Host != "api.example:80" || user != "ada" || password != "p/w" {
		t.Errorf("asked %s %s as %s:%s", r.Method, r.Host, user, password)
	}
	first := make([]byte, len("first words")) // what follows the answer is the API's, to the byte
	if _, err := io.ReadFull(conn, first); err != nil || string(first) != "first words" {
		t.Errorf("read %q, %v", first, err)
	}
}

func TestProxyRefuses(t *testing.T) {
	addr, _ := tunnels(t, "407 No")
	_, dial, err := Options{Proxy: "http://ada:hunter2@" + addr}.Open()
	if err != nil {
		t.Fatal(err)
	}
	_, err = dial(context.Background(), "tcp", "api.example:80")
	if want := `it answered CONNECT with "407 No"`; err == nil || !strings.HasSuffix(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		o     Options
		want  string
		usage bool
	}{
		{Options{Insecure: true, CA: empty}, "not both", true},
		{Options{Key: empty}, "needs --client-cert", true},
		{Options{Proxy: "socks5://x:hunter2@y"}, "must be a URL", true},
		{Options{CA: empty}, "no PEM certificate", false},
		{Options{CA: empty + "x"}, "no such file", false},
		{Options{Cert: empty}, "tls: ", false},
	} {
		_, _, err := tt.o.Open()
		if err == nil || !strings.Contains(err.Error(), tt.want) || console.IsUsage(err) != tt.usage || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%+v: %v", tt.o, err)
		}
	}
	if config, dial, err := (Options{}).Open(); err != nil || config == nil || dial != nil {
		t.Errorf("the zero Options give %v, %v", config, err)
	}
}

func TestInsecureTakesAnyCertificate(t *testing.T) {
	api := httptest.NewTLSServer(http.NotFoundHandler())
	defer api.Close()
	config, _, err := Options{Insecure: true}.Open()
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: config}}
	if _, err := client.Get(api.URL); err != nil {
		t.Error(err)
	}
}
