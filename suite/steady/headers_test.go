package steady_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Cookies of one name are told apart, so that none gets the value of another.
func TestCookiesOfOneName(t *testing.T) {
	gone := "Set-Cookie: sid=; Path=/old; Max-Age=0\n"
	for _, c := range []struct {
		name string
		set  func(run int) string
	}{
		{"deleted elsewhere before", func(run int) string { return gone + "Set-Cookie: sid=" + uuid(run, 1) + "; Path=/\n" }},
		{"deleted elsewhere behind", func(run int) string { return "Set-Cookie: sid=" + uuid(run, 1) + "; Path=/\n" + gone }},
		{"twice at one path", func(run int) string {
			return "Set-Cookie: sid=" + uuid(run, 2) + "; Path=/\nSet-Cookie: sid=" + uuid(run, 1) + "; Path=/\n"
		}},
		{"two paths", func(run int) string {
			return "Set-Cookie: sid=" + uuid(run, 1) + "; Path=/\nSet-Cookie: sid=" + uuid(run, 2) + "; path=/x; Domain=.api.example\n"
		}},
		{"two paths, the other way round now", func(run int) string {
			a, b := "Set-Cookie: sid="+uuid(run, 1)+"; Path=/\n", "Set-Cookie: sid="+uuid(run, 2)+"; Path=/x\n"
			if run == live {
				return b + a
			}
			return a + b
		}},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			w := world{
				requests: []string{"POST /login HTTP/1.1\nHost: a", "GET /me HTTP/1.1\nHost: a\nCookie: sid=" + uuid(0, 1), "GET /x/me HTTP/1.1\nHost: a\nCookie: sid=" + uuid(0, 2)},
				answer: func(run, n int, _ time.Time) string {
					if n == 0 {
						return jsonHead + c.set(run) + "\n{}"
					}
					return jsonHead + "\n{\"me\":1}"
				},
			}
			s, raw := w.learned(t)
			sent, shown := w.play(s, nil)
			if want := onWire(strings.NewReplacer(uuid(live, 1), uuid(0, 1), uuid(live, 2), uuid(0, 2)).Replace(w.answer(live, 0, began(live)))); shown[0] != want {
				t.Errorf("shown %q\nwant  %q", shown[0], want)
			}
			if !strings.Contains(sent[1], "Cookie: sid="+uuid(live, 1)+"\r\n") {
				t.Errorf("sent %q", sent[1])
			}
			if strings.Contains(shown[0], uuid(0, 2)) && !strings.Contains(sent[2], "Cookie: sid="+uuid(live, 2)+"\r\n") {
				t.Errorf("sent %q", sent[2])
			}
			if len(*raw) > 0 {
				t.Errorf("raw %q", *raw)
			}
		})
	}
}

// A cookie that the API does not set is not set.
func TestNoCookieIsMadeUp(t *testing.T) {
	for _, c := range []struct {
		name   string
		always string // what is set beside it
		goes   bool   // it was seen to come and go
		why    string
	}{
		{"comes and goes", "", true, "/header/set-cookie/@cookie/sid: not set this time, and no cookie is made up"},
		{"comes and goes beside another", "Set-Cookie: q=1\n", true, "/header/set-cookie/@cookie/sid: not set this time, and no cookie is made up"},
		{"was always there", "", false, "/header/set-cookie/@cookie/sid: missing"},
		{"was always there beside another", "Set-Cookie: q=1\n", false, "/header/set-cookie/@cookie/sid: missing"},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			w := world{
				requests: []string{"GET /x HTTP/1.1\nHost: a"},
				answer: func(run, _ int, _ time.Time) string {
					if c.goes && run%3 > 0 || run == live {
						return jsonHead + c.always + "\n{\"x\":1}"
					}
					return jsonHead + "Set-Cookie: sid=" + uuid(run, 2) + "; Path=/\n" + c.always + "\n{\"x\":1}"
				},
			}
			s, raw := w.learned(t)
			_, shown := w.play(s, nil)
			if want := onWire(w.answer(live, 0, began(live))); shown[0] != want {
				t.Errorf("shown %q, want %q", shown[0], want)
			}
			if told := strings.Join(*raw, "\n"); told != c.why {
				t.Errorf("told %q, want %q", told, c.why)
			}
		})
	}
}

// Headers that are no UTF-8 are held and compared byte by byte.
func TestHeadersOfOtherBytes(t *testing.T) {
	const field = "Content-Disposition: attachment; filename=\"%s.pdf\"\n"
	for _, c := range []struct {
		name, field string
		recorded    func(run int) string
		live        string
		held        bool
	}{
		{"same", field, func(int) string { return "caf\xe9" }, "caf\xe9", true},
		{"another byte", field, func(int) string { return "caf\xe9" }, "caf\xe8", false},
		{"another encoding", field, func(int) string { return "caf\xe9" }, "café", false},
		{"another encoding, the other way", field, func(int) string { return "café" }, "caf\xe9", false},
		{"moves", field, func(run int) string { return "caf\xe9-" + uuid(run, 1) }, "caf\xe9-" + uuid(live, 1), true},
		{"cookie, same", "Set-Cookie: name=%s; Path=/\n", func(int) string { return "caf\xe9" }, "caf\xe9", true},
		{"cookie, another byte", "Set-Cookie: name=%s; Path=/\n", func(int) string { return "caf\xe9" }, "caf\xe8", false},
		{"cookie that moves", "Set-Cookie: name=%s; Path=/\n", func(run int) string { return "caf\xe9-" + uuid(run, 1) }, "caf\xe9-" + uuid(live, 1), true},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			w := world{requests: []string{"GET /f HTTP/1.1\nHost: a"}, answer: func(run, _ int, _ time.Time) string {
				return jsonHead + fmt.Sprintf(c.field, c.recorded(run)) + "\n{}"
			}}
			s, raw := w.learned(t)
			now := jsonHead + fmt.Sprintf(c.field, c.live) + "\n{}"
			want := onWire(now)
			if c.held {
				want = onWire(w.answer(0, 0, began(0)))
			}
			if _, shown := say(s, w.requests[0], now); shown != want || c.held != (len(*raw) == 0) {
				t.Errorf("shown %q\nwant  %q\nraw %q", shown, want, *raw)
			}
		})
	}
}

// What the client makes up for a header comes back to it as its own; what says who it is does not count, nor what an answer gave it.
func TestClientsOwnHeaders(t *testing.T) {
	ask := func(headers string) string { return "GET /a?n=1 HTTP/1.1\nHost: a\n" + headers }
	for _, c := range []struct {
		header string
		own    bool
	}{
		{"X-Request-Id", true}, {"Traceparent", true}, {"Idempotency-Key", true},
		{"User-Agent", false}, {"Cookie", false}, {"Authorization", false}, {"Referer", false}, {"If-None-Match", false}, {"Accept-Language", false},
	} {
		t.Run(c.header, func(t *testing.T) {
			w := world{
				requests: []string{ask(c.header + ": " + uuid(0, 1)), ask(c.header + ": " + uuid(0, 2))},
				answer: func(run, n int, _ time.Time) string {
					return jsonHead + "X-Request-Id: " + uuid(run, n+1) + "\n\n" + fmt.Sprintf(`{"req":%q,"at":"x"}`, uuid(run, n+1))
				},
			}
			if c.header == "Accept-Language" {
				w.requests = []string{ask(c.header + ": en"), ask(c.header + ": de")}
			}
			s, raw := w.learned(t)
			for n := range w.requests {
				sent, shown := say(s, strings.ReplaceAll(w.requests[n], uuid(0, n+1), uuid(live, n+1)), w.answer(live, n, began(live)))
				want := onWire(w.answer(0, n, began(0)))
				if c.own {
					want = onWire(w.answer(live, n, began(live)))
				}
				if shown != want || len(*raw) > 0 {
					t.Errorf("shown %q\nwant  %q\nraw %q", shown, want, *raw)
				}
				if strings.Contains(w.requests[n], uuid(0, n+1)) && !strings.Contains(sent, uuid(live, n+1)) {
					t.Errorf("sent %q", sent)
				}
			}
		})
	}
}

// An API that does not give back what the client made up for a header is told by that.
func TestClientsOwnHeaderIsNotReturned(t *testing.T) {
	w := world{
		requests: []string{"GET /a HTTP/1.1\nHost: a\nX-Request-Id: " + uuid(0, 1)},
		answer:   func(int, int, time.Time) string { return jsonHead + "X-Request-Id: " + uuid(0, 1) + "\n\n{}" },
	}
	s, raw := w.learned(t)
	answer := jsonHead + "X-Request-Id: " + uuid(live, 7) + "\n\n{}"
	if _, shown := say(s, "GET /a HTTP/1.1\nHost: a\nX-Request-Id: "+uuid(live, 1), answer); shown != onWire(answer) || len(*raw) != 1 {
		t.Errorf("shown %q, raw %q", shown, *raw)
	}
}
