package flow

import (
	"fmt"
	"slices"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/words"
	"github.com/google/go-cmp/cmp"
)

// asked makes exchanges of request-targets, each answered with 200 and an object, but for those with "!" in front,
// which are answered with 404.
func asked(targets ...string) []*exchange.Exchange {
	var out []*exchange.Exchange
	for i, target := range targets {
		status, body := 200, `{"id": 1, "name": "x"}`
		if target[0] == '!' {
			target, status, body = target[1:], 404, ""
		}
		e := &exchange.Exchange{Seq: uint64(i + 1), Pass: 1}
		e.Request = exchange.ParseRequest(exchange.Message{Head: []byte("GET " + target + " HTTP/1.1\r\n\r\n")})
		e.Response = exchange.ParseResponse(exchange.Message{Head: fmt.Appendf(nil, "HTTP/1.1 %d X\r\n\r\n", status), Body: []byte(body), Plain: true})
		out = append(out, e)
	}
	return out
}

// templatesOf returns the distinct templates, sorted.
func templatesOf(exchanges []*exchange.Exchange, bindings []exchange.Binding) []string {
	var out []string
	for _, op := range Operations(exchanges, bindings) {
		out = append(out, op.Template)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func TestOperations(t *testing.T) {
	for _, c := range []struct {
		name    string
		targets []string
		want    []string
	}{
		{"ids by their form", []string{"/a/1", "/a/-5", "/a/1.5", "/b/" + uuid, "/c/65f1a0b2c3d4", "/d/2026-01-29", "/e/ann@example.org",
			"/f/%00", "/f/%F0%9F%92%A9", "/f/a%20b", "/f/%zz", "/g/AKIAIOSFODNN7EXAMPLE2x9"},
			[]string{"/a/{id}", "/b/{id}", "/c/{id}", "/d/{id}", "/e/{id}", "/f/{id}", "/g/{id}"}},
		{"several, and the query", []string{"/a/1/b/2/c/3?x=4", "/a/9/b/8/c/7#x", "http://host/a/9/b/8/c/7"}, []string{"/a/{id}/b/{id2}/c/{id3}"}},
		{"words stay", []string{"/get", "/post", "/json", "/xml", "/html", "/uuid", "/base64", "/brotli", "/gzip", "/utf-8", "/status-codes",
			"/v1/x", "/v2/x", "/oauth2callback", "/api/batchGet", "/favicon.ico", "/orders:export", "/"},
			[]string{"/", "/api/batchGet", "/base64", "/brotli", "/favicon.ico", "/get", "/gzip", "/html", "/json", "/oauth2callback",
				"/orders:export", "/post", "/status-codes", "/utf-8", "/uuid", "/v1/x", "/v2/x", "/xml"}},
		{"many odd values take words along", []string{"/p/xQ7fLw", "/p/0sTzk", "/p/q1w2e3", "/p/Zz9kLm1", "/p/k_9x0z7w", "/p/T5gQ", "!/p/apple", "/p/pear"},
			[]string{"/p/{id}"}},
		{"but not a route with answers of its own", []string{"/p/1", "/p/2", "/p/3", "/p/4", "/p/5", "/p/6", "/p/search"},
			[]string{"/p/search", "/p/{id}"}},
		{"words that lead to the same routes are values", []string{"/p/1/r", "/p/2/r", "/p/3/r", "/p/4/r", "/p/5/r", "/p/6/s", "/p/SHOP/r", "/p/SHOP/s", "/p/admin/users"},
			[]string{"/p/admin/users", "/p/{id}/r", "/p/{id}/s"}},
		{"junk at the root takes no route along", []string{"/%00", "/%01", "/%02", "/%03", "/%04", "/%05", "/%06", "/%07", "/get", "/post"},
			[]string{"/get", "/post", "/{id}"}},
		{"slashes stay", []string{"/a/", "//", "/a//b", "/a/1/"}, []string{"//", "/a/", "/a//b", "/a/{id}/"}},
		{"no path", []string{"*", "junk"}, []string{"*", "junk"}},
		{"printable", []string{"/a{b}/é"}, []string{"/{id}/{id2}"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := asked(c.targets...)
			if c.name == "but not a route with answers of its own" {
				list[6].Response.Body = []byte(`[]`)
			}
			if diff := cmp.Diff(c.want, templatesOf(list, nil)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOperationsOfBoundWords(t *testing.T) {
	list := asked("/pages/about", "/pages/search")
	bound := []exchange.Binding{{Uses: []exchange.Ref{{Seq: 1, Place: "/path/1"}, {Seq: 2, Place: "/query/q"}}}}
	if diff := cmp.Diff([]string{"/pages/search", "/pages/{id}"}, templatesOf(list, bound)); diff != "" {
		t.Error(diff)
	}
}

func TestWords(t *testing.T) {
	for _, s := range []string{"orders", "order_items", "v1", "utf-8", "base64", "favicon.ico", "batchGet", "api", "xml", "https", "ELEARNING_SITE", "Strengths", "x", "oauth2", "facade", "feed-bad"} {
		if !words.LooksLikeWord(s) || words.LooksLikeID(s) {
			t.Errorf("%q: word %v, id %v", s, words.LooksLikeWord(s), words.LooksLikeID(s))
		}
		if words.Particular(s) {
			t.Errorf("%q is strong", s)
		}
	}
	for _, s := range []string{uuid, "65f1a0b2c3d4", "c2VjcmV0LXJlZnJlc2gtNDI", "1718000000123", "a1b2c3", "ann@example.org", "9f3ac01b-7", "ec02b049", "cdae7fec", "ORD-ec02b049-X"} {
		if !words.Particular(s) {
			t.Errorf("%q is not strong", s)
		}
	}
	for _, s := range []string{"12345", "2026-01-29", "1.10.3", "127.0.0.1", "user123", "000000", "00000000-0000-0000-0000-000000000000",
		"ffffffff-ffff-ffff-ffff-ffffffffffff", "hello world 1 2 3", "Content-Type", "application/json", "12:30:00"} {
		if words.Particular(s) {
			t.Errorf("%q is strong", s)
		}
	}
	for plural, one := range map[string]string{"orders": "order", "Categories": "category", "boxes": "box", "news": "news", "address": "address",
		"status": "status", "order_items": "orderitem", "s": "s", "branches": "branch"} {
		if got := words.Singular(plural); got != one {
			t.Errorf("singular(%q) = %q, want %q", plural, got, one)
		}
	}
	for _, name := range []string{"paid", "grid", "valid", "void", "Android"} {
		if _, ok := words.IDOf(name); ok {
			t.Errorf("%q counts as a reference", name)
		}
	}
}
