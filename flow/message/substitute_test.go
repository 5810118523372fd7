package message

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// Values are replaced wherever they stand, also within others, and lengths are mended.
func TestSubstitute(t *testing.T) {
	body := `{"id":"old", "n":1, "more":"{\"id\":\"old\"}"}`
	r := exchange.ParseRequest(exchange.Message{
		Head: []byte("PUT /a/old?q=old&z=%6fld HTTP/1.1\r\nHost: a\r\nX-Id: old\r\nCookie: s=old; t=new\r\n" +
			"Content-Type: application/json\r\nContent-Length: 46\r\n\r\n"),
		Body: []byte(body),
	})
	var places []string
	got := Substitute(&r, func(p exchange.Place, value string) string {
		places = append(places, string(p))
		if value == "old" {
			return "newer/one"
		}
		return value
	})
	want := "PUT /a/newer%2Fone?q=newer/one&z=newer/%6fne HTTP/1.1\r\nHost: a\r\nX-Id: newer/one\r\nCookie: s=newer/one; t=new\r\n" +
		"Content-Type: application/json\r\nContent-Length: 58\r\n\r\n"
	if string(got.Head) != want {
		t.Errorf("head %q\nwant %q", got.Head, want)
	}
	if want := strings.ReplaceAll(body, "old", "newer/one"); string(got.Body) != want {
		t.Errorf("body %q\nwant %q", got.Body, want)
	}
	seen := strings.Join(places, " ")
	for _, p := range []string{"/path/1", "/query/q", "/header/x-id", "/cookie/s", "/body/id", "/body/more/id"} {
		if !strings.Contains(seen+" ", p+" ") {
			t.Errorf("not asked for %s: %s", p, seen)
		}
	}
	if smuggled := Substitute(&r, func(exchange.Place, string) string { return "x\r\nEvil: 1" }); string(smuggled.Head) != string(r.Head) {
		t.Errorf("smuggled %q", smuggled.Head)
	}
	n := 0
	Values(&r, func(p exchange.Place, value string) bool {
		n++
		return n < 2
	})
	if n != 2 {
		t.Errorf("%d values before it stopped", n)
	}
}
