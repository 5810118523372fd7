package search

import (
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
