package proof_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/replay/proof"
)

// shop is an API with orders, each of which has a time of creation, and what moves by itself: a number of answers,
// and a list of those who asked.
type shop struct {
	mu       sync.Mutex
	orders   []map[string]any
	asked    []string
	settings string
	clock    int
}

func (s *shop) seed() {
	s.clock += 100
	s.orders = append(s.orders, map[string]any{"name": "seed", "created": s.clock})
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock++
	s.asked = append(s.asked, r.RemoteAddr)
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.URL.Path == "/settings" && r.Method == http.MethodPut:
		body, _ := io.ReadAll(r.Body)
		s.settings = string(body)
	case r.URL.Path == "/orders" && r.Method == http.MethodPost:
		s.orders = append(s.orders, map[string]any{"name": "new", "created": s.clock})
		w.WriteHeader(http.StatusCreated)
	default:
		_ = json.NewEncoder(w).Encode(map[string]any{"orders": s.orders, "settings": s.settings, "now": s.clock,
			"asked": s.asked})
	}
}

func TestTrial(t *testing.T) {
	writes := []proof.Request{{Method: "POST", Target: "/orders"}, {Method: "PUT", Target: "/settings", Body: []byte("dark")}}
	for name, c := range map[string]struct {
		reset  func(*shop)
		writes []proof.Request
		want   proof.Verdict
	}{
		"all is put back": {
			reset:  func(s *shop) { s.orders, s.settings = nil, "light"; s.seed() },
			writes: writes,
			want:   proof.Verdict{Sent: 2, Changed: []string{"GET / /body/orders", "GET / /body/settings"}},
		},
		"nothing is put back": {
			reset:  func(*shop) {},
			writes: writes,
			want:   proof.Verdict{Sent: 2, Changed: []string{"GET / /body/orders", "GET / /body/settings"}, Left: []string{"GET / /body/orders", "GET / /body/settings"}},
		},
		"one table is forgotten": {
			reset:  func(s *shop) { s.orders = nil; s.seed() },
			writes: writes,
			want:   proof.Verdict{Sent: 2, Changed: []string{"GET / /body/orders", "GET / /body/settings"}, Left: []string{"GET / /body/settings"}},
		},
		"data is added, none is removed": {
			reset: (*shop).seed,
			want:  proof.Verdict{Grown: []string{"GET / /body/orders"}},
		},
		"nothing was sent": {reset: func(s *shop) { s.orders = nil; s.seed() }},
	} {
		t.Run(name, func(t *testing.T) {
			s := &shop{}
			s.seed()
			api := httptest.NewServer(s)
			defer api.Close()
			at, err := url.Parse(api.URL)
			if err != nil {
				t.Fatal(err)
			}
			got, err := proof.Trial{
				Restore: func(context.Context) (*url.URL, error) {
					s.mu.Lock()
					defer s.mu.Unlock()
					c.reset(s)
					return at, nil
				},
				Reads: []proof.Request{{Method: "GET", Target: "/"}}, Writes: c.writes, Client: api.Client(),
			}.Run(t.Context())
			if err != nil || fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("got %+v, %v\nwant %+v", got, err, c.want)
			}
			if got.Resets() != (c.want.Left == nil && c.want.Grown == nil) || got.Proven() != (got.Resets() && c.writes != nil) {
				t.Errorf("resets %v, proven %v", got.Resets(), got.Proven())
			}
		})
	}
}

// A time in whole seconds that goes on just as requests are sent is not what these left.
func TestClockOfSeconds(t *testing.T) {
	var wrote time.Time
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			wrote = time.Now()
		}
		checked := 7
		if !wrote.IsZero() {
			checked = 8 + int(time.Since(wrote)/time.Second)
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"checked":%d,"stays":%t}`, checked, !wrote.IsZero())
	}))
	defer api.Close()
	at, err := url.Parse(api.URL)
	if err != nil {
		t.Fatal(err)
	}
	got, err := proof.Trial{Restore: func(context.Context) (*url.URL, error) { return at, nil }, Client: api.Client(),
		Reads: []proof.Request{{Method: "GET", Target: "/"}}, Writes: []proof.Request{{Method: "POST", Target: "/"}}}.Run(t.Context())
	if want := []string{"GET / /body/stays"}; err != nil || !slices.Equal(got.Left, want) || !slices.Equal(got.Changed, want) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// What is another value after a reset, as a time of creation is, was not left so; and each place is named once.
func TestAnotherValue(t *testing.T) {
	value := "first"
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			value = "written"
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"values":[%q,%q]}`, value, value)
	}))
	defer api.Close()
	at, err := url.Parse(api.URL)
	if err != nil {
		t.Fatal(err)
	}
	restore := func(context.Context) (*url.URL, error) {
		if value == "written" {
			value = "second"
		}
		return at, nil
	}
	got, err := proof.Trial{Restore: restore, Client: api.Client(),
		Reads:  []proof.Request{{Method: "GET", Target: "/"}},
		Writes: []proof.Request{{Method: "POST", Target: "/"}}}.Run(t.Context())
	if want := []string{"GET / /body/values/*"}; err != nil || !slices.Equal(got.Changed, want) || !got.Resets() {
		t.Errorf("got %+v, %v", got, err)
	}
}

// A reset that fails, and an API that does not answer, are errors and no verdict.
func TestTrialFails(t *testing.T) {
	_, err := proof.Trial{Restore: func(context.Context) (*url.URL, error) { return nil, errors.New("no") }}.Run(t.Context())
	if err == nil {
		t.Error("a failed reset is no error")
	}
	api := httptest.NewServer(http.NotFoundHandler())
	at, _ := url.Parse(api.URL)
	api.Close()
	_, err = proof.Trial{Restore: func(context.Context) (*url.URL, error) { return at, nil },
		Reads: []proof.Request{{Method: "GET", Target: "/"}}, Client: http.DefaultClient}.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "read what the API holds") {
		t.Errorf("%v", err)
	}
}

// Requests takes those that were answered well, each once, without what is the connection's.
func TestRequests(t *testing.T) {
	recorded := func(yield func(*exchange.Exchange, error) bool) {
		for _, r := range []struct {
			request string
			status  int
		}{
			{"GET /a HTTP/1.1\r\nHost: old\r\nAccept: x\r\nAccept-Encoding: br\r\n\r\n", 200},
			{"GET /a HTTP/1.1\r\nHost: old\r\n\r\n", 200},
			{"GET /gone HTTP/1.1\r\nHost: old\r\n\r\n", 404},
			{"DELETE /a HTTP/1.1\r\nHost: old\r\n\r\n", 204},
			{"POST /a HTTP/1.1\r\nHost: old\r\n\r\n", 201},
			{"CONNECT host:1 HTTP/1.1\r\n\r\n", 200},
		} {
			e := &exchange.Exchange{Request: exchange.ParseRequest(exchange.Message{Head: []byte(r.request)}),
				Response: &exchange.Response{Status: r.status}}
			if !yield(e, nil) {
				return
			}
		}
	}
	reads, writes, err := proof.Requests(recorded)
	if err != nil || fmt.Sprint(reads, writes) != "[GET /a] [POST /a]" || len(reads[0].Header) != 1 {
		t.Errorf("%v %v %v: %v", reads, reads[0].Header, writes, err)
	}
}
