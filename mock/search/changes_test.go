package search

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// A certificate that nobody trusts is tried with services that are asked in TLS, at whatever port, and with no others.
func TestUntrustedCertificates(t *testing.T) {
	o := Options{Requests: []Request{{Method: "GET", Target: "/open"}}, Words: &Words{}, Trials: 300, Patience: time.Second}
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		if r := w.getBy("https", "keys.example:8443", "/key"); r.untrue {
			return 500, `{"error": "who is that"}`
		}
		if r := w.getBy("http", "doors.example:443", "/door"); r.untrue {
			return 500, `{"error": "a certificate of a service without TLS"}`
		}
		return 200, `{"open": true}`
	})
	wanted(t, found, `{error: "who is that"}`)
	if reached(found.Behaviors, `{error: "a certificate of a service without TLS"}`) != nil {
		t.Error("a service that has no certificate is tried with one")
	}
}

// Of a service whose certificate nobody trusts nothing is asked, and what the API says of it is no finding; what it is
// asked nonetheless is, though the API does the same as ever.
func TestUnverified(t *testing.T) {
	for _, trusts := range []bool{false, true} {
		o := Options{Requests: []Request{{Method: "GET", Target: "/open"}}, Words: &Words{}, Trials: 300, Patience: time.Second}
		found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
			w.trusts = trusts
			if r := w.getBy("https", "keys.example:8443", "/key"); r.gone || r.status != 200 {
				return 502, `{"error": "no key"}`
			}
			return 200, `{"open": true}`
		})
		told := map[Finding]string{}
		for _, b := range found.Behaviors {
			for _, f := range b.Findings {
				told[f] = b.Shape
			}
			if refused := len(b.Calls) == 0; refused && len(b.Findings) > 0 {
				t.Errorf("nobody asks, and it is told %q", b.Findings)
			}
		}
		want := map[Finding]string{}
		if trusts {
			want[Unverified] = "{open: true}"
		}
		if !maps.Equal(told, want) {
			t.Errorf("it trusts all: %t, told is %q in %q", trusts, told, outline(found.Behaviors))
		}
	}
}

// An interim answer goes before a good one: once where nothing comes of it, however many requests ask the endpoint, and
// with each of them where something does.
func TestInterimAnswers(t *testing.T) {
	o := Options{Requests: []Request{{Method: "GET", Target: "/a"}, {Method: "GET", Target: "/b"}}, Words: &Words{}, Trials: 600, Patience: time.Second}
	for _, confused := range []bool{false, true} {
		tried := map[string]int{}
		found := searchWorld(t, o, func(w *world, asked Request) (int, string) {
			r := w.get("doors.example:443", "/door")
			if r.behind != 0 {
				tried[string(w.stubs)]++
				if r.status != 200 || r.behind != 103 {
					t.Errorf("a %d is behind a %d", r.status, r.behind)
				}
			}
			switch {
			case r.status != 200 || r.gone:
				return 502, `{"error": "no door"}`
			case r.behind != 0 && confused:
				return 500, fmt.Sprintf(`{"error": "it is early at %s"}`, asked.Target)
			}
			return 200, `{"open": true}`
		})
		if trials := len(tried); !confused && (trials != 1 || slices.Max(slices.Collect(maps.Values(tried))) != 1) {
			t.Errorf("nothing comes of it, and it is tried %v", tried)
		}
		for _, path := range []string{"/a", "/b"} {
			b := reached(found.Behaviors, fmt.Sprintf(`{error: "it is early at %s"}`, path))
			if (b != nil) != confused || b != nil && !strings.Contains(string(b.Stubs), `"interimStatus": 103`) {
				t.Errorf("confused: %t, with %s it finds %q", confused, path, outline(found.Behaviors))
			}
		}
	}
}

// What goes before an answer is left out of stubs where it does nothing.
func TestInterimAnswersAreLeftOut(t *testing.T) {
	e := Endpoint{Service: "a.example:80", Method: "GET", Path: "/"}
	early := ok()
	early.Interim = 103
	if early.plain() || early.fielded() {
		t.Error("fields of a good answer are changed behind an interim one")
	}
	set := setting{e: early}
	if !slices.ContainsFunc(set.smaller(), func(f func(setting) setting) bool { return f(set).key() == setting{e: ok()}.key() }) {
		t.Error("no smaller stubs are without it")
	}
	for c, want := range map[*change]Purpose{{answer: early}: toRefuse, {answer: ok()}: toSucceed} {
		if got := c.purpose(); got != want {
			t.Errorf("a trial of it is for %s, not %s", got, want)
		}
	}
}
