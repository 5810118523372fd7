package intercept

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// echoes are services that answer with their own names.
type echoes struct {
	mu       sync.Mutex
	services []string
}

func (e *echoes) serve(s Service, l net.Listener) {
	e.mu.Lock()
	e.services = append(e.services, s.String())
	e.mu.Unlock()
	server := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(rw, "%s said %s%s", s, r.Host, r.URL.Path)
	}), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }() // it ends with the listener
}

func (e *echoes) seen() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.services)
}

func byVariables(t *testing.T, o Options) (*echoes, Interceptor) {
	t.Helper()
	e := &echoes{}
	o.Serve = e.serve
	i, err := openProxy(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := i.Close(); err != nil {
			t.Error(err)
		}
	})
	return e, i
}

// What is sent to the proxy is for the service that it names, by a request and through a tunnel; this machine is itself.
func TestProxy(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	here := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(rw, "here")
	}), ReadHeaderTimeout: time.Minute}
	go func() { _ = here.Serve(l) }()
	t.Cleanup(func() { here.Close() })

	e, i := byVariables(t, Options{Local: []uint16{9090}})
	_, addr := i.Variables(nil)
	client := http.Client{Timeout: time.Minute, Transport: &http.Transport{
		Proxy: func(*http.Request) (*url.URL, error) { return url.Parse("http://" + addr.String()) }}}
	for at, want := range map[string]string{
		"http://rates.example.com/a":      "rates.example.com:80 said rates.example.com/a",
		"http://Rates.example.com:8080/b": "rates.example.com:8080 said Rates.example.com:8080/b",
		"http://203.0.113.7:9/c":          "203.0.113.7:9 said 203.0.113.7:9/c",
		"http://[2001:db8::5]:81/d":       "[2001:db8::5]:81 said [2001:db8::5]:81/d",
		"http://localhost:9090/e":         "localhost:9090 said localhost:9090/e",
		"http://" + l.Addr().String():     "here",
	} {
		resp, err := client.Get(at)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || string(body) != want {
			t.Errorf("%s: %q, %v; want %q", at, body, err, want)
		}
	}
	tunnel, err := net.Dial("tcp", addr.String())
	if err != nil {
		t.Fatal(err)
	}
	defer tunnel.Close()
	fmt.Fprint(tunnel, "CONNECT pay.example.com:443 HTTP/1.1\r\nHost: pay.example.com:443\r\n\r\n")
	r := bufio.NewReader(tunnel)
	if resp, err := http.ReadResponse(r, &http.Request{Method: http.MethodConnect}); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp, err)
	}
	fmt.Fprint(tunnel, "GET /f HTTP/1.0\r\nHost: within\r\n\r\n")
	if got, err := io.ReadAll(r); err != nil || !strings.HasSuffix(string(got), "\r\n\r\npay.example.com:443 said within/f") {
		t.Errorf("%q, %v", got, err)
	}
	if seen := e.seen(); len(seen) != 6 {
		t.Errorf("services %q", seen)
	}
}

// A variable with the URL of a service names it here; others stay as they are.
func TestVariables(t *testing.T) {
	e, i := byVariables(t, Options{Direct: func(host string) bool { return host == "real.example.com" }})
	got, _ := i.Variables([]string{"RATES_URL=https://ada:pw@Rates.example.com/v1?a=b", "PAY=http://pay.example.com:8080", "EMPTY=",
		"HTTPS_PROXY=http://proxy.example.com:3128", "http_proxy=http://proxy.example.com", "OWN=http://localhost:1/", "OWN2=https://127.0.0.1/",
		"DB=postgres://db.example.com/x", "REAL=https://real.example.com", "TEXT=see http://a.example", "ODD=http://a.example:99999999/", "NONE"})
	if len(got) != 2 {
		t.Fatalf("got %q", got)
	}
	var said []string
	for _, kv := range got {
		name, value, _ := strings.Cut(kv, "=")
		u, err := url.Parse(value)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.Get(value)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		said = append(said, fmt.Sprintf("%s %s %s?%s: %s", name, u.User, u.Path, u.RawQuery, strings.Fields(string(body))[0]))
	}
	want := []string{"PAY  ?: pay.example.com:8080", "RATES_URL ada:pw /v1?a=b: rates.example.com:443"}
	if diff := cmp.Diff(want, said); diff != "" || len(e.seen()) != 2 {
		t.Errorf("%s\n%q", diff, e.seen())
	}
}

// A name of an engine that there is none of is an error that lists those there are.
func TestCheckName(t *testing.T) {
	for _, e := range Engines() {
		if err := CheckName(e.Name); err != nil {
			t.Error(err)
		}
	}
	if err := CheckName("ebpf"); err == nil || !strings.Contains(err.Error(), `"ebpf": want one of auto, seccomp,`) {
		t.Error(err)
	}
}

// Of all engines the first that works is taken, but none that lets connections go: that has to be named.
func TestChooseTakesNoneThatLetsGo(t *testing.T) {
	broken := Engine{Name: "broken", Open: func(Options) (Interceptor, error) { return nil, errors.New("no such call") }}
	open := Engine{Name: "env", Open: openProxy, Blind: proxyBlind}
	shut := Engine{Name: "shut", Open: openProxy}
	for _, tt := range []struct {
		name, want, why string
		engines         []Engine
	}{
		{AnyEngine, "shut", "broken does not work here (no such call)", []Engine{broken, shut, open}},
		{"env", "env", "", []Engine{broken, shut, open}},
		{AnyEngine, "", "lead connections: broken does not work here (no such call); --intercept env works by variables", []Engine{broken, open}},
		{"broken", "", "lead connections: broken does not work here (no such call)", []Engine{broken, open}},
	} {
		e, why, err := choose(t.Context(), tt.engines, tt.name, nil, t.TempDir())
		if err != nil {
			why = err.Error()
		}
		if e.Name != tt.want || !strings.HasPrefix(why, tt.why) || (err != nil) != (tt.want == "") {
			t.Errorf("of %s comes %q, as %s", tt.name, e.Name, why)
		}
	}
}
