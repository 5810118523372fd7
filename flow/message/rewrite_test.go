package message

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// TestRewriteFindsEverySite fills each value of a request that has some in every part, places that come again among them,
// alone: that one is replaced and nothing else.
func TestRewriteFindsEverySite(t *testing.T) {
	r := exchange.ParseRequest(exchange.Message{
		Head: []byte("POST /a1/a2?q=a3&q=a4 HTTP/1.1\r\nHost: a5\r\nX-Id: a6\r\nX-Id: a7\r\nCookie: s=a8; t=a9\r\n" +
			"Content-Type: application/json\r\nContent-Length: 33\r\n\r\n"),
		Body: []byte(`{"id":"b1","list":["b2",{"n":3}]}`),
	})
	filled := 0
	for _, s := range Sites(&r) {
		if len(s.Value) != 2 || s.Name == "Content-Length" {
			continue
		}
		filled++
		got := Rewrite(&r, map[exchange.Place][]Swap{s.Place: {{Before: s.Value, After: "zz"}}})
		want := strings.Replace(string(r.Head)+string(r.Body), s.Value, "zz", 1)
		if string(got.Head)+string(got.Body) != want {
			t.Errorf("%s: %s%s", s.Place, got.Head, got.Body)
		}
	}
	if filled != 11 {
		t.Errorf("%d values were filled, want 11", filled)
	}
	all := map[exchange.Place][]Swap{"/query/q/1": {{"a4", "zz"}}, "/header/x-id": {{"a6", "yy"}}, "/body/list/0": {{"b2", "xx"}}}
	got := Rewrite(&r, all)
	if text := string(got.Head) + string(got.Body); !strings.Contains(text, "q=a3&q=zz") || !strings.Contains(text, "X-Id: yy\r\nX-Id: a7") ||
		!strings.Contains(text, `["xx",{"n":3}]`) {
		t.Errorf("three at once: %s", text)
	}
}
