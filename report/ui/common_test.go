package ui

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/store"
)

// served is a server that runs, and somebody whom it let in.
type served struct {
	*Server
	t    testing.TB
	base string
	http *http.Client
	key  string
}

// serve runs a server until the test ends, and waits until it shows what there is.
func serve(t testing.TB, o Options) *served {
	t.Helper()
	s := serveAtOnce(t, o)
	s.until(func(now state) bool { return now.Version > 0 })
	return s
}

// serveAtOnce runs a server until the test ends.
func serveAtOnce(t testing.TB, o Options) *served {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	s, err := New(l.Addr(), o)
	check(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	jar, err := cookiejar.New(nil)
	check(t, err)
	out := &served{Server: s, t: t, base: "http://" + l.Addr().String(), http: &http.Client{Jar: jar, Timeout: 10 * time.Second}}
	_, token, _ := strings.Cut(s.Address(), "#token=")
	code, key := out.send(http.MethodPost, "/session", strings.NewReader(token), nil)
	if code != http.StatusOK {
		t.Fatalf("the token is answered %d %s", code, key)
	}
	out.key = key
	return out
}

// until waits until the state is as wanted.
func (s *served) until(wanted func(state) bool) state {
	s.t.Helper()
	limit := time.After(30 * time.Second)
	for {
		now, changed := s.live.look()
		if wanted(now) {
			return now
		}
		select {
		case <-changed:
		case <-limit:
			s.t.Fatalf("the state stays %+v", now)
		}
	}
}

// send sends a request as a page of this origin does, but for what change does to it.
func (s *served) send(method, path string, body io.Reader, change func(*http.Request)) (int, string) {
	s.t.Helper()
	r, err := http.NewRequest(method, s.base+path, body)
	check(s.t, err)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if method == http.MethodPost {
		r.Header.Set("Origin", s.base)
	}
	if s.key != "" {
		r.Header.Set(keyHeader, s.key)
	}
	if change != nil {
		change(r)
	}
	answer, err := s.http.Do(r)
	check(s.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	check(s.t, err)
	return answer.StatusCode, string(text)
}

// get returns what is answered with 200.
func (s *served) get(path string) string {
	s.t.Helper()
	code, text := s.send(http.MethodGet, path, nil, nil)
	if code != http.StatusOK {
		s.t.Fatalf("%s is answered %d %s", path, code, text)
	}
	return text
}

// post sends a form.
func (s *served) post(path string, form url.Values) (int, string) {
	s.t.Helper()
	return s.send(http.MethodPost, path, strings.NewReader(form.Encode()), func(r *http.Request) {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	})
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// exchangeOf is an exchange of a recording.
func exchangeOf(request, answer string) *exchange.Exchange {
	message := func(s string) exchange.Message {
		head, body, _ := strings.Cut(s, "\n\n")
		return exchange.Message{Head: []byte(strings.ReplaceAll(head, "\n", "\r\n") + "\r\n\r\n"), Body: []byte(body)}
	}
	return &exchange.Exchange{Conn: 1, Target: exchange.DefaultTarget, Scheme: "http", Addr: "127.0.0.1:8080",
		Start: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Latency: 5 * time.Millisecond,
		Request: exchange.ParseRequest(message(request)), Response: exchange.ParseResponse(message(answer))}
}

// record adds exchanges to a recording, which is made where there is none.
func record(t testing.TB, path string, all ...*exchange.Exchange) {
	t.Helper()
	db, err := store.Open(path, store.Options{})
	if err != nil {
		db, err = store.Create(path, store.Options{})
	}
	check(t, err)
	_, err = db.BeginPass(exchange.Pass{Source: "record", Target: "http://127.0.0.1:8080"})
	check(t, err)
	for _, e := range all {
		check(t, db.Record(e))
	}
	check(t, db.Close())
}
