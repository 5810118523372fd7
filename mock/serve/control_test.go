package serve

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/replay/service"
)

// A client changes the stubs, asks what was asked, and has the API reset and started anew, where it was.
func TestControl(t *testing.T) {
	resets := 0
	reset := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { resets++ }))
	defer reset.Close()
	api := &service.Service{Command: "exec sleep 1000"}
	running, err := api.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	server := &mock.Server{Book: mock.NewBook(nil), Calls: &mock.Calls{}, Journal: &mock.Journal{}}
	c := &control{server: server, service: api, reset: service.Reset(reset.URL), api: running}
	if err := c.open(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.close(); err != nil {
			t.Error(err)
		}
	}()
	for i, ask := range []struct {
		method, path, body string
		status             int
		said               string
	}{
		{"GET", "/calls", "", 200, `{"calls":[]}`},
		{"PUT", "/stubs", `{"mappings": [{"request": {"urlPath": "/a"}}]}`, 204, ""},
		{"PUT", "/stubs", `{"mappings": [{"request": {}, "response": {"transformers": []}}]}`, 422, `mapping 1: "transformers" is not served`},
		{"PUT", "/stubs", `{"request": {}, "response": {"bodyFileName": "a"}}`, 422, "there is no file a"},
		{"POST", "/reset", "", 204, ""},
		{"POST", "/restart", "", 204, ""},
		{"GET", "/restart", "", 405, ""},
		{"POST", "/../reset", "", 404, ""},
		{"PUT", "/../../stubs", "", 404, ""},
	} {
		req, err := http.NewRequestWithContext(t.Context(), ask.method, c.base, strings.NewReader(ask.body))
		if err != nil {
			t.Fatal(err)
		}
		req.URL.Opaque = req.URL.Path + ask.path // as it is
		if strings.Contains(ask.path, "..") {
			req.URL.Opaque = ask.path[strings.LastIndex(ask.path, "/"):] // without what nobody guesses
		}
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		said, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != ask.status || !strings.Contains(string(said), ask.said) {
			t.Errorf("%d: %s %s: %d %q, %v", i, ask.method, ask.path, resp.StatusCode, said, err)
		}
	}
	if resets != 2 {
		t.Errorf("the API is reset %d times, want 2", resets)
	}
	if c.api == running || running.Died("") == nil {
		t.Error("the API is not started anew")
	}
	env := strings.Join(c.env(), "\n")
	for _, name := range []string{"FLAKETAP_MOCKS=", "FLAKETAP_RESTART=", "FLAKETAP_RESET="} {
		if !strings.Contains(env, name+c.base) {
			t.Errorf("no %s among\n%s", name, env)
		}
	}
}

// New stubs answer in the place of the old ones, and what was asked before them is told no more.
func TestControlPutsStubs(t *testing.T) {
	server := &mock.Server{Book: mock.NewBook(nil), Calls: &mock.Calls{}, Journal: &mock.Journal{}}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve("a.example", 80, ln) }()
	c := &control{server: server}
	if err := c.open(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(c.close(), ln.Close()); err != nil {
			t.Error(err)
		}
		<-served
	}()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	ask := func(method, url, body string, status int, said string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		got, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != status || !strings.Contains(string(got), said) {
			t.Errorf("%s %s: %d %q, %v; want %d %q", method, url, resp.StatusCode, got, err, status, said)
		}
	}
	service := "http://" + ln.Addr().String()
	ask("GET", service+"/a", "", 404, "no stub for")
	ask("GET", c.base+"/calls", "", 200, `"target":"/a"`)
	ask("PUT", c.base+"/stubs", `{"request": {"urlPath": "/a"}, "response": {"status": 201}}`, 204, "")
	ask("GET", c.base+"/calls", "", 200, `{"calls":[]}`)
	ask("GET", service+"/a", "", 201, "")
	ask("PUT", c.base+"/stubs", `{"mappings": []}`, 204, "")
	ask("GET", service+"/a", "", 404, "no stub for")
}
