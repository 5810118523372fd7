package exchange

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// request makes an exchange of a request that is written as on the wire, with \n for the ends of the lines of its head.
func request(raw string) *Exchange {
	head, body, _ := strings.Cut(raw, "\n\n")
	head = strings.ReplaceAll(head, "\n", "\r\n") + "\r\n\r\n"
	return &Exchange{Scheme: "http", Addr: "127.0.0.1:8080", Request: ParseRequest(Message{Head: []byte(head), Body: []byte(body)})}
}

// TestExactLarge sees that what a body of that size unpacks to does not matter, nor how much of the rest was stored.
func TestExactLarge(t *testing.T) {
	large := request("POST /o HTTP/1.1\nContent-Type: application/json\n\n" + strings.Repeat("1", IdentityBytes+100))
	cut := *large
	cut.Request.Body, cut.Request.Cut = large.Request.Body[:IdentityBytes], 100
	if Exact(large) != Exact(&cut) {
		t.Error("what was not stored after the first MiB makes another request of it")
	}
	var gz bytes.Buffer
	w := gzip.NewWriter(&gz)
	w.Write(large.Request.Body)
	w.Close()
	packed := request("POST /o HTTP/1.1\nContent-Type: application/json\nContent-Encoding: gzip\n\n" + gz.String())
	raw := request("POST /o HTTP/1.1\nContent-Type: application/json\n\n" + gz.String())
	if Exact(packed) != Exact(raw) {
		t.Error("a body that unpacks to more than a MiB does not count as it was on the wire")
	}
}

func TestExact(t *testing.T) {
	const json = "POST /o HTTP/1.1\nContent-Type: application/json\n\n"
	const form = "POST /o HTTP/1.1\nContent-Type: application/x-www-form-urlencoded\n\n"
	multipart := func(boundary, value string) string {
		return fmt.Sprintf("POST /o HTTP/1.1\nContent-Type: multipart/form-data; boundary=%[1]s\n\n--%[1]s\r\n"+
			"Content-Disposition: form-data; name=\"a\"\r\n\r\n%[2]s\r\n--%[1]s--\r\n", boundary, value)
	}
	var gz bytes.Buffer
	w := gzip.NewWriter(&gz)
	w.Write([]byte(`{"a":1,"b":2}`))
	w.Close()
	const upload = "POST /o HTTP/1.1\nContent-Type: multipart/form-data; boundary="
	large := strings.Repeat(" ", IdentityBytes)
	tests := []struct {
		name, a, b string
		same       bool
	}{
		{"the authority", "GET /x HTTP/1.1\nHost: a:1", "GET /x HTTP/1.1\nHost: b:2", true},
		{"the authority in the target", "GET http://a:1/x?y=z HTTP/1.1", "GET /x?y=z HTTP/1.1", true},
		{"no path after an authority", "GET http://a:1 HTTP/1.1", "GET / HTTP/1.1", true},
		{"method", "GET /x HTTP/1.1", "PUT /x HTTP/1.1", false},
		{"the case of the method", "GET /x HTTP/1.1", "get /x HTTP/1.1", false},
		{"path", "GET /x HTTP/1.1", "GET /y HTTP/1.1", false},
		{"the case of the path", "GET /x HTTP/1.1", "GET /X HTTP/1.1", false},
		{"escapes in the path", "GET /%41 HTTP/1.1", "GET /A HTTP/1.1", false},
		{"a slash at the end", "GET /x HTTP/1.1", "GET /x/ HTTP/1.1", false},
		{"version", "GET /x HTTP/1.1", "GET /x HTTP/1.0", true},

		{"the order of the query", "GET /x?a=1&b=2 HTTP/1.1", "GET /x?b=2&a=1 HTTP/1.1", true},
		{"the order of equal names", "GET /x?a=1&a=2 HTTP/1.1", "GET /x?a=2&a=1 HTTP/1.1", true},
		{"a query value", "GET /x?a=1 HTTP/1.1", "GET /x?a=2 HTTP/1.1", false},
		{"a pair twice", "GET /x?a=1&a=1 HTTP/1.1", "GET /x?a=1 HTTP/1.1", false},
		{"a query against a path", "GET /x?a HTTP/1.1", "GET /xa HTTP/1.1", false},
		{"an absolute URL within a query", "GET ?u=http://a/x HTTP/1.1", "GET ?u=http://b/x HTTP/1.1", false},

		{"credentials", "GET /x HTTP/1.1\nAuthorization: a\nCookie: a", "GET /x HTTP/1.1\nAuthorization: b", true},
		{"other headers", "GET /x HTTP/1.1\nUser-Agent: a\nX-Id: 1", "GET /x HTTP/1.1\nUser-Agent: b", true},
		{"Accept", "GET /x HTTP/1.1\nAccept: a", "GET /x HTTP/1.1\nAccept: b", false},
		{"no Accept", "GET /x HTTP/1.1\nAccept: a", "GET /x HTTP/1.1", false},
		{"Accept on two lines", "GET /x HTTP/1.1\nAccept: a\nAccept: b", "GET /x HTTP/1.1\naccept: a,b", true},
		{"Accept-Language", "GET /x HTTP/1.1\nAccept-Language: a", "GET /x HTTP/1.1\nAccept-Language: b", false},
		{"Range", "GET /x HTTP/1.1\nRange: bytes=0-1", "GET /x HTTP/1.1\nRange: bytes=0-2", false},
		{"one header against another", "GET /x HTTP/1.1\nAccept: a", "GET /x HTTP/1.1\nAccept-Language: a", false},
		{"a validator's value", "GET /x HTTP/1.1\nIf-None-Match: a", "GET /x HTTP/1.1\nIf-None-Match: b", true},
		{"a validator there or not", "GET /x HTTP/1.1\nIf-None-Match: a", "GET /x HTTP/1.1", false},
		{"a validator twice", "GET /x HTTP/1.1\nIf-None-Match: a\nIf-None-Match: b", "GET /x HTTP/1.1\nIf-None-Match: a", true},
		{"another validator", "GET /x HTTP/1.1\nIf-None-Match: a", "GET /x HTTP/1.1\nIf-Match: a", false},

		{"the order of keys and white space", json + `{"a":1,"b":{"d":[1,2],"c":null}}`, json + `{ "b": {"c": null, "d": [1, 2]}, "a": 1 }`, true},
		{"the order of elements", json + `[1,2]`, json + `[2,1]`, false},
		{"another way to write a number", json + `{"a":1}`, json + `{"a":1.0}`, false},
		{"digits beyond a float", json + `{"a":9007199254740993}`, json + `{"a":9007199254740992}`, false},
		{"a number against a string", json + `{"a":1}`, json + `{"a":"1"}`, false},
		{"the order of equal keys", json + `{"a":1,"a":2}`, json + `{"a":2,"a":1}`, false},
		{"equal keys among others", json + `{"a":1,"b":0,"a":2}`, json + `{"b":0,"a":1,"a":2}`, true},
		{"white space in what is no JSON", json + `{"a": 1`, json + `{"a":1`, false},
		{"white space in another type", "POST /o HTTP/1.1\nContent-Type: text/plain\n\n[1, 2]", "POST /o HTTP/1.1\nContent-Type: text/plain\n\n[1,2]", false},
		{"a charset", json + `[1]`, strings.Replace(json, "json", "json; charset=utf-8", 1) + `[1]`, true},
		{"a parameter that cannot be read", json + `[1, 2]`, strings.Replace(json, "json", "json; charset", 1) + `[1,2]`, true},
		{"a suffix of JSON", strings.Replace(json, "json", "problem+json", 1) + `[1, 2]`, strings.Replace(json, "json", "Problem+JSON", 1) + `[1,2]`, true},
		{"media type", json + `1`, form + `1`, false},
		{"media type without a body", "GET /x HTTP/1.1\nContent-Type: a/b", "GET /x HTTP/1.1\nContent-Type: a/c", false},
		{"a large body's first MiB", json + large + "1", json + "1" + large, false},
		{"a large body's end", json + large + "1", json + large + "2", true},
		{"a large body's size", json + large + "1", json + large + "11", false},
		{"a large upload's boundary", upload + "xx\n\n--xx\r\n" + large, upload + "yy\n\n--yy\r\n" + large, true},
		{"content coding", json + `{"b":2,"a":1}`, strings.Replace(json, "\n\n", "\nContent-Encoding: gzip\n\n", 1) + gz.String(), true},
		{"chunks", json + `[1]`, strings.Replace(json, "\n\n", "\nTransfer-Encoding: chunked\n\n", 1) + "1\r\n[\r\n2\r\n1]\r\n0\r\n\r\n", true},

		{"the order of a form", form + "a=1&b=2", form + "b=2&a=1", true},
		{"a form value", form + "a=1", form + "a=2", false},
		{"boundary", multipart("XyZ", "v"), multipart("another", "v"), true},
		{"boundary in quotes", multipart("XyZ", "v"), strings.Replace(multipart("XyZ", "v"), "=XyZ", `="XyZ"`, 1), true},
		{"a part", multipart("XyZ", "v"), multipart("XyZ", "w"), false},
		{"a boundary that parts hold", multipart("v", "v"), multipart("another", "v"), true},

		{"what cannot be read", "nonsense", "nonsense!", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if a, b := Exact(request(tt.a)), Exact(request(tt.b)); (a == b) != tt.same {
				t.Errorf("same: %v\n%q\n%q", a == b, tt.a, tt.b)
			}
		})
	}
}

func TestExactTarget(t *testing.T) {
	e := request("GET /x HTTP/1.1")
	unnamed := Exact(e)
	e.Seq, e.Conn, e.Addr, e.Scheme, e.Pass = 7, 8, "example.com:443", "https", 9
	if Exact(e) != unnamed {
		t.Error("the fingerprint depends on what is no part of the request")
	}
	if e.Target = DefaultTarget; Exact(e) != unnamed {
		t.Error("a target without a name is not the default one")
	}
	if e.Target = "other"; Exact(e) == unnamed {
		t.Error("two targets have one fingerprint")
	}
}

// The fingerprint is written into databases and maps: it must not change unseen.
func TestExactIsStable(t *testing.T) {
	e := request("POST /orders?b=2&a=1 HTTP/1.1\nHost: x\nAccept: */*\nContent-Type: application/json\n\n{\"b\": 1, \"a\": [2.50]}")
	const want = "713469f04d2abc37b1399da6c22d9de2"
	if got := Exact(e).String(); got != want {
		t.Errorf("fingerprint %s, was %s", got, want)
	}
}

func TestParseFingerprint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var f Fingerprint
		copy(f[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "bytes"))
		if got, err := ParseFingerprint(f.String()); got != f || err != nil {
			t.Fatalf("%v came back as %v, error %v", f, got, err)
		}
	})
	for _, bad := range []string{"", "00", strings.Repeat("0", 31), strings.Repeat("0", 34), strings.Repeat("g", 32)} {
		if f, err := ParseFingerprint(bad); err == nil || f != (Fingerprint{}) {
			t.Errorf("%q is read as %v", bad, f)
		}
	}
}

func TestSplitTarget(t *testing.T) {
	tests := []struct{ target, path, query string }{
		{"/", "/", ""},
		{"/a/b?c=d&e", "/a/b", "c=d&e"},
		{"/a?b?c", "/a", "b?c"},
		{"/a?", "/a", ""},
		{"http://h:1/a?b", "/a", "b"},
		{"HTTPS://h", "/", ""},
		{"http://h?b", "/", "b"},
		{"http://u:p@h/a", "/a", ""},
		{"http:///a", "/a", ""},
		{"/a?u=http://h/b", "/a", "u=http://h/b"},
		{"?u=http://h/b", "", "u=http://h/b"},
		{"/http://h/b", "/http://h/b", ""},
		{"1http://h/b", "1http://h/b", ""},
		{"://h/b", "://h/b", ""},
		{"*", "*", ""},
		{"h:443", "h:443", ""},
		{"", "", ""},
	}
	for _, tt := range tests {
		if path, query := SplitTarget(tt.target); path != tt.path || query != tt.query {
			t.Errorf("%q is split into %q and %q, want %q and %q", tt.target, path, query, tt.path, tt.query)
		}
	}
}

func TestOperationString(t *testing.T) {
	if got := (Operation{Method: "GET", Template: "/orders/{id}"}).String(); got != "GET /orders/{id}" {
		t.Error(got)
	}
}

func BenchmarkExact(b *testing.B) {
	for name, raw := range map[string]string{
		"GET": "GET /orders/17?expand=items&page=2 HTTP/1.1\nHost: 127.0.0.1\nAccept: application/json\nAccept-Encoding: gzip",
		"POST": "POST /orders HTTP/1.1\nHost: 127.0.0.1\nContent-Type: application/json\nAccept: */*\n\n" +
			`{"sku": "A-1", "count": 2, "address": {"street": "Main", "city": "Ada"}, "note": "as soon as may be"}`,
	} {
		b.Run(name, func(b *testing.B) {
			e := request(raw)
			b.ReportAllocs()
			for b.Loop() {
				Exact(e)
			}
		})
	}
}
