package mock

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/certs"
	"github.com/google/go-cmp/cmp"
)

// served is a server of stubs for rates.example.com, and a client whose every connection goes there.
type served struct {
	t      *testing.T
	server *Server
	client *http.Client
	// recorded are the calls, as they end.
	recorded <-chan *exchange.External
}

func serve(t *testing.T, mappings string, unknown Unknown) *served {
	t.Helper()
	recorded := make(chan *exchange.External, 100)
	s := &Server{Unknown: unknown, Recorder: &Recorder{Record: func(x *exchange.External) { recorded <- x }, MaxBody: 10}}
	at, roots := listen(t, s, "rates.example.com", mappings)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "tcp", at)
		}}
	t.Cleanup(transport.CloseIdleConnections)
	return &served{t, s, &http.Client{Transport: transport, Timeout: time.Minute}, recorded}
}

// listen has a server be a host's port 443, by stubs, until the test ends. It is found at an address, and by a
// certificate of roots.
func listen(t *testing.T, s *Server, host, mappings string) (at string, roots *x509.CertPool) {
	t.Helper()
	stubs, err := ReadStubs(fstest.MapFS{"stubs.json": {Data: []byte(mappings)}})
	if err != nil {
		t.Fatal(err)
	}
	ca, err := certs.LoadOrCreate(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Book, s.Leaves, s.Calls = NewBook(stubs), ca, &Calls{}
	if s.Distrusts == nil {
		s.Distrusts = &Distrusts{}
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(host, 443, l) }()
	t.Cleanup(func() {
		l.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	roots = x509.NewCertPool()
	roots.AddCert(ca.Certificate())
	return l.Addr().String(), roots
}

// ask sends a request, and returns the answer's status with its body.
func (s *served) ask(method, url, body string, header ...string) (string, *http.Response) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	resp, err := s.client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.Status + " " + string(data), resp
}

func TestMatching(t *testing.T) {
	s := serve(t, `{"host": "Rates.example.com:443", "mappings": [
		{"request": {"method": "GET", "urlPath": "/any"}, "response": {"body": "any query"}},
		{"request": {"method": "GET", "url": "/any?a=1"}, "response": {"body": "this query"}},
		{"request": {"method": "GET", "urlPathPattern": "/items/[0-9]+"}, "response": {"jsonBody": {"id": 1}}},
		{"request": {"method": "ANY", "urlPath": "/low"}, "response": {"body": "low"}, "priority": 10},
		{"request": {"method": "GET", "urlPath": "/low"}, "response": {"body": "high"}, "priority": 1},
		{"request": {"urlPath": "/q", "queryParameters": {"page": {"matches": "[0-9]"}, "x": {"absent": true}}}, "response": {"status": 204}},
		{"request": {"urlPath": "/h", "headers": {"accept": {"contains": "json"}, "X-Up": {"equalTo": "YES", "caseInsensitive": true}}}, "response": {"body": "h"}},
		{"request": {"urlPath": "/lacks", "headers": {"X-A": {"doesNotContain": "a"}, "X-B": {"doesNotMatch": "b"}}}, "response": {"body": "lacks"}},
		{"request": {"urlPath": "/b", "basicAuthCredentials": {"username": "u", "password": "p"}}, "response": {"body": "let in"}},
		{"request": {"method": "POST", "urlPath": "/j", "bodyPatterns": [{"equalToJson": "{\"a\": 1, \"l\": [1, 2]}", "ignoreArrayOrder": true, "ignoreExtraElements": true}]},
		 "response": {"status": 201, "headers": {"Location": "/j/1", "Set-Cookie": ["a=1", "b=2"]}, "base64Body": "AAE="}}
	]}`, "")
	for _, tc := range []struct {
		method, target, body string
		header               []string
		want                 string
	}{
		{"GET", "/any?b=2", "", nil, "200 OK any query"},
		{"GET", "/any?a=1", "", nil, "200 OK this query"},
		{"GET", "/items/12", "", nil, `200 OK {"id":1}`},
		{"GET", "/items/12x", "", nil, "404 Not Found no stub for GET https://rates.example.com:443/items/12x\n"},
		{"GET", "/low", "", nil, "200 OK high"},
		{"PUT", "/low", "", nil, "200 OK low"},
		{"GET", "/q?page=2", "", nil, "204 No Content "},
		{"GET", "/q?page=22", "", nil, "404 Not Found no stub for GET https://rates.example.com:443/q?page=22\n"},
		{"GET", "/q?page=2&x=", "", nil, "404 Not Found no stub for GET https://rates.example.com:443/q?page=2&x=\n"},
		{"GET", "/h", "", []string{"Accept", "application/json", "X-Up", "yes"}, "200 OK h"},
		{"GET", "/lacks", "", nil, "200 OK lacks"},
		{"GET", "/lacks", "", []string{"X-A", "a"}, "404 Not Found no stub for GET https://rates.example.com:443/lacks\n"},
		{"GET", "/b", "", []string{"Authorization", "Basic dTpw"}, "200 OK let in"},
		{"POST", "/j", `{"l": [2, 1.0], "a": 1, "more": null}`, nil, "201 Created \x00\x01"},
		{"POST", "/j", `{"l": [2, 2], "a": 1}`, nil, "404 Not Found no stub for POST https://rates.example.com:443/j\n"},
		{"POST", "/j", `{"l": [2, 1], "a": 1} x`, nil, "404 Not Found no stub for POST https://rates.example.com:443/j\n"},
	} {
		got, resp := s.ask(tc.method, "https://rates.example.com"+tc.target, tc.body, tc.header...)
		if got != tc.want {
			t.Errorf("%s %s: got %q, want %q", tc.method, tc.target, got, tc.want)
		}
		if resp.ProtoMajor != 2 {
			t.Errorf("%s: HTTP/%d", tc.target, resp.ProtoMajor)
		}
	}
	_, resp := s.ask("POST", "https://rates.example.com/j", `{"l": [1, 2], "a": 1}`)
	if got := resp.Header.Values("Set-Cookie"); len(got) != 2 {
		t.Errorf("cookies: %q", got)
	}
}

// A connection without TLS is answered in HTTP/1.1, at the same listener.
func TestPlain(t *testing.T) {
	s := serve(t, `{"request": {"host": {"equalTo": "RATES.example.com"}, "port": 443}, "response": {"body": "plain"}}`, "")
	got, resp := s.ask("GET", "http://rates.example.com/x", "")
	if got != "200 OK plain" || resp.ProtoMajor != 1 {
		t.Errorf("%q by HTTP/%d", got, resp.ProtoMajor)
	}
}

// Answers of a scenario follow each other.
func TestScenario(t *testing.T) {
	s := serve(t, `{"mappings": [
		{"scenarioName": "slow", "requiredScenarioState": "Started", "newScenarioState": "warm", "request": {"urlPath": "/"}, "response": {"status": 429}},
		{"scenarioName": "slow", "requiredScenarioState": "warm", "request": {"urlPath": "/"}, "response": {"body": "ready"}}]}`, "")
	var got []string
	for range 3 {
		answer, _ := s.ask("GET", "https://rates.example.com/", "")
		got = append(got, answer)
	}
	s.server.Book.Restart()
	answer, _ := s.ask("GET", "https://rates.example.com/", "")
	want := []string{"429 Too Many Requests ", "200 OK ready", "200 OK ready", "429 Too Many Requests "}
	if diff := cmp.Diff(want, append(got, answer)); diff != "" {
		t.Error(diff)
	}
}

// Faults are felt as such, and so is what is refused.
func TestFaults(t *testing.T) {
	s := serve(t, `{"mappings": [
		{"request": {"urlPath": "/reset"}, "response": {"fault": "CONNECTION_RESET_BY_PEER"}},
		{"request": {"urlPath": "/empty"}, "response": {"fault": "EMPTY_RESPONSE"}},
		{"request": {"urlPath": "/bad"}, "response": {"fault": "MALFORMED_RESPONSE_CHUNK", "status": 200}},
		{"request": {"urlPath": "/junk"}, "response": {"fault": "RANDOM_DATA_THEN_CLOSE"}}]}`, Refuse)
	for path, felt := range map[string]func(error) bool{
		"/reset":   func(err error) bool { return errors.Is(err, syscall.ECONNRESET) },
		"/unknown": func(err error) bool { return errors.Is(err, syscall.ECONNRESET) },
		"/empty":   func(err error) bool { return errors.Is(err, io.EOF) },
		"/bad":     func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) },
		"/junk":    func(err error) bool { return err != nil && strings.Contains(err.Error(), "malformed HTTP") },
	} {
		resp, err := s.client.Post("http://rates.example.com"+path, "text/plain", strings.NewReader("x"))
		if err == nil {
			_, err = io.ReadAll(resp.Body)
			resp.Body.Close()
		}
		if !felt(err) {
			t.Errorf("%s: %v", path, err)
		}
		resp, err = s.client.Post("https://rates.example.com"+path, "text/plain", strings.NewReader("x"))
		if err == nil {
			resp.Body.Close()
			t.Errorf("%s by HTTP/2: %s", path, resp.Status)
		}
	}
}

// The certificate of a service may be one that nobody trusts; over plain HTTP its connection ends.
func TestUntrusted(t *testing.T) {
	s := serve(t, `{"host": "rates.example.com", "mappings": [{"request": {"urlPath": "/other"}, "response": {"fault": "UNTRUSTED_CERTIFICATE"}}]}`, "")
	for url, want := range map[string]string{"https://rates.example.com/a": "certificate", "http://rates.example.com/other": "EOF"} {
		resp, err := s.client.Get(url)
		if err == nil {
			resp.Body.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", url, err, want)
		}
	}
	s = serve(t, `{"host": "rates.example.com", "mappings": [{"response": {"fault": "UNTRUSTED_CERTIFICATE", "jsonBody": {"usd": 1}}}]}`, "")
	s.client.Transport.(*http.Transport).TLSClientConfig.InsecureSkipVerify = true
	if body, _ := s.ask("GET", "https://rates.example.com/a", ""); body != `200 OK {"usd":1}` {
		t.Errorf("who takes the certificate gets %s", body)
	}
}

// What was asked is counted, with what came nearest where nothing answered.
func TestCalls(t *testing.T) {
	s := serve(t, `{"mappings": [{"name": "rates", "request": {"method": "GET", "urlPath": "/rates"}, "response": {}},
		{"name": "other host", "request": {"host": {"equalTo": "other.example.com"}}, "response": {}}]}`, "")
	for _, url := range []string{"https://rates.example.com/rates", "https://rates.example.com/rates", "https://rates.example.com/x?y=1"} {
		s.ask("GET", url, "")
	}
	s.ask("PUT", "http://rates.example.com/rates", "")
	got, more := s.server.Calls.List()
	want := []Counted{
		{Call{Service: "rates.example.com:443", Scheme: "https", Method: "GET", Target: "/rates", Status: 200, Stub: "rates"}, 2},
		{Call{Service: "rates.example.com:443", Scheme: "https", Method: "GET", Target: "/x?y=1", Status: 404, Nearest: "rates", Misses: "path"}, 1},
		{Call{Service: "rates.example.com:443", Scheme: "http", Method: "PUT", Target: "/rates", Status: 404, Nearest: "rates", Misses: "method"}, 1},
	}
	if diff := cmp.Diff(want, got); diff != "" || more != 0 {
		t.Error(diff, more)
	}
}

// Of stubs that are for another path, the one that speaks of the service comes nearest, and of several such the one
// that has the method; a stub whose method alone is another comes nearer.
func TestNearest(t *testing.T) {
	s := serve(t, `{"mappings": [
		{"name": "part", "request": {"method": "GET", "urlPath": "/parts/1", "host": {"equalTo": "rates.example.com"}}, "response": {}},
		{"name": "new", "request": {"method": "POST", "urlPath": "/parts", "host": {"equalTo": "rates.example.com"}}, "response": {}},
		{"name": "pay", "request": {"method": "POST", "urlPath": "/payments"}, "response": {}}]}`, "")
	s.ask("GET", "http://rates.example.com/parts/2", "")
	s.ask("GET", "http://rates.example.com/parts", "")
	s.ask("PUT", "http://rates.example.com/payments", "")
	s.ask("GET", "http://rates.example.com/x", "")
	var got []string
	calls, _ := s.server.Calls.List()
	for _, c := range calls {
		got = append(got, c.Target+": "+c.Nearest+", another "+c.Misses)
	}
	want := []string{"/payments: pay, another method", "/x: part, another path", "/parts: new, another method", "/parts/2: part, another path"}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A long body is cut between characters; of one that breaks off by itself it shows that it does.
func TestAboutBody(t *testing.T) {
	for body, want := range map[string]string{
		"":                            "a answers 200",
		"x" + strings.Repeat("é", 40): "a answers 200 x" + strings.Repeat("é", 29) + "…",
		`{"price_c`:                   `a answers 200 {"price_c…`,
		`[{"a": 1}, `:                 `a answers 200 [{"a": 1}, …`,
		`{"price": 1}`:                `a answers 200 {"price": 1}`,
		`{price}`:                     `a answers 200 {price}`,
		"try again":                   "a answers 200 try again",
		"t":                           "a answers 200 t",
	} {
		if got := (Stub{Name: "a", Response: Response{Status: 200, Body: []byte(body)}}).About(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What is not served is refused when it is read, with where it stands.
func TestReadRefuses(t *testing.T) {
	for mappings, want := range map[string]string{
		`[`:               "it must be an object of JSON",
		`{"mappings": 3}`: `"mappings" must be a list, got number`,
		`{"mappings": [{"request": {"host": "a.example"}, "response": {}}]}`:                             `mapping 1: "request.host" must be an object, such as {"equalTo": "…"}`,
		`{"host": "https://a.example/", "mappings": []}`:                                                 `host must be a name or an address, such as rates.example.com`,
		`{"request": {"urlPath": "/", "bodyPatterns": [{"matchesXPath": "//a"}]}, "response": {}}`:       `mapping 1: "matchesXPath" is not served`,
		`{"flaketap": "mock-search", "version": 1, "behaviors": []}`:                                     `is the index of what mock search found`,
		`{"request": {}, "response": {"transformers": ["response-template"]}}`:                           `mapping 1: "transformers" is not served`,
		`{"request": {"url": "/", "urlPath": "/"}, "response": {}}`:                                      "use one of url, urlPath",
		`{"request": {"urlPattern": "("}, "response": {}}`:                                               "pattern \"(\": error parsing regexp: missing closing ): `(`",
		`{"request": {"urlPattern": "(["}, "response": {}}`:                                              "missing closing ]: `[`",
		"{\"mappings\": [\n{\"request\": {}},\n]}":                                                       `line 3: invalid character ']'`,
		`{"request": {}, "response": {"headers": {"A B": "c"}}}`:                                         `headers: "A B" cannot be sent`,
		`{"request": {}, "response": {"headers": {"A": ["b", "c\r\nd: e"]}}}`:                            `headers: "A" cannot be sent`,
		`{"request": {"headers": {"A": {}}}, "response": {}}`:                                            "headers: A: want one of equalTo",
		`{"request": {"headers": {"A": {"equalTo": "a", "absent": true}}}, "response": {}}`:              "headers: A: want one of equalTo",
		`{"request": {"headers": {"A": {"contains": "a", "caseInsensitive": true}}}, "response": {}}`:    "caseInsensitive is served with equalTo alone",
		`{"request": {"bodyPatterns": [{"equalToJson": {"a": "${json-unit.ignore}"}}]}, "response": {}}`: "placeholders, ${json-unit.…}, are not served",
		`{"request": {}, "response": {"status": 99}}`:                                                    "status must be 200 to 599, got 99",
		`{"request": {}, "response": {"fault": "SLOW"}}`:                                                 `unknown fault "SLOW"`,
		`{"request": {}, "response": {"body": "a", "jsonBody": 1}}`:                                      "use one of body, jsonBody",
		`{"request": {}, "response": {"bodyFileName": "../../etc/passwd"}}`:                              "bodyFileName must be a path within __files",
		`{"request": {}, "response": {"bodyFileName": "none"}}`:                                          "bodyFileName: open __files/none",
		`{"request": {}, "response": {"fixedDelayMilliseconds": -1}}`:                                    "fixedDelayMilliseconds must be 0 to",
		`{"newScenarioState": "x", "request": {}, "response": {}}`:                                       "need scenarioName",
	} {
		_, err := ReadStubs(fstest.MapFS{"a.json": {Data: []byte(mappings)}})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "read stubs: a.json: ") {
			t.Errorf("%s:\n got %v\nwant %s", mappings, err, want)
		}
	}
}

// A slip is told with what was meant, wherever it stands; names that only WireMock serves are no slips.
func TestReadSuggests(t *testing.T) {
	slips := map[string]string{"urlPth": "urlPath", "urlPaht": "urlPath", "equalsTo": "equalTo", "header": "headers", "jsonbody_": "jsonBody"}
	for _, name := range []string{"equalToXml", "matchesXPath", "matchesJsonPath", "matchesJsonSchema", "and", "or", "not", "before", "after", "equalToDateTime", "cookies", "scheme",
		"urlPathTemplate", "pathParameters", "formParameters", "multipartPatterns", "clientIp", "customMatcher", "transformers", "transformerParameters", "delayDistribution",
		"chunkedDribbleDelay", "proxyBaseUrl", "additionalProxyRequestHeaders", "postServeActions", "serveEventListeners", "hasExactly", "includes", "binaryEqualTo", "insertionIndex"} {
		slips[name] = ""
	}
	for name, meant := range slips {
		want := "read stubs: a.json: mapping 1: " + strconv.Quote(name) + " is not served"
		if meant != "" {
			want += "; did you mean " + strconv.Quote(meant) + "?"
		}
		for _, mapping := range []string{`{NAME: 1}`, `{"request": {NAME: 1}}`, `{"request": {"headers": {"a": {NAME: 1}}}}`, `{"response": {NAME: 1}}`} {
			mapping = strings.ReplaceAll(mapping, "NAME", strconv.Quote(name))
			_, err := ReadStubs(fstest.MapFS{"a.json": {Data: []byte(mapping)}})
			if err == nil || err.Error() != want {
				t.Errorf("%s: %v, want %s", mapping, err, want)
			}
		}
	}
}

// A folder as WireMock has it is read below mappings, and bodies from beside that.
func TestReadFolder(t *testing.T) {
	one := func(body string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(`{"request": {}, "response": {` + body + `}}`)}
	}
	stubs, err := ReadStubs(fstest.MapFS{"mappings/b/2.json": one(`"bodyFileName": "x/two.txt"`), "mappings/1.json": one(`"body": "one"`),
		"mappings/README.md": {Data: []byte("#")}, "__files/x/two.txt": {Data: []byte("two")}, "other.json": {Data: []byte("!")}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range stubs {
		got = append(got, s.Name+": "+string(s.Response.Body))
	}
	if diff := cmp.Diff([]string{"mappings/1.json, mapping 1: one", "mappings/b/2.json, mapping 1: two"}, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzParseStubs(f *testing.F) {
	f.Add([]byte(`{"mappings": [{"request": {"method": "GET", "urlPathPattern": "/a.*", "bodyPatterns": [{"equalToJson": {"a": [1]}}]}, "response": {"jsonBody": {}}}]}`), `{"a": [1]}`)
	f.Add([]byte(`{"request": {}, "response": {"status": 500}}`), "")
	f.Fuzz(func(t *testing.T, data []byte, body string) {
		stubs, err := ParseStubs(data, func(string) ([]byte, error) { return nil, errors.New("no files") })
		if err != nil {
			return
		}
		b := NewBook(stubs)
		req, err := http.NewRequest("GET", "http://a.example/b?c=d", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		found, nearest, misses := b.find(asked{host: "a.example", port: 80, method: "GET", url: req.URL, query: req.URL.Query(),
			header: req.Header, body: []byte(body)})
		if found != nil && (nearest != nil || misses != "") {
			t.Error("it is found and missed")
		}
	})
}

// Stubs may be replaced while services are served: scenarios begin anew, and the calls until then are taken.
func TestReplaced(t *testing.T) {
	book, calls := NewBook(nil), &Calls{}
	a := asked{host: "a.example", port: 443, method: "GET", url: &url.URL{Path: "/a"}}
	for _, status := range []int{200, 503, 503} {
		stub := Stub{Name: "first", Response: Response{Status: status}, Scenario: "s", When: Started, Then: "over"}
		book.Replace([]Stub{stub})
		if found, _, _ := book.find(a); found == nil || found.Response.Status != status {
			t.Errorf("found %+v, want %d", found, status)
		}
		if found, _, _ := book.find(a); found != nil {
			t.Errorf("found %+v, though its scenario is over", found)
		}
		calls.Add(Call{Service: "a.example:443", Status: status})
		if taken := calls.Take(); len(taken) != 1 || taken[0].Status != status || taken[0].Times != 1 {
			t.Errorf("calls taken: %+v", taken)
		}
	}
}
