package mock

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A call is recorded as it was asked and answered, with the beginnings of its bodies, or with the fault that a stub is
// for.
func TestRecorded(t *testing.T) {
	s := serve(t, `{"mappings": [
  {"name": "well", "request": {"urlPath": "/well"}, "response": {"headers": {"X-B": ["2", "3"], "X-A": "1"}, "body": "a long answer"}},
  {"name": "reset", "request": {"urlPath": "/reset"}, "response": {"fault": "CONNECTION_RESET_BY_PEER"}},
  {"name": "empty", "request": {"urlPath": "/empty"}, "response": {"fault": "EMPTY_RESPONSE"}},
  {"name": "broken", "request": {"urlPath": "/broken"}, "response": {"fault": "MALFORMED_RESPONSE_CHUNK"}},
  {"name": "garbage", "request": {"urlPath": "/garbage"}, "response": {"fault": "RANDOM_DATA_THEN_CLOSE"}}]}`, NotFound)
	for _, c := range []struct{ method, url, sent, want string }{
		{"POST", "https://rates.example.com/well?q=1", "hello", "https well POST /well?q=1 HTTP/2.0 hello 0: 200 HTTP/2.0 X-A X-B X-B a long ans 3"},
		{"POST", "http://rates.example.com/well", strings.Repeat("y", 20), "http well POST /well HTTP/1.1 yyyyyyyyyy 10: 200 HTTP/1.1 X-A X-B X-B a long ans 3"},
		{"POST", "http://rates.example.com/well", strings.Repeat("y", maxBody+5), fmt.Sprintf("http well POST /well HTTP/1.1 yyyyyyyyyy %d: "+
			"200 HTTP/1.1 X-A X-B X-B a long ans 3", maxBody+5-10)},
		{"HEAD", "http://rates.example.com/well", "", "http well HEAD /well HTTP/1.1  0: 200 HTTP/1.1 X-A X-B X-B  0"},
		{"GET", "http://rates.example.com/none", "", "http  GET /none HTTP/1.1  0: 404 HTTP/1.1 Content-Type no stub fo 40"},
		{"POST", "http://rates.example.com/reset", "", "http reset POST /reset HTTP/1.1  0: reset"},
		{"POST", "http://rates.example.com/empty", "", "http empty POST /empty HTTP/1.1  0: eof"},
		{"POST", "http://rates.example.com/broken", "", "http broken POST /broken HTTP/1.1  0: truncated"},
		{"POST", "http://rates.example.com/garbage", "", "http garbage POST /garbage HTTP/1.1  0: unparseable"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, c.url, strings.NewReader(c.sent))
		if err != nil {
			t.Fatal(err)
		}
		if resp, err := s.client.Do(req); err == nil { // else it is a fault
			resp.Body.Close()
		}
		x := <-s.recorded
		r := &x.Request
		got := fmt.Sprintf("%s %s %s %s %s %s %d: ", x.Scheme, x.Stub, r.Method, r.Target, r.Proto, r.Body, r.Cut)
		if x.Fault != nil {
			got += string(x.Fault.Kind)
		} else {
			got += fmt.Sprintf("%d %s", x.Response.Status, x.Response.Proto)
			for _, f := range x.Response.Header {
				got += " " + f.Name
			}
			got += fmt.Sprintf(" %s %d", x.Response.Body, x.Response.Cut)
		}
		if diff := cmp.Diff(c.want, got); diff != "" || x.Addr != "rates.example.com:443" || r.Header.Get("Host") != "rates.example.com" || x.Start.IsZero() ||
			x.Latency <= 0 || r.Malformed {
			t.Errorf("%+v\n%s", x, diff)
		}
	}
}
