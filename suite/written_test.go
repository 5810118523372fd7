package suite

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// A client that goes where it is redirected shows another answer than that of its request: nothing is said of that by
// the redirect. Where the test declines to be redirected, the redirect is what it sees.
func TestRedirectsOfWrittenTests(t *testing.T) {
	moved := func() *exchange.Response {
		return exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 302 Found\r\nLocation: /b\r\n\r\n"), Plain: true})
	}
	for args, changed := range map[string]bool{"": false, ", allow_redirects=False": true} {
		step := stepOf(1, "/a", []*exchange.Response{moved(), moved(), moved()})
		text := "import requests\n\ndef test_a():\n    r = requests.get('http://localhost:1/a'" + args + ")\n    assert r.status_code == 200\n"
		p, err := Patch("test_a.py", []byte(text), Source{Steps: []exchange.Step{step}}, PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(p.Data) != text; got != changed {
			t.Errorf("with %q it becomes\n%s", args, strings.TrimSpace(string(p.Data)))
		}
	}
}
