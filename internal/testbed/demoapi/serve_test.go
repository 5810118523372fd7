package demoapi

import (
	"context"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
	"go.uber.org/goleak"

	"github.com/flaketap/flaketap/internal/testbed/proving"
	"github.com/flaketap/flaketap/internal/testbed/service"
	"github.com/flaketap/flaketap/internal/testbed/truth"
)

// serve serves an API on a port of its own until the test ends, and checks that it ends well.
func serve(t testing.TB, d Dials) (url string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, ln, d) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return "http://" + ln.Addr().String()
}

// wireTap keeps what went over the wire.
type wireTap struct {
	http.RoundTripper
	api   *API // only for its routes
	steps []truth.Seen
}

func (w *wireTap) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := w.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(res.Body)
	res.Body.Close()
	res.Body = io.NopCloser(strings.NewReader(string(body)))
	w.steps = append(w.steps, truth.Seen{
		Method: r.Method, Template: subject(w.api).Template(r.Method, r.URL), Path: r.URL.RequestURI(),
		Status: res.StatusCode, Header: res.Header, Body: body, Sequence: r.Header.Get(SequenceHeader),
	})
	return res, err
}

// TestDrive drives a served API, over sockets and by the real clock, and holds what it sees against the truth too.
func TestDrive(t *testing.T) {
	url := serve(t, Dials{})
	w := &wireTap{RoundTripper: http.DefaultTransport.(*http.Transport).Clone(), api: New(Dials{})}
	defer w.RoundTripper.(*http.Transport).CloseIdleConnections()
	play := func() []truth.Seen {
		w.steps = nil
		if err := DriveBy(t.Context(), url, 2, w, service.Pause); err != nil {
			t.Fatal(err)
		}
		return w.steps
	}
	p := proving.Begin(t, loadTruth(t), play())
	for range 2 {
		res, err := http.Post(url+"/admin/reset", "", nil)
		if err != nil || res.StatusCode != http.StatusNoContent {
			t.Fatalf("reset: %v %v", res, err)
		}
		res.Body.Close()
		proving.Hold(t, p, play())
	}
	for _, f := range p.Findings() {
		if f.Label.Label == truth.Stable && f.Moved != nil {
			t.Errorf("%v: labelled stable, and moved: %v", f, f.Moved)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

// TestDriveUsesAll proves that Drive leaves no operation out, and names its sequences.
func TestDriveUsesAll(t *testing.T) {
	clock := proving.NewClock(noon, 1)
	api := New(Dials{Clock: clock.Read})
	used, sequences := map[string]bool{}, map[string]bool{}
	for _, s := range session(t, api, 80, 2, clock, 1) {
		used[s.Method+" "+s.Template] = true
		sequences[s.Sequence] = true
	}
	for _, r := range api.routes {
		if name := r.Method + " " + r.Template; !used[name] && !strings.HasPrefix(r.Template, "/admin/") && r.Template != "/openapi.json" {
			t.Errorf("Drive does not use %s", name)
		}
	}
	if want := "orders-2"; !sequences[want] {
		t.Errorf("no sequence %s among %v", want, slices.Sorted(maps.Keys(sequences)))
	}
}

// TestDriveErrors proves that Drive says what went wrong and where.
func TestDriveErrors(t *testing.T) {
	if err := Drive(t.Context(), "http://127.0.0.1:1", 1); err == nil || !strings.Contains(err.Error(), "drive catalogue-1: send request") {
		t.Errorf("nobody there: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Drive(ctx, serve(t, Dials{}), 1); err == nil {
		t.Error("a drive went on after its context's end")
	}
	empty := roundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}"))}, nil
	})
	if err := DriveBy(t.Context(), "http://api.test", 1, empty, service.Pause); err == nil || !strings.Contains(err.Error(), `no member "id"`) {
		t.Errorf("no id: %v", err)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestServe proves that Serve ends with its context, leaves nothing behind, and says so where its listener is gone.
func TestServe(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, ln, Dials{Latency: time.Millisecond}) }()
	if err := Drive(ctx, "http://"+ln.Addr().String(), 1); err != nil {
		t.Error(err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("after the context's end: %v", err)
	}
	if err := Serve(t.Context(), ln, Dials{}); err == nil {
		t.Error("serving on a closed listener went well")
	}
}

// TestOpenAPI holds the document against the operations: each is in it, and nothing else is.
func TestOpenAPI(t *testing.T) {
	doc := gjson.ParseBytes(OpenAPI())
	if v := doc.Get("openapi").String(); v != "3.0.3" {
		t.Fatalf("openapi: %q", v)
	}
	documented := map[string]bool{}
	doc.Get("paths").ForEach(func(template, methods gjson.Result) bool {
		methods.ForEach(func(method, operation gjson.Result) bool {
			documented[strings.ToUpper(method.String())+" "+template.String()] = true
			return true
		})
		return true
	})
	served := map[string]bool{}
	for _, r := range New(Dials{}).routes {
		if !strings.HasPrefix(r.Template, "/admin/") && r.Template != "/openapi.json" {
			served[r.Method+" "+r.Template] = true
		}
	}
	for name := range documented {
		if !served[name] {
			t.Errorf("%s is documented and not served", name)
		}
	}
	for name := range served {
		if !documented[name] {
			t.Errorf("%s is served and not documented", name)
		}
	}
}

// TestDocumented proves that every answer of the session has a status that the document knows for the operation.
func TestDocumented(t *testing.T) {
	doc := gjson.ParseBytes(OpenAPI())
	clock := proving.NewClock(noon, 1)
	for _, s := range session(t, New(Dials{Clock: clock.Read}), 80, 1, clock, 1) {
		if s.Template == "*" {
			continue
		}
		operation := doc.Get("paths").Get(gjson.Escape(s.Template)).Get(strings.ToLower(s.Method))
		response := operation.Get("responses").Get(strconv.Itoa(s.Status))
		if !response.Exists() {
			t.Errorf("%s %s: %d is not documented", s.Method, s.Template, s.Status)
		}
		mediaType, _, _ := strings.Cut(s.Header.Get("Content-Type"), ";")
		if mediaType != "" && !response.Get("content").Get(gjson.Escape(mediaType)).Exists() {
			t.Errorf("%s %s %d: %s is not documented", s.Method, s.Template, s.Status, mediaType)
		}
	}
}
