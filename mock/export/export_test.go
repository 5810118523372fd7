package export

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// ofAll are stubs of all that is served: those that WireMock itself is tried on.
func ofAll(t *testing.T) []mock.Stub {
	t.Helper()
	stubs, err := mock.ReadStubs(os.DirFS("../../cmd/flaketap/testdata/wiremock"))
	if err != nil {
		t.Fatal(err)
	}
	return stubs
}

func parsed(t *testing.T, data []byte) []mock.Stub {
	t.Helper()
	stubs, err := mock.ParseStubs(data, func(string) ([]byte, error) { return nil, fs.ErrNotExist })
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	return stubs
}

// samePatterns compares patterns by what they say.
var samePatterns = []cmp.Option{cmpopts.EquateEmpty(), cmp.AllowUnexported(mock.Match{}), cmp.Comparer(func(a, b *regexp.Regexp) bool {
	return a == b || a != nil && b != nil && a.String() == b.String()
})}

// What is written is read as it was.
func TestWireMockRoundTrip(t *testing.T) {
	all := ofAll(t)
	data, left, err := WireMock(all)
	if err != nil || len(left) > 0 {
		t.Fatal(left, err)
	}
	got := parsed(t, data)
	for i := range got {
		got[i].Request.Service = all[i].Request.Service // which stands in the host and the port
	}
	if diff := cmp.Diff(all, got, samePatterns...); diff != "" {
		t.Error(diff)
	}
	if again, _, err := WireMock(parsed(t, data)); err != nil || string(again) != string(data) {
		t.Errorf("the second time it is another, %v", err)
	}
}

// What WireMock does not know is left out, and told: it refuses a file that has it.
func TestWireMockLeavesOut(t *testing.T) {
	data, left, err := FormWireMock.Write(parsed(t, []byte(`{"mappings": [{"name": "early", "request": {}, "response": {"interimStatus": 103}},
		{"name": "forged", "request": {}, "response": {"fault": "UNTRUSTED_CERTIFICATE"}}, {"name": "kept", "request": {}}]}`)))
	want := []string{"early is left out: WireMock has no interim answers, and this one is behind a 103", "forged is left out: WireMock has no fault UNTRUSTED_CERTIFICATE"}
	if diff := cmp.Diff(want, left); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if kept := parsed(t, data); len(kept) != 1 || kept[0].Name != "kept" {
		t.Errorf("kept: %+v", kept)
	}
}

// call is a recorded call.
func call(request, answer string) *exchange.External {
	head, body, _ := strings.Cut(request, "\n\n")
	x := &exchange.External{Stub: "some", Exchange: exchange.Exchange{Scheme: "https", Addr: "rates.example.com:443",
		Request: exchange.ParseRequest(exchange.Message{Head: []byte(strings.ReplaceAll(head, "\n", "\r\n") + "\r\n\r\n"), Body: []byte(body)})}}
	head, body, _ = strings.Cut(answer, "\n\n")
	x.Response = exchange.ParseResponse(exchange.Message{Head: []byte(strings.ReplaceAll(head, "\n", "\r\n") + "\r\n\r\n"), Body: []byte(body)})
	return x
}

const ok = "HTTP/1.1 200 OK\nContent-Type: application/json\nDate: Thu, 01 Jan 2026 00:00:00 GMT\nX-A: 1\nX-A: 2\n\n"

func TestRecorded(t *testing.T) {
	reset := call("GET /reset HTTP/1.1", ok)
	reset.Response, reset.Fault = nil, &exchange.Fault{Kind: exchange.FaultReset}
	gaveUp := call("GET /late HTTP/1.1", ok)
	gaveUp.Response, gaveUp.Fault = nil, &exchange.Fault{Kind: exchange.FaultClient}
	unknown := call("GET /unknown HTTP/1.1", "HTTP/1.1 404 Not Found\n\nno stub for GET https://rates.example.com:443/unknown\n")
	unknown.Stub = ""
	real := call("GET /real HTTP/1.1", "HTTP/1.1 404 Not Found\n\nnone")
	real.Stub = ""
	reset.Latency = 2500300 * time.Microsecond
	secret := call("POST /token?api_key=4f9d2c71a8b3e5&n=1 HTTP/1.1\nContent-Type: application/json\n\n"+`{"password":"s3cr3t-of-api"}`, ok+`{"access_token":"gr4nted-t0ken-x"}`)
	calls := []*exchange.External{
		call("GET /latest?base=EUR HTTP/1.1", ok+`{"rate":1.0}`), call("GET /latest?base=EUR HTTP/1.1", ok+`{"rate":1.0}`),
		call("GET /turns HTTP/1.1", "HTTP/1.1 429 Too Many Requests\nRetry-After: 1\n\n"), call("GET /turns HTTP/1.1", ok+"[]"), call("GET /turns HTTP/1.1", ok+"[]"),
		call("POST /orders HTTP/1.1\n\n{\"a\": 1}", ok+"1"), call("POST /orders HTTP/1.1\n\n{\"a\": 2}", ok+"2"), call("POST /orders HTTP/1.1\n\ntext", ok+"3"),
		reset, gaveUp, unknown, real,
		call("GET /headed HTTP/1.1", ok+"1"), call("GET /headed HTTP/1.1", strings.Replace(ok, "X-A: 2", "X-A: 3", 1)+"1"),
		secret,
	}
	var secrets exchange.Secrets
	for _, x := range calls {
		secrets.Exchange(&x.Exchange)
	}
	stubs := Recorded(calls, exchange.Redactor{Key: []byte("k"), Known: secrets.Known()})
	data, _, err := WireMock(stubs)
	if err != nil {
		t.Fatal(err)
	}
	for _, hidden := range []string{"4f9d2c71a8b3e5", "s3cr3t-of-api", "gr4nted-t0ken-x"} {
		if strings.Contains(string(data), hidden) {
			t.Errorf("%s is told", hidden)
		}
	}
	var got []string
	for _, s := range stubs {
		got = append(got, fmt.Sprintf("%s %d%s %s>%s %d", s.Name, s.Response.Status, s.Response.Fault, s.When, s.Then, len(s.Request.Body)))
	}
	want := []string{
		"GET rates.example.com:443/latest 200 > 0",
		"GET rates.example.com:443/turns 429 Started>answer 2 0", "GET rates.example.com:443/turns 200 answer 2>answer 3 0", "GET rates.example.com:443/turns 200 answer 3> 0",
		"POST rates.example.com:443/orders 200 > 1", "POST rates.example.com:443/orders 200 > 1", "POST rates.example.com:443/orders 200 > 1",
		"GET rates.example.com:443/reset 200CONNECTION_RESET_BY_PEER > 0", "GET rates.example.com:443/real 404 > 0",
		"GET rates.example.com:443/headed 200 Started>answer 2 0", "GET rates.example.com:443/headed 200 answer 2> 0",
		"POST rates.example.com:443/token 200 > 0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if h := stubs[0].Response.Header; !reflect.DeepEqual(h, http.Header{"Content-Type": {"application/json"}, "X-A": {"1", "2"}}) || string(stubs[0].Response.Body) != `{"rate":1.0}` {
		t.Errorf("it answers %v %s", h, stubs[0].Response.Body)
	}
	if late := stubs[7].Response.Delay; late != 2500*time.Millisecond || stubs[0].Response.Delay != 0 {
		t.Errorf("what was late then comes after %s", late)
	}
	if last := stubs[len(stubs)-1].Request; last.URL != nil || last.Path.Matcher().Text != "/token" || len(last.Query) != 1 || last.Query[0].Name != "n" {
		t.Errorf("what has a secret is matched by %+v", last)
	}
}

func TestHoverfly(t *testing.T) {
	data, left, err := Hoverfly(parsed(t, []byte(`{"mappings": [
		{"name": "first", "scenarioName": "s", "requiredScenarioState": "Started", "newScenarioState": "warm",
		 "request": {"host": {"equalTo": "weather.example.com"}, "port": 8080, "method": "POST", "url": "/a?b=c",
		  "headers": {"X-A": {"contains": "b.c"}}, "bodyPatterns": [{"equalToJson": {"a": 1}, "ignoreExtraElements": true}]},
		 "response": {"status": 429, "headers": {"Retry-After": "1"}, "fixedDelayMilliseconds": 20}},
		{"name": "then", "scenarioName": "s", "requiredScenarioState": "warm", "request": {"host": {"equalTo": "rates.example.com"}, "port": 443, "urlPathPattern": "/x/[^/]+"},
		 "response": {"base64Body": "/w=="}},
		{"name": "resets", "request": {}, "response": {"fault": "CONNECTION_RESET_BY_PEER"}},
		{"name": "early", "request": {}, "response": {"interimStatus": 103}},
		{"name": "lacks", "request": {"headers": {"X-A": {"absent": true}}}}]}`)))
	if err != nil {
		t.Fatal(err)
	}
	var got, want any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(`{"meta": {"schemaVersion": "v5"}, "data": {"globalActions": {"delays": [], "delaysLogNormal": []}, "pairs": [
		{"request": {"method": [{"matcher": "exact", "value": "POST"}], "destination": [{"matcher": "exact", "value": "weather.example.com:8080"}],
		  "path": [{"matcher": "exact", "value": "/a"}], "query": {"b": [{"matcher": "exact", "value": "c"}]}, "headers": {"X-A": [{"matcher": "regex", "value": "b\\.c"}]},
		  "body": [{"matcher": "jsonpartial", "value": "{\"a\":1}"}], "requiresState": {"sequence:1": "1"}},
		 "response": {"status": 429, "body": "", "encodedBody": false, "templated": false, "headers": {"Retry-After": ["1"]}, "fixedDelay": 20, "transitionsState": {"sequence:1": "2"}}},
		{"request": {"destination": [{"matcher": "exact", "value": "rates.example.com"}], "path": [{"matcher": "regex", "value": "^(?:/x/[^/]+)$"}], "requiresState": {"sequence:1": "2"}},
		 "response": {"status": 200, "body": "/w==", "encodedBody": true, "templated": false}}]}}`), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(left) != 3 || !strings.Contains(left[0], "resets is left out: Hoverfly has no fault CONNECTION_RESET_BY_PEER") ||
		!strings.Contains(left[1], "early is left out: Hoverfly has no interim answers, and this one is behind a 103") ||
		!strings.Contains(left[2], "lacks is left out: Hoverfly has no matcher absent for X-A") {
		t.Errorf("left out: %q", left)
	}
}

func TestOpenAPI(t *testing.T) {
	unknown := call("GET /unknown HTTP/1.1", "HTTP/1.1 404 Not Found\n\nno stub for GET https://rates.example.com:443/unknown\n")
	unknown.Stub = "" // it is no word of the service
	var calls []*exchange.External
	for i, x := range []*exchange.External{
		call("GET /cities/17?lang=en&limit=5 HTTP/1.1", ok+`{"name":"Oslo","at":{"lat":59.9},"tags":["a"],"note":null}`),
		call("GET /cities/18?lang=no HTTP/1.1", ok+`{"name":"Bergen","at":{"lat":60},"tags":[]}`),
		call("GET /cities/19?lang=no HTTP/1.1", "HTTP/1.1 404 Not Found\nContent-Type: text/plain\n\nnone"),
		call("POST /orders HTTP/1.1\nContent-Type: application/json\n\n"+`{"n":1}`, "HTTP/1.1 201 Created\n\n"), unknown,
	} {
		x.Seq, x.Start = uint64(i+1), time.Unix(int64(i), 0)
		calls = append(calls, x)
	}
	all, err := OpenAPI(RecordedSamples(calls))
	if err != nil || len(all) != 1 {
		t.Fatal(len(all), err)
	}
	var got, want any
	if err := json.Unmarshal(all["rates.example.com_443"], &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(`{"openapi": "3.0.3", "servers": [{"url": "https://rates.example.com:443"}],
	 "info": {"title": "rates.example.com:443", "version": "learnt", "description": "What flaketap learnt of rates.example.com:443: there may be more."},
	 "paths": {"/cities/{id}": {"get": {
	   "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}},
	     {"name": "lang", "in": "query", "required": true, "schema": {"type": "string"}}, {"name": "limit", "in": "query", "required": false, "schema": {"type": "integer"}}],
	   "responses": {"200": {"description": "OK", "content": {"application/json": {"schema": {"type": "object", "required": ["at", "name", "tags"], "properties": {
	       "name": {"type": "string"}, "at": {"type": "object", "required": ["lat"], "properties": {"lat": {"type": "number"}}},
	       "tags": {"type": "array", "items": {"type": "string"}}, "note": {"nullable": true}}}}}},
	     "404": {"description": "Not Found", "content": {"text/plain": {"schema": {"type": "string"}}}}}}},
	  "/orders": {"post": {"requestBody": {"content": {"application/json": {"schema": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}}}},
	   "responses": {"201": {"description": "Created"}}}}}}`), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Of the stubs that a search writes, the paths with a part that varies are templates.
func TestOpenAPIOfStubs(t *testing.T) {
	samples := SamplesOf(parsed(t, []byte(`{"mappings": [
		{"request": {"host": {"equalTo": "weather.example.com"}, "port": 8080, "method": "GET", "urlPathPattern": "/cities/[^/]+/v1\\.0"}, "response": {"jsonBody": {"level": "calm"}}},
		{"request": {"urlPath": "/any-service"}}, {"request": {"host": {"equalTo": "a.example"}, "urlPathPattern": "/(a|b)"}},
		{"request": {"host": {"equalTo": "a.example"}, "urlPath": "/a"}, "response": {"fault": "EMPTY_RESPONSE"}}]}`)))
	if len(samples) != 1 || samples[0].Path != "/cities/{id}/v1.0" || samples[0].Service != "weather.example.com:8080" || samples[0].Scheme != "http" {
		t.Errorf("samples %+v", samples)
	}
	described, err := OpenAPI(samples)
	if text := string(described["weather.example.com_8080"]); err != nil || !strings.Contains(text, `"application/json"`) || !strings.Contains(text, `"level"`) {
		t.Errorf("of a body without a type it says %s, %v", text, err)
	}
	if all, err := OpenAPI(SamplesOf(ofAll(t))); err != nil || len(all) == 0 {
		t.Errorf("%d services, %v", len(all), err)
	}
}

// What a search learnt goes before what its stubs show, which has wrong types and broken bodies among it.
func TestOpenAPIOfSearch(t *testing.T) {
	stub := func(status int, body string) string {
		return fmt.Sprintf(`{"request": {"host": {"equalTo": "rates.example"}, "port": 443, "method": "GET", "urlPathPattern": "/v1/[^/]+"},
			"response": {"status": %d, "headers": {"Content-Type": "application/json"}, "body": %q}}`, status, body)
	}
	samples := SamplesOf(parsed(t, []byte(`{"mappings": [`+strings.Join([]string{stub(200, `{"usd": "x", "market": null, "free": 1}`),
		stub(200, `{"usd": 1.5, "market": "open", "free": "x"}`), stub(200, `{"usd": 1.`), stub(429, `{"error": {"code": 7}}`)}, ",")+`]}`)))
	samples = append(samples, LearntSample("rates.example:443", "GET", "/v1/{}",
		Learnt{Place: "/body/usd", Kinds: []kind.Kind{kind.Number}},
		Learnt{Place: "/body/market", Kinds: []kind.Kind{kind.String, kind.Null}, Values: []any{"open", "shut", "open", 7.0, []any{1.0}}},
		Learnt{Place: "/body/error/code", Kinds: []kind.Kind{kind.String, kind.Integer}, Values: []any{"late"}},
		Learnt{Place: "/body/days/*/~2", Kinds: []kind.Kind{kind.Integer}, Values: []any{"x"}}, Learnt{Place: "/body/odd", Kinds: []kind.Kind{kind.Any}},
		Learnt{Place: "/header/etag", Kinds: []kind.Kind{kind.String}}),
		LearntSample("stock.example:8080", "GET", "/left", Learnt{Place: "/body", Kinds: []kind.Kind{kind.List}}))
	all, err := OpenAPI(samples)
	if err != nil || len(all) != 2 {
		t.Fatal(len(all), err)
	}
	type answers map[string]struct {
		Content map[string]struct{ Schema any }
	}
	schema := func(service, path, status string) any {
		var doc struct {
			Paths map[string]map[string]struct{ Responses answers }
		}
		if err := json.Unmarshal(all[service], &doc); err != nil {
			t.Fatal(err)
		}
		return doc.Paths[path]["get"].Responses[status].Content["application/json"].Schema
	}
	for _, tt := range []struct{ service, path, status, want string }{
		{"rates.example_443", "/v1/{id}", "200", `{"type": "object", "required": ["free", "market", "usd"], "properties": {
			"usd": {"type": "number"}, "market": {"type": "string", "nullable": true, "enum": ["open", "shut", null]}, "free": {},
			"days": {"type": "array", "items": {"type": "object", "properties": {"*": {"type": "integer"}}}}, "odd": {}}}`},
		{"rates.example_443", "/v1/{id}", "429", `{"type": "object", "required": ["error"], "properties": {"error": {"type": "object",
			"required": ["code"], "properties": {"code": {"anyOf": [{"type": "integer"}, {"type": "string"}], "example": "late"}}}}}`},
		{"stock.example_8080", "/left", "200", `{"type": "array", "items": {}}`},
	} {
		var want any
		if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, schema(tt.service, tt.path, tt.status)); diff != "" {
			t.Errorf("%s%s %s: %s", tt.service, tt.path, tt.status, diff)
		}
	}
}

// Places of an index are somebody else's: whatever they are, there is a description.
func FuzzLearnt(f *testing.F) {
	f.Add("/v1/{}", "/body/a/*/b", "number", "open")
	f.Add("", "/body", "any", "")
	f.Fuzz(func(t *testing.T, path, place, of, value string) {
		learnt := Learnt{Place: exchange.Place(place), Kinds: []kind.Kind{kind.Kind(of)}, Values: []any{value, 1.0, nil, []any{}}}
		if _, err := OpenAPI([]Sample{LearntSample("a.example:1", "GET", path, learnt)}); err != nil {
			t.Error(err)
		}
	})
}
