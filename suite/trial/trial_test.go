package trial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write"
	"github.com/flaketap/flaketap/suite/write/build"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/play"
)

// source is a recording of one exchange.
func source(method, target, head, body, answer string) suite.Source {
	request := exchange.ParseRequest(exchange.Message{Head: fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: api\r\n%s\r\n", method, target, head), Body: []byte(body)})
	response := exchange.ParseResponse(exchange.Message{
		Head: fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(answer)), Body: []byte(answer)})
	e := &exchange.Exchange{Seq: 1, Pass: 1, Target: exchange.DefaultTarget, Scheme: "http", Addr: "api:80", Request: request, Response: response}
	path, _ := exchange.SplitTarget(target)
	return suite.Source{Steps: []exchange.Step{{Exchange: e}}, Operations: map[uint64]exchange.Operation{1: {Method: method, Template: path}},
		Sequences: []exchange.Sequence{{Name: "one", Steps: []uint64{1}}}}
}

// api is an API that keeps what it is asked, and answers with a count that starts anew on a reset.
type api struct {
	mu    sync.Mutex
	asked []string
	count int
	*httptest.Server
}

func newAPI(t *testing.T) (*api, *url.URL) {
	t.Helper()
	a := &api{}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		defer a.mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		a.asked = append(a.asked, strings.TrimSpace(r.Method+" "+r.RequestURI+" "+string(body)))
		if r.URL.Path == "/reset" {
			a.count = 0
			return
		}
		a.count++
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"count":%d}`, a.count)
	}))
	t.Cleanup(a.Close)
	target, err := url.Parse(a.URL)
	if err != nil {
		t.Fatal(err)
	}
	return a, target
}

// asserted is what the plan's only test asserts of its answer.
func asserted(t *testing.T, p plan.Plan, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	files, err := write.Write("pytest", p)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasPrefix(f.Name, "test_") || strings.Contains(f.Name, "/test_") {
			return string(f.Data)
		}
	}
	t.Fatal("no test is written")
	return ""
}

// A test is played in several orders and alone. What moves there is not asserted, which the recording alone does not
// show; where each of them begins from a known start, what it comes to from there is.
func TestPlan(t *testing.T) {
	src := source("GET", "/n?a=%2f", "", "", `{"count":1}`)
	plan, err := build.Plan(src, build.Options{Mode: suite.Relax})
	if text := asserted(t, plan, err); !strings.Contains(text, `== {"count": 1}`) {
		t.Errorf("without a trial the count is not asserted:\n%s", text)
	}
	for _, tt := range []struct {
		reset    string
		asserted bool
		asked    string // in order, backwards, abreast, shuffled, shuffled otherwise, alone
	}{
		{"", false, strings.Repeat(", GET /n?a=%2f", 5)},
		{"/reset", true, strings.Repeat(", POST /reset, GET /n?a=%2f", 6)},
		{"/in-vain", false, strings.Repeat(", POST /in-vain, GET /n?a=%2f", 6)},
	} {
		a, target := newAPI(t)
		api := API{Target: target}
		if tt.reset != "" {
			api.Reset = service.Reset(a.URL + tt.reset)
		}
		result, err := Plan(context.Background(), src, build.Options{Mode: suite.Relax}, api)
		if text := asserted(t, result.Plan, err); strings.Contains(text, `{"count": 1}`) != tt.asserted {
			t.Errorf("reset %q: %t is wanted of the count's being asserted:\n%s", tt.reset, tt.asserted, text)
		}
		if got := ", " + strings.Join(a.asked, ", "); got != tt.asked {
			t.Errorf("reset %q: asked %s, want %s", tt.reset, got, tt.asked)
		}
	}
}

// Requests go out as the tests send them.
func TestSend(t *testing.T) {
	a, target := newAPI(t)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	got, err := send(context.Background(), transport, target, play.Request{Method: "PUT", Target: "/a//b?x={}", Headers: [][2]string{{"X-Odd", "\u00e9"}}, Body: []byte("in"), Chunked: true})
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != 200 || string(got.Body) != `{"count":1}` || a.asked[0] != "PUT /a//b?x={} in" {
		t.Errorf("%d %s; asked %q", got.Status, got.Body, a.asked)
	}
	if latin1Bytes("\u00e9") != "\xe9" || latin1Bytes("\u20ac") != "\u20ac" {
		t.Error("texts are not written as their bytes")
	}
}

// An empty body is told as such, as a recorded client and the tests do.
func TestSendEmpty(t *testing.T) {
	length := "none"
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		length = "none"
		if _, sent := r.Header["Content-Length"]; sent {
			length = r.Header.Get("Content-Length")
		}
	}))
	defer srv.Close()
	target, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	for method, want := range map[string]string{"DELETE": "0", "POST": "0", "OPTIONS": "0"} {
		if _, err := send(context.Background(), transport, target, play.Request{Method: method, Target: "/", Body: []byte{}}); err != nil || length != want {
			t.Errorf("%s has Content-Length %s, want %s (%v)", method, length, want, err)
		}
	}
	if _, err := send(context.Background(), transport, target, play.Request{Method: "DELETE", Target: "/"}); err != nil || length != "none" {
		t.Errorf("without a body Content-Length is %s (%v)", length, err)
	}
}

func TestExactIsNotTried(t *testing.T) {
	a, target := newAPI(t)
	if _, err := Plan(context.Background(), source("GET", "/n", "", "", `{}`), build.Options{Mode: suite.Exact}, API{Target: target}); err != nil || len(a.asked) > 0 {
		t.Errorf("%v, asked %q", err, a.asked)
	}
}

func TestPlanErrors(t *testing.T) {
	_, target := newAPI(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	src := source("GET", "/n", "", "", `{"count":1}`)
	if _, err := Plan(ctx, src, build.Options{Mode: suite.Relax}, API{Target: target}); !errors.Is(err, context.Canceled) {
		t.Errorf("a plan that was canceled: %v", err)
	}
	gone := &url.URL{Scheme: "http", Host: "127.0.0.1:1"}
	if _, err := Plan(context.Background(), src, build.Options{Mode: suite.Relax}, API{Target: gone}); err == nil || !strings.Contains(err.Error(), "send request") {
		t.Errorf("an API that is not there: %v", err)
	}
}

// Elsewhen is at the begin of a day of another year, where dates are padded otherwise.
func TestElsewhen(t *testing.T) {
	for day := range 800 {
		now := time.Date(2026, 1, 1, day%24, 30, 0, 0, time.UTC).AddDate(0, 0, day)
		then := now.Add(elsewhen(now))
		if then.Sub(now) < 399*24*time.Hour || then.Sub(now) > 800*24*time.Hour || then.Format("15:04") != "00:20" ||
			(then.Day() < 10) == (now.Day() < 10) || (then.Month() < 10) == (now.Month() < 10) {
			t.Errorf("from %s to %s", now, then)
		}
	}
}

// The end of the day is that of today, but that of tomorrow where it has begun.
func TestBeforeMidnight(t *testing.T) {
	for now, want := range map[string]string{
		"2026-03-01T00:00:00Z": "2026-03-01T23:40:00Z", "2026-03-01T23:40:00Z": "2026-03-01T23:40:00Z",
		"2026-03-01T23:40:01Z": "2026-03-02T23:40:00Z", "2026-03-01T23:30:00-05:00": "2026-03-02T23:40:00Z",
	} {
		at, err := time.Parse(time.RFC3339, now)
		if err != nil {
			t.Fatal(err)
		}
		if then := at.Add(beforeMidnight(at)).UTC().Format(time.RFC3339); then != want {
			t.Errorf("from %s to %s, want %s", now, then, want)
		}
	}
}
