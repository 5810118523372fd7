package match

import (
	"slices"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// request makes a request of "METHOD TARGET".
func request(line, body string) *exchange.Request {
	r := exchange.ParseRequest(exchange.Message{
		Head: []byte(line + " HTTP/1.1\r\nContent-Type: application/json\r\n\r\n"), Body: []byte(body), Plain: true})
	return &r
}

func TestSameTarget(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"/a b/é?q='", "/a%20b/%C3%A9?q=%27", true},
		{"/a?", "/a", true},
		{"/a", "http://shop.test:80/a", true},
		{"/a?b=1", "/a?b=2", false},
		{"/a", "/a/", false},
		{"/50%", "/50%25", true},
		{"/50%/%41", "/50%/A", false}, // broken: it stays as it is
	} {
		if SameTarget(tt.a, tt.b) != tt.want || SameTarget(tt.b, tt.a) != tt.want {
			t.Errorf("SameTarget(%q, %q) is not %t", tt.a, tt.b, tt.want)
		}
	}
}

// A fuzzer sends JSON in another form than the one that it writes into a suite.
func TestSameJSON(t *testing.T) {
	for _, tt := range []struct {
		written, sent string
		want          bool
	}{
		{` { "a" : 1, "b":[true] } `, `{"b":[true],"a":1.0}`, true},
		{`{"a":1}`, `{"a":2}`, false},
		{`"x"`, `"x"`, true},
		{`a=1`, `a=1`, false},
		{``, ``, false},
		{`{`, `{`, false},
	} {
		if got := SameJSON([]byte(tt.written), []byte(tt.sent)); got != tt.want {
			t.Errorf("SameJSON(%q, %q) = %v", tt.written, tt.sent, got)
		}
	}
}

func TestSameBody(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"", "", true},
		{"a=1\n", "a=1", true},
		{"a=1", "a=2", false},
		{`{"a":1,"b":"\u0041"}`, `{ "b": "A", "a": 1 }`, true},
		{`{"a":1}`, ``, false},
		{`7`, `7.0`, false},
	} {
		if got := SameBody(request("POST /x", tt.a), request("POST /x", tt.b)); got != tt.want {
			t.Errorf("SameBody(%q, %q) = %v", tt.a, tt.b, got)
		}
	}
}

func TestMadeUp(t *testing.T) {
	const one, other = "2f1c9d7e-58ab-4c3d-9a55-0d9e2f7b1c33", "b7e81a40-3d2c-4f6e-8c11-6a5b4c3d2e1f"
	for _, tt := range []struct {
		name           string
		recorded, live *exchange.Request
		want           []Changed // nil where they are not one
	}{
		{"ids", request("PUT /users/"+one, `{"by":"`+one+`"}`), request("PUT /users/"+other, `{"by":"`+other+`"}`),
			[]Changed{{one, other}, {one, other}}},
		{"numbered", request("GET /users/ann-1001", ""), request("GET /users/ann-2002", ""), []Changed{{"ann-1001", "ann-2002"}}},
		{"the same", request("GET /users", ""), request("GET /users", ""), nil},
		{"another word", request("GET /users", ""), request("GET /orders", ""), nil},
		{"one more", request("GET /users/"+one, ""), request("GET /users/"+other+"?a=1", ""), nil},
		{"another place", request("GET /a/"+one+"?b="+one, ""), request("GET /a/"+other+"?c="+other, ""), nil},
	} {
		got, ok := MadeUp(tt.recorded, tt.live)
		if ok != (tt.want != nil) || ok && !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, %t, want %v", tt.name, got, ok, tt.want)
		}
	}
}
