package inspect

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/report"
)

func TestParseOperation(t *testing.T) {
	for _, test := range []struct {
		operation, method, target string
		want                      bool
	}{
		{"GET /orders/{id}", "GET", "/orders/7", true},
		{"GET /orders/{id}", "GET", "/orders/7?x=1", true},
		{"GET /orders/{id}", "GET", "/orders/", false},
		{"GET /orders/{id}", "GET", "/orders/7/lines", false},
		{"GET /orders/{id}", "POST", "/orders/7", false},
		{"GET /orders/{id}/lines/{id2}", "GET", "/orders/a.b/lines/%20", true},
		{"GET /a.b", "GET", "/aXb", false},
		{"get /a", "GET", "/a", false},
		{"GET //other.example:443/keys/{id}", "GET", "/keys/1", true},
		{"GET //else.example:443/keys/{id}", "GET", "/keys/1", false},
		{"GET /%7Bid%7D", "GET", "/%7Bid%7D", true},
	} {
		op, err := ParseOperation(test.operation)
		if err != nil {
			t.Fatal(err)
		}
		e := &exchange.Exchange{Addr: "other.example:443", Response: &exchange.Response{}}
		e.Request.Method, e.Request.Target = test.method, test.target
		if got := (&Filter{Operation: op}).matches(e, nil); got != test.want {
			t.Errorf("%s matches %s %s: %v", test.operation, test.method, test.target, got)
		}
	}
	if _, err := ParseOperation("GET"); err == nil {
		t.Error("an operation without a path was taken")
	}
}

func TestStatusesAndFaults(t *testing.T) {
	response := func(status int) *exchange.Exchange {
		return &exchange.Exchange{Response: &exchange.Response{Status: status}}
	}
	reset := &exchange.Exchange{Fault: &exchange.Fault{Kind: exchange.FaultReset}}
	for _, test := range []struct {
		statuses string
		faults   []string
		e        *exchange.Exchange
		want     bool
	}{
		{"", nil, response(200), true}, {"", nil, reset, true},
		{"404", nil, response(404), true}, {"404", nil, response(405), false}, {"404", nil, reset, false},
		{"200,4xx,5XX", nil, response(503), true}, {"200,4xx", nil, response(201), false},
		{"", []string{"any"}, reset, true}, {"", []string{"timeout", "reset"}, reset, true}, {"", []string{"eof"}, reset, false},
		{"", []string{"any"}, response(200), false}, {"500", []string{"any"}, response(500), true}, {"500", []string{"any"}, reset, true},
	} {
		statuses, err := ParseStatuses(test.statuses)
		if err != nil {
			t.Fatal(err)
		}
		if got := (&Filter{Statuses: statuses, Faults: test.faults}).matches(test.e, nil); got != test.want {
			t.Errorf("%q, %q: %+v passes: %v", test.statuses, test.faults, test.e, got)
		}
	}
	for _, bad := range []string{"20", "2000", "abc", "xx4", "200,", "-1", "٢٠٠"} {
		if _, err := ParseStatuses(bad); err == nil {
			t.Errorf("%q was taken for statuses", bad)
		}
	}
}

// TestTokensAreTold: a sample is the token of a secret where it is one from its first to its last character.
func TestTokensAreTold(t *testing.T) {
	for sample, want := range map[string]bool{
		`"secret:0123456789ab"`: true, `"secret:of the house"`: false, `"secret:"`: false, `"secret:0123456789abcdef"`: false,
		`"a secret:0123456789ab"`: false, `12`: false, `{"a":"secret:0123456789ab"}`: false,
	} {
		if got := hidesSecret(json.RawMessage(sample)); got != want {
			t.Errorf("%s: %v", sample, got)
		}
	}
}

// TestSecretKeysAreHidden: an object whose keys are secrets is explained without them.
func TestSecretKeysAreHidden(t *testing.T) {
	var s exchange.Secrets
	s.Note("s3ssion-of-ann")
	m := masker{exchange.Redactor{Key: []byte("k"), Known: s.Known()}}
	place := exchange.PlaceBody.Key("s3ssion-of-ann").Key("n")
	step := report.WhyStep{Recorded: []report.Value{{Place: place, Token: "1"}}, Runs: []report.WhySeen{{Values: []report.Value{{Place: place, Token: "2"}}}}}
	m.maskStep(&step, m.token)
	doc, err := json.Marshal(step)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(doc), "ann") || strings.Count(string(doc), `"/body/secret:`) != 2 {
		t.Errorf("%s", doc)
	}
}
