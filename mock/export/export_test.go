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
	want := []string{"early: WireMock has no interim answers, and this one is behind a 103", "forged: WireMock has no fault UNTRUSTED_CERTIFICATE"}
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
	if len(left) != 3 || !strings.Contains(left[0], "resets: Hoverfly has no fault CONNECTION_RESET_BY_PEER") ||
		!strings.Contains(left[1], "early: Hoverfly has no interim answers, and this one is behind a 103") ||
		!strings.Contains(left[2], "lacks: Hoverfly has no matcher absent for X-A") {
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
	if err := json.Unmarshal(all["rates.example.com_443.json"], &got); err != nil {
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
	if text := string(described["weather.example.com_8080.json"]); err != nil || !strings.Contains(text, `"application/json"`) || !strings.Contains(text, `"level"`) {
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
		if err := json.Unmarshal(all[service+".json"], &doc); err != nil {
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

// What names no service has no description: it would name a file anywhere.
func TestOpenAPIOfNoService(t *testing.T) {
	for host, want := range map[string]int{"rates.example": 1, "münchen.example": 1, "../../rates": 0, "..": 0, "/etc/x": 0, `..\\x`: 0, "a b": 0, "": 0,
		strings.Repeat("a", 300): 0, "fe80::1%eth0": 1} {
		samples := SamplesOf(parsed(t, fmt.Appendf(nil, `{"request": {"host": {"equalTo": "%s"}, "urlPath": "/a"}, "response": {"jsonBody": {}}}`, host)))
		samples = append(samples, LearntSample(host, "GET", "/b", Learnt{Place: "/body/a"}))
		all, err := OpenAPI(samples)
		if err != nil || len(all) != want {
			t.Errorf("%q: %d descriptions, want %d: %v", host, len(all), want, err)
		}
		for name := range all {
			if strings.ContainsAny(name, `/\:`) {
				t.Errorf("a file would be named %q", name)
			}
		}
	}
}

// What is large beyond use, in an index or in stubs, takes neither long nor much.
func TestBounds(t *testing.T) {
	const many = 200_000
	values := make([]any, many)
	for i := range values {
		values[i] = fmt.Sprint(i)
	}
	learnt := []Learnt{{Place: exchange.Place("/body/deep" + strings.Repeat("/*/a", many))}, {Place: "/body/a", Kinds: []kind.Kind{"odd", kind.String}}}
	for i := range many / maxValues {
		learnt = append(learnt, Learnt{Place: "/body/a", Values: values[i*maxValues:][:maxValues]})
	}
	var stubs []mock.Stub
	for i := range maxMedia * 10 {
		for status := 200; status < 300; status++ {
			stubs = append(stubs, parsed(t, fmt.Appendf(nil, `{"request": {"host": {"equalTo": "a.example"}, "urlPath": "/a"},
				"response": {"status": %d, "headers": {"Content-Type": "a/json%d"}, "body": "{}"}}`, status, i))...)
		}
	}
	samples := append(SamplesOf(stubs), LearntSample("a.example:443", "GET", "/a", learnt...),
		LearntSample("a.example:443", "GET", strings.Repeat("/{}", many), Learnt{Place: "/body/a"}))
	begun := time.Now()
	all, err := OpenAPI(samples)
	if err != nil || len(all) != 1 || time.Since(begun) > time.Minute {
		t.Fatalf("%d descriptions in %s, %v", len(all), time.Since(begun), err)
	}
	var doc struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Content map[string]struct {
					Schema struct {
						Properties map[string]struct {
							Type string
							Enum []any
						}
					}
				}
			}
		}
	}
	if err := json.Unmarshal(all["a.example_443.json"], &doc); err != nil {
		t.Fatal(err)
	}
	described := 0
	for _, r := range doc.Paths["/a"]["get"].Responses {
		if len(r.Content) > maxMedia {
			t.Fatalf("%d media types are described", len(r.Content))
		}
		for _, c := range r.Content {
			if a, is := c.Schema.Properties["a"]; is {
				described++
				if a.Type != "string" || len(a.Enum) != maxValues {
					t.Fatalf("it has the type %q and %d values", a.Type, len(a.Enum))
				}
			}
		}
	}
	if described != maxAmong {
		t.Errorf("the field is described in %d answers", described)
	}
}

// JSON that is nested deep is written as a text: lines that are indented by each of its levels are many times as long.
func TestDeepJSON(t *testing.T) {
	const depth = 9_000
	deep := strings.Repeat("[", depth) + strings.Repeat("]", depth)
	stubs := parsed(t, []byte(`{"request": {"bodyPatterns": [{"equalToJson": `+deep+`}]}}`))
	data, _, err := WireMock(stubs)
	if err != nil || len(data) > 4*len(deep) {
		t.Fatalf("%d bytes of %d, %v", len(data), len(deep), err)
	}
	if diff := cmp.Diff(deep, fmt.Sprint(parsed(t, data)[0].Request.Body[0].Matcher().JSON)); diff != "" {
		t.Error(diff)
	}
}

// Stubs are somebody else's, too: what can be read can be written, and is read again.
func FuzzStubs(f *testing.F) {
	f.Add([]byte(`{"mappings": [{"scenarioName": "s", "newScenarioState": "t", "request": {"host": {"equalTo": "../a"}, "url": "/a?b=%41", "bodyPatterns": [{"equalToJson": {"a": [1e999]}}]},
		"response": {"headers": {"Content-Type": "application/json; x"}, "body": "{\"a\": [{}, null, 1.5]}"}}, {"response": {"fault": "UNTRUSTED_CERTIFICATE"}}]}`))
	f.Add([]byte(`{"host": "a.example:0", "mappings": [{"request": {"port": -1, "urlPathPattern": "/[^/]+/\\", "headers": {"A": {"absent": true}}}, "response": {"base64Body": "/w=="}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		stubs, err := mock.ParseStubs(data, mock.NoFile)
		if err != nil {
			return
		}
		written, left, err := WireMock(stubs)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := mock.ParseStubs(written, mock.NoFile); err != nil || len(again) != len(stubs)-len(left) {
			t.Errorf("%d of %d stubs are read, %d left out: %v\n%s", len(again), len(stubs), len(left), err, written)
		}
		if _, _, err := Hoverfly(stubs); err != nil {
			t.Error(err)
		}
		all, err := OpenAPI(SamplesOf(stubs))
		if err != nil {
			t.Error(err)
		}
		for name := range all {
			if strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") {
				t.Errorf("a file would be named %q", name)
			}
		}
	})
}

// So are the messages of a recording.
func FuzzRecorded(f *testing.F) {
	f.Add("POST /a?b=c&d=%zz HTTP/1.1\r\nContent-Type: application/json\r\n\r\n", `{"a": [1]}`, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", `[{"a": 1}, {"b": null}]`)
	f.Add("", "", "", "")
	f.Fuzz(func(t *testing.T, request, body, answer, answered string) {
		x := &exchange.External{Real: true, Exchange: exchange.Exchange{Seq: 1, Scheme: "https", Addr: "rates.example.com:443",
			Request:  exchange.ParseRequest(exchange.Message{Head: []byte(request), Body: []byte(body)}),
			Response: exchange.ParseResponse(exchange.Message{Head: []byte(answer), Body: []byte(answered)})}}
		calls := []*exchange.External{x}
		if _, err := OpenAPI(RecordedSamples(calls)); err != nil {
			t.Error(err)
		}
		stubs := Recorded(calls, exchange.Redactor{Key: []byte("k")})
		for _, form := range []Form{FormWireMock, FormHoverfly} {
			if _, _, err := form.Write(stubs); err != nil {
				t.Error(err)
			}
		}
	})
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
