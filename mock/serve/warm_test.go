package serve

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/warmup"
	"github.com/flaketap/flaketap/replay/service"
)

// coldAPI gives its service up in its first requests, so many of them, and is right then: it answers with what that says.
type coldAPI struct {
	cold, asked int
	alone       int  // so many of its first answers, with the right status, are its own: it does not ask its service
	breaks      bool // it gives no answer at all
	resets      int
	service     string
}

func (a *coldAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/reset" {
		a.resets++
		return
	}
	if a.asked++; a.breaks {
		panic(http.ErrAbortHandler)
	}
	if a.asked <= a.cold {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	if a.asked <= a.alone {
		w.WriteHeader(http.StatusCreated)
		return
	}
	resp, err := http.Get(a.service + "/rates")
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	w.WriteHeader(resp.StatusCode)
	_, _ = io.Copy(w, resp.Body)
}

// warming starts such an API, and what answers for its service.
func warming(t *testing.T, a *coldAPI) (api *url.URL, server *mock.Server, reset service.Reset) {
	t.Helper()
	server = &mock.Server{Book: mock.NewBook(nil), Calls: &mock.Calls{}, Journal: &mock.Journal{}, Once: true}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve("rates.example", 80, ln) }()
	a.service = "http://" + ln.Addr().String()
	listening := httptest.NewServer(a)
	t.Cleanup(func() {
		listening.Close()
		ln.Close()
		<-served
	})
	if api, err = url.Parse(listening.URL); err != nil {
		t.Fatal(err)
	}
	return api, server, service.Reset(listening.URL + "/reset")
}

var rates = warmup.Request{Sent: search.Request{Method: "GET", Target: "/quote"}, Status: 201, Services: []string{"rates.example:80"},
	Mappings: []byte(`{"mappings": [{"request": {"urlPath": "/rates"}, "response": {"status": 201}}]}`)}

// A request is sent until it does what it did when the API was warm, and not for ever; once where there is no answer.
func TestWarm(t *testing.T) {
	for cold, want := range map[int]int{0: 1, 2: 3, 100: warmTries} {
		a := &coldAPI{cold: cold}
		api, server, reset := warming(t, a)
		if err := warm(t.Context(), api, server, reset, []warmup.Request{rates}); err != nil {
			t.Error(err)
		}
		if a.asked != want || a.resets != want {
			t.Errorf("cold for %d: asked %d times and reset %d times, want %d", cold, a.asked, a.resets, want)
		}
	}
	alone := &coldAPI{alone: 2}
	api, server, reset := warming(t, alone)
	if err := warm(t.Context(), api, server, reset, []warmup.Request{rates}); err != nil || alone.asked != 3 {
		t.Errorf("one that does not ask its service at first is asked %d times, want 3: %v", alone.asked, err)
	}
	a := &coldAPI{breaks: true}
	api, server, reset = warming(t, a)
	if err := warm(t.Context(), api, server, reset, []warmup.Request{rates}); err != nil || a.resets != 1 {
		t.Errorf("one that breaks off is asked %d times: %v", a.resets, err)
	}
}

// An API is warmed up by a trial that went well, at once, and asked most services, in TLS rather than without.
func TestWarmer(t *testing.T) {
	asked := func(scheme string, statuses ...int) (out search.Outcome) {
		out.Status = 200
		for _, status := range statuses {
			out.Calls = append(out.Calls, search.Call{Scheme: scheme, Service: "a", Status: status})
		}
		return out
	}
	slow, failed, hung := asked("https", 200, 200, 200), asked("https", 200, 200, 200), asked("https", 200, 200, 200)
	slow.Took, failed.Status, hung.End = 2*time.Second, 502, search.Hung
	var w warmer
	for i, c := range []struct {
		out  search.Outcome
		kept bool
	}{
		{asked("http"), false}, {asked("http", 200), true}, {asked("http", 200), false}, {asked("https", 201), true}, {asked("http", 200, 200), false},
		{asked("http", 200, 200, 200), true}, {asked("https", 200, 200), true}, {asked("https", 200, 200, 503), false}, {slow, false}, {failed, false}, {hung, false},
	} {
		before := w.score
		w.note(search.Trial{Stubs: []byte{byte(i)}}, c.out, []mock.Asked{{Service: "a"}})
		if kept := w.score != before; kept != c.kept || kept && (len(w.requests) != 1 || w.requests[0].Mappings[0] != byte(i)) {
			t.Errorf("trial %d: kept %v, want %v", i, kept, c.kept)
		}
	}
}
