package search

import (
	"slices"
	"testing"
)

// What is wrong with an outcome is told by its end, its status, its body, and what the services did.
func TestFindings(t *testing.T) {
	asked := func(status, times int) []Call {
		return []Call{{Service: "rates.example:443", Method: "GET", Target: "/latest", Status: 200, Times: 1},
			{Service: "stock.example:80", Method: "GET", Target: "/x", Status: status, Times: times}}
	}
	for _, c := range []struct {
		name string
		o    Outcome
		want []Finding
	}{
		{"success", Outcome{Status: 200, Calls: asked(200, 1)}, nil},
		{"success after a redirect", Outcome{Status: 200, Calls: asked(302, 1)}, nil},
		{"success after a refusal", Outcome{Status: 200, Calls: asked(400, 1)}, []Finding{WrongSuccess}},
		{"success after a failure", Outcome{Status: 204, Calls: asked(503, 1)}, []Finding{WrongSuccess}},
		{"success after a connection that was ended", Outcome{Status: 201, Calls: asked(0, 1)}, []Finding{WrongSuccess}},
		{"a refusal after a failure", Outcome{Status: 404, Calls: asked(503, 1)}, nil},
		{"an error", Outcome{Status: 500}, []Finding{ServerError}},
		{"an error after a failure", Outcome{Status: 500, Calls: asked(503, 1)}, []Finding{ServerError}},
		{"501 after a failure", Outcome{Status: 501, Calls: asked(503, 1)}, []Finding{ServerError}},
		{"502 that nobody outside is behind", Outcome{Status: 502}, []Finding{ServerError}},
		{"503 that nobody outside is behind", Outcome{Status: 503}, []Finding{ServerError}},
		{"504 that nobody outside is behind", Outcome{Status: 504}, []Finding{ServerError}},
		{"502 for a service", Outcome{Status: 502, Calls: asked(500, 1)}, nil},
		{"503 for a service", Outcome{Status: 503, Calls: asked(429, 1)}, nil},
		{"504 for a service", Outcome{Status: 504, Calls: asked(0, 1)}, nil},
		{"505 after a failure", Outcome{Status: 505, Calls: asked(503, 1)}, []Finding{ServerError}},
		{"no answer", Outcome{End: Hung, Calls: asked(200, 1)}, []Finding{HangFinding}},
		{"a connection that ends", Outcome{End: Broke, Calls: asked(503, 1)}, []Finding{BrokenOff}},
		{"a trace for a service", Outcome{Status: 502, Body: []byte(`Traceback (most recent call last): KeyError: 'usd'`), Calls: asked(200, 1)}, []Finding{LeakedTrace}},
		{"nine retries", Outcome{Status: 502, Calls: asked(503, 9)}, nil},
		{"ten retries", Outcome{Status: 502, Calls: asked(503, 10)}, []Finding{Endless}},
		{"several at once", Outcome{Status: 200, Calls: asked(503, 40)}, []Finding{WrongSuccess, Endless}},
	} {
		if got := findings(c.o, nil); !slices.Equal(got, c.want) {
			t.Errorf("%s: it is told %q, not %q", c.name, got, c.want)
		}
	}
}
