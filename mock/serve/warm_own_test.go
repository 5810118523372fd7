//go:build unix

package serve

import (
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/warmup"
	"github.com/flaketap/flaketap/replay/service"
)

// Variables by which this program is a cold API: its address, and its service.
const (
	coldAt      = "FLAKETAP_TEST_COLD_AT"
	coldService = "FLAKETAP_TEST_COLD_SERVICE"
)

func TestMain(m *testing.M) {
	if at := os.Getenv(coldAt); at != "" {
		log.Fatal(http.ListenAndServe(at, &coldAPI{cold: 1, service: os.Getenv(coldService)}))
	}
	os.Exit(m.Run())
}

// keepsPort is a process of a cold API that keeps its port.
func keepsPort(t *testing.T) (api *service.Service, at *url.URL, server *mock.Server) {
	t.Helper()
	a := &coldAPI{}
	_, server, _ = warming(t, a)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := free.Addr().String()
	free.Close()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	api = &service.Service{Command: "exec '" + program + "'", Ready: "http://" + addr + "/reset",
		Env: []string{coldAt + "=" + addr, coldService + "=" + a.service}}
	return api, &url.URL{Scheme: "http", Host: addr}, server
}

// answers is what the API answers to a request for rates.
func answers(t *testing.T, at *url.URL) int {
	t.Helper()
	e, err := ask(t.Context(), at, rates.Sent, time.Minute)
	if err != nil || e.Response == nil {
		t.Fatalf("%+v, %v", e, err)
	}
	return e.Response.Status
}

// An API that keeps its port is warmed up for a client, too; where the client had it started anew, its stubs answer.
func TestBeginsWarm(t *testing.T) {
	api, at, server := keepsPort(t)
	running, err := api.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := &control{server: server, service: api, api: running, requests: []warmup.Request{rates}}
	defer func() {
		if err := c.api.Stop(); err != nil {
			t.Error(err)
		}
	}()
	if err := c.begins(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := answers(t, at); got != 404 { // there are no stubs
		t.Errorf("it answers %d, want 404", got)
	}
	c.putStubs(httptest.NewRecorder(), httptest.NewRequest(http.MethodPut, "/stubs",
		strings.NewReader(`{"request": {"urlPath": "/rates"}, "response": {"status": 203}}`)))
	if err := c.restarts(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := answers(t, at); got != 203 {
		t.Errorf("started anew it answers %d, want the 203 of the client's stubs", got)
	}
}

// A search warms up an API that keeps its port, too.
func TestTrialsBeginWarm(t *testing.T) {
	api, at, server := keepsPort(t)
	trials := Trials{o: Options{Service: api}, led: &Led{server: server}, warm: warmer{requests: []warmup.Request{rates}}}
	defer func() {
		if err := trials.stop(); err != nil {
			t.Error(err)
		}
	}()
	if err := trials.startWarm(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := answers(t, at); got != 201 {
		t.Errorf("it answers %d, want 201", got)
	}
}
