package serve

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/mock/export"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/search/bound"
	"github.com/flaketap/flaketap/mock/search/kind"
)

// Who searches is told which requests were not searched, and what to do.
func TestUnsteadyRequestsAreTold(t *testing.T) {
	var out bytes.Buffer
	found := search.Result{Unsteady: []search.Request{{Method: "GET", Target: "/quote?token=4f9d2c71a8"}}}
	err := WriteFound(t.TempDir(), found, 1, &console.Console{Err: &out})
	if first := out.String(); !strings.HasPrefix(first, "flaketap: GET /quote is not searched: ") || !strings.Contains(first, "--patience") {
		t.Error(first)
	}
	if !errors.Is(err, errNone) || !strings.HasPrefix(err.Error(), "search: no behavior was found; ") {
		t.Errorf("a search that found nothing ends with %v", err)
	}
}

// Who searches with a budget that ends early is told of it, and not that requests are unsteady.
func TestUnbegunRequestsAreTold(t *testing.T) {
	var out bytes.Buffer
	quote := search.Request{Method: "GET", Target: "/quote?token=4f9d2c71a8"}
	for n, want := range []string{"", "flaketap: not searched: GET /quote: the search ended", "flaketap: not searched: GET /quote and 1 more: the search ended"} {
		out.Reset()
		if err := WriteFound(t.TempDir(), search.Result{Unbegun: slices.Repeat([]search.Request{quote}, n)}, 1, &console.Console{Err: &out}); !errors.Is(err, errNone) {
			t.Fatal(err)
		}
		if said := out.String(); strings.Contains(said, "not searched") != (n > 0) || !strings.HasPrefix(said, want) || strings.Contains(said, "otherwise each time") {
			t.Errorf("of %d requests it says %q", n, said)
		}
	}
}

// Who searches with a request for which the API asks nobody, as one with a mistyped path, is told of it.
func TestUnaskingRequestsAreTold(t *testing.T) {
	of := func(target string, status int, calls ...search.Call) *search.Behavior {
		return &search.Behavior{Request: search.Request{Method: "GET", Target: target}, Status: status, Calls: calls,
			Stubs: []byte(`{"mappings": []}`)}
	}
	call := search.Call{Service: "rates.example:443"}
	for want, all := range map[string][]*search.Behavior{
		"": {of("/quote", 200, call), of("/quote", 400)},
		"flaketap: the API asked no external service for GET /qoute (404), so nothing was varied there; is the path right?\n": {of("/quote", 200, call), of("/qoute?a=1", 404)},
		"flaketap: the API asked no external service for GET /a (404) and 1 more, so nothing was varied there":                {of("/a", 404), of("/b", 404)},
	} {
		var out bytes.Buffer
		if err := WriteFound(t.TempDir(), search.Result{Behaviors: all}, 1, &console.Console{Err: &out}); err != nil {
			t.Fatal(err)
		}
		if said := out.String(); !strings.HasPrefix(said, want) || strings.Contains(said, "nothing was varied") != (want != "") {
			t.Errorf("it says %q, want %q", said, want)
		}
	}
}

// Of two findings of a request a line each tells in what they differ: the status, and what services did.
func TestFindingsAreTold(t *testing.T) {
	var out bytes.Buffer
	behavior := func(status int, stubs string, findings ...search.Finding) *search.Behavior {
		return &search.Behavior{Request: search.Request{Method: "GET", Target: "/offer?id=7"}, Status: status, Findings: findings,
			Stubs: []byte(`{"mappings": [` + stubs + `]}`), Calls: []search.Call{{Service: "rates.example:443"}}}
	}
	const stock = `{"name": "GET stock.example:80/x", "response": {"status": 503}}`
	found := search.Result{Behaviors: []*search.Behavior{
		{Request: search.Request{Method: "GET", Target: "/trip"}, End: search.Hung, Findings: []search.Finding{search.Slow},
			Wait: bound.Wait{Waited: 10 * time.Second, Status: 504}, Stubs: []byte(`{"mappings": []}`)},
		behavior(500, `{"name": "GET rates.example:443/latest?key=4f9d2c71a8b0", "response": {"status": 200, "jsonBody": {"usd": null, "access_token": "4f9d2c71a8b0"}}}`, search.ServerError, search.LeakedTrace),
		behavior(501, strings.Join([]string{stock, stock, stock, stock, stock}, ","), search.ServerError), behavior(505, "", search.ServerError), behavior(200, "")}}
	if err := WriteFound(t.TempDir(), found, 1, &console.Console{Err: &out}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`GET /offer: 5xx, stack trace (500) where GET rates.example:443/latest answers 200 {"usd":null,"access_token":"`,
		"GET /offer: 5xx (501) where GET stock.example:80/x answers 503 and GET stock.example:80/x answers 503 and GET stock.example:80/x answers 503 and 2 more; ",
		"GET /offer: 5xx (505) where no service knows anything; ", "flaketap: 5 behaviors found, 4 of them with findings, in ",
		"GET /trip: slow (answered 504 after 10.0 s) where no service knows anything; "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "4f9d2c71a8b0") {
		t.Errorf("a secret is told:\n%s", out.String())
	}
	out.Reset()
	if err := WriteFound(t.TempDir(), search.Result{Behaviors: []*search.Behavior{behavior(200, "")}}, 1, &console.Console{Err: &out}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), "flaketap: 1 behavior found, none of them with findings, in ") {
		t.Error(out.String())
	}
}

// Stubs whose answers are whole are those of the last search into a folder: none are left of one before.
func TestWholeStubsAreNew(t *testing.T) {
	dir := t.TempDir()
	b := &search.Behavior{Request: search.Request{Method: "GET", Target: "/"}, Status: 200, Stubs: []byte(`{"mappings": []}`)}
	whole := filepath.Join(dir, "001", "whole")
	for _, b.Whole = range []*search.Whole{{Stubs: b.Stubs}, nil, nil} {
		if err := WriteFound(dir, search.Result{Behaviors: []*search.Behavior{b}}, 1, &console.Console{Err: io.Discard}); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(whole); (err == nil) != (b.Whole != nil) {
			t.Errorf("with %+v: %v", b.Whole, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "001", "stubs.json")); err != nil {
			t.Error(err)
		}
	}
}

// Who searches is told of connections that no stub can answer; what a fault of a trial did to a service that was asked
// is none of that.
func TestUnheardIsTold(t *testing.T) {
	var out bytes.Buffer
	o := SearchOptions{Serve: Options{Console: &console.Console{Err: &out}}}
	found := search.Result{Behaviors: []*search.Behavior{{Calls: []search.Call{{Service: "a.example:443"}}}}}
	o.tellUnheard(aReport(), found)
	for _, part := range []string{"flaketap: b.example:25: 2 connections refused: ", "flaketap: c.example:443: 1 connection ended at the certificate", "flaketap: refused: udp to 192.0.2.1:8125, 2 times"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("no %q in\n%s", part, out.String())
		}
	}
	if strings.Contains(out.String(), "a.example") || strings.Contains(out.String(), "idle.example") || strings.HasSuffix(out.String(), "\n\n") {
		t.Error(out.String())
	}
	out.Reset()
	if o.tellUnheard(Report{}, found); out.Len() > 0 {
		t.Errorf("it says %q", out.String())
	}
}

// The folder of a search tells of services what it learnt: by the stubs of all behaviors, and by its index.
func TestSamplesOfSearch(t *testing.T) {
	dir := t.TempDir()
	stubs := func(status int) []byte {
		return fmt.Appendf(nil, `{"mappings": [{"request": {"host": {"equalTo": "rates.example"}, "port": 443, "method": "GET", "urlPath": "/latest"},
			"response": {"status": %d, "jsonBody": {"usd": "x"}}}]}`, status)
	}
	found := search.Result{Behaviors: []*search.Behavior{{Stubs: stubs(200)}, {Stubs: stubs(503)}},
		Fields: []search.Field{{Endpoint: search.Endpoint{Service: "rates.example:443", Method: "GET", Path: "/latest"},
			Place: "/body/usd", Kinds: []kind.Kind{kind.Number}}}}
	if err := WriteFound(dir, found, 1, &console.Console{Err: io.Discard}); err != nil {
		t.Fatal(err)
	}
	samples, err := Folders{dir}.Samples()
	if err != nil {
		t.Fatal(err)
	}
	described, err := export.OpenAPI(samples)
	text := strings.Join(strings.Fields(string(described["rates.example_443.json"])), " ")
	for _, want := range []string{`"200": {`, `"503": {`, `"usd": { "type": "number" }`} {
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("no %s in %s, %v", want, text, err)
		}
	}
	if samples, err := (Folders{filepath.Join(dir, "002")}).Samples(); err != nil || len(samples) != 1 || samples[0].Status != 503 {
		t.Errorf("a folder of one behavior has %+v, %v", samples, err)
	}
	index := filepath.Join(dir, "index.json")
	for text, want := range map[string]string{
		`{"flaketap": "mock-search", "behaviors": [{"stubs": "../x"}]}`: `names the folder "../x", want "001"`,
		`{"flaketap": "map"}`: `"flaketap" is not served`,
	} {
		if err := os.WriteFile(index, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := (Folders{dir}).Samples(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
