package apitest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"os"
	"strings"
	"testing"
)

// What the tests of a suite do with external services, tried on the server that they have where flaketap is not.
func TestMocks(t *testing.T) {
	server := httptest.NewServer(&mocks{})
	defer server.Close()
	t.Setenv("FLAKETAP_MOCKS", server.URL)
	t.Setenv("FLAKETAP_RESTART", "true")
	t.Chdir(t.TempDir())
	if err := os.Mkdir("mocks", 0o755); err != nil {
		t.Fatal(err)
	}
	stubs := `{"mappings": [
		{"name": "a", "request": {"host": {"equalTo": "rates.example.com"}, "port": 443, "method": "GET", "urlPathPattern": "/r/[^/]+"}, "response": {"status": 429, "headers": {"Retry-After": "1"}}},
		{"scenarioName": "s", "requiredScenarioState": "Started", "newScenarioState": "b", "request": {"urlPath": "/s"}, "response": {"jsonBody": {"n": 1.50}}},
		{"scenarioName": "s", "requiredScenarioState": "b", "request": {"url": "/s?x"}, "response": {"body": "then"}},
		{"request": {"urlPath": "/f"}, "response": {"fault": "CONNECTION_RESET_BY_PEER"}}, {"request": {"urlPath": "/m"}, "response": {"fault": "MALFORMED_RESPONSE_CHUNK"}},
		{"request": {"urlPath": "/i"}, "response": {"interimStatus": 103, "body": "final"}},
		{"request": {"urlPath": "/moved"}, "response": {"status": 302, "headers": {"Location": "/to", "Link": ["<https://a.example/next?p=2>; rel=\"next\"", "<//b.example/x>"]}}},
		{"priority": 9, "request": {}, "response": {"status": 418}}]}`
	if err := os.WriteFile("mocks/001.json", []byte(stubs), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, load := range []func(*client, string){(*client).mocks, (*client).mocksHang} {
		c := begin(t)
		load(c, "001")
		said := func(method, target, body string) string {
			early := ""
			trace := &httptrace.ClientTrace{Got1xxResponse: func(code int, _ textproto.MIMEHeader) error {
				early = fmt.Sprint(code, " ")
				return nil
			}}
			req, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), method, server.URL+target, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			res, err := http.DefaultTransport.RoundTrip(req)
			if err != nil {
				return "no answer"
			}
			defer res.Body.Close()
			text, err := io.ReadAll(res.Body)
			if err != nil {
				return "broken answer"
			}
			return early + strings.TrimSpace(res.Status[:3]+" "+res.Header.Get("Retry-After")+string(text))
		}
		for _, ask := range [][4]string{
			{"GET", "/rates.example.com:443/r/1", "", "429 1"}, {"GET", "/rates.example.com:80/r/1", "", "418"}, {"GET", "/rates.example.com:443/r/1/2", "", "418"},
			{"GET", "/a.example:80/s", "", `200 {"n": 1.50}`}, {"GET", "/a.example:80/s?x", "", "200 then"}, {"GET", "/a.example:80/f", "", "no answer"},
			{"GET", "/a.example:80/m", "", "broken answer"}, {"GET", "/a.example:80/i", "", "103 200 final"}, {"POST", "/a.example:80/p", `{"a": 1}`, "418"}, {"POST", "/a.example:80/p", `{"a":1}`, "418"}, {"POST", "/a.example:80/p", "text", "418"},
		} {
			if got := said(ask[0], ask[1], ask[2]); got != ask[3] {
				t.Errorf("%s %s: %q, want %q", ask[0], ask[1], got, ask[3])
			}
		}
		res := c.send(request{method: "GET", target: "/calls", base: c.services()})
		if !strings.Contains(string(res.body), `{"service":"a.example:80","method":"POST","target":"/p","body":{"a":1},"times":2},`+
			`{"service":"a.example:80","method":"POST","target":"/p","body":"text","times":1}]`) {
			t.Errorf("calls %s", res.body)
		}
		moved, err := http.DefaultTransport.RoundTrip(httptest.NewRequest("GET", server.URL+"/a.example:443/moved", nil))
		if err != nil {
			t.Fatal(err)
		}
		moved.Body.Close()
		if got := moved.Header.Get("Location") + " " + strings.Join(moved.Header["Link"], " "); got != "/a.example:443/to <"+server.URL+`/a.example:443/next?p=2>; rel="next" <//b.example/x>` {
			t.Errorf("it leads to %s", got)
		}
		c.ends(request{method: "GET", target: "/a.example:80/f", base: server.URL}, 30, "breaks off")
		if got := said("PUT", "/stubs", `{"mappings": [{"request": {"headers": {}}}]}`); !strings.HasPrefix(got, "422") {
			t.Errorf("what is not served is taken: %s", got)
		}
	}
}
