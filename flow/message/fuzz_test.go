package message

import (
	"bytes"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// FuzzMessages: no bytes make anything here fail, every site of a request stands where it says, and filling each with
// the value that it has already changes nothing.
func FuzzMessages(f *testing.F) {
	f.Add([]byte("GET /a/7?b=c&d HTTP/1.1\r\nCookie: x=1; y\r\nA : b\r\n\r\n"), []byte(`{"a":[1,"\u00e9",{"":null}]}`), []byte("HTTP/1.1 201 C\r\nLocation: /a/7\r\nSet-Cookie: x=1\r\n\r\n"), []byte(`{"id":7,"token":"x"}`))
	f.Add([]byte("POST http://h?x HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nA: b\r\n c\r\n\r\n"), []byte("a=%zz&&=b"), []byte("HTTP/1.1 200\r\nLink: <\r\n\r\n"), []byte("7"))
	f.Add([]byte("\r\nPUT /%zz//#a HTTP/1.1\nTransfer-Encoding: chunked\n\n"), []byte("3\r\n{\"a\r\n4\r\n\":7}\r\n0\r\n\r\n"), []byte(""), []byte(""))
	f.Fuzz(func(t *testing.T, head, body, rhead, rbody []byte) {
		r := exchange.ParseRequest(exchange.Message{Head: head, Body: body})
		payload, _ := r.Payload()
		fill := map[exchange.Place][]Swap{}
		for _, s := range Sites(&r) {
			from := head
			if s.Body {
				from = payload
			}
			if s.start < 0 || s.end < s.start || s.end > len(from) {
				t.Fatalf("%s stands at [%d, %d) of %d bytes", s.Place, s.start, s.end, len(from))
			}
			fill[s.Place] = []Swap{{s.Value, s.Value}}
			fillNested(t, &s, fill, 0)
		}
		response := exchange.ParseResponse(exchange.Message{Head: rhead, Body: rbody})
		HeaderParts(response)
		BodyParts(response, func(string, string) bool { return true })
		if got := Rewrite(&r, fill); !bytes.Equal(got.Head, head) || !bytes.Equal(got.Body, body) {
			t.Fatalf("the same values give %q %q", got.Head, got.Body)
		}
	})
}

// fillNested adds the values within a site, each with itself, and checks where they stand.
func fillNested(t *testing.T, s *Site, fill map[exchange.Place][]Swap, depth int) {
	end := 0
	for _, in := range Nested(s) {
		if in.start < end || in.end < in.start || in.end > len(s.Value) {
			t.Fatalf("%s stands at [%d, %d) of %d bytes, behind %d", in.Place, in.start, in.end, len(s.Value), end)
		}
		end = in.end
		fill[in.Place] = append(fill[in.Place], Swap{in.Value, in.Value})
		if got := encode(&in, []byte(s.Value[in.start:in.end]), in.Value); in.Form >= inPercent && string(got) != s.Value[in.start:in.end] {
			t.Fatalf("%s: %q is written as %q", in.Place, s.Value[in.start:in.end], got)
		}
		if depth < MaxNested {
			fillNested(t, &in, fill, depth+1)
		}
	}
}

// FuzzBodies: whatever a multipart or XML body is, its values stand where they say, the same values change nothing, and
// another value is read where it was put, with all else as before.
func FuzzBodies(f *testing.F) {
	f.Add("text/xml", []byte("<?xml version='1.0'?><a b='1'><!-- <x> --><c>&lt;2</c><d><![CDATA[<3>]]></d><c/>4</a>"), "v<1>")
	f.Add("multipart/form-data; boundary=b", []byte("--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b\nContent-Disposition: form-data; name=a\nContent-Type: a/json\n\n{\"x\":[1]}\n--b--\r\n"), "w")
	f.Add("application/json", []byte(`{"q":"a:1,b=2(3)","u":"/a/b?c=d","j":"{\"k\":1}","e":"eyJpZCI6OH0="}`), "7")
	f.Fuzz(func(t *testing.T, kind string, body []byte, value string) {
		r := exchange.ParseRequest(exchange.Message{Head: []byte("POST / HTTP/1.1\r\nContent-Type: " + kind + "\r\n\r\n"), Body: body, Plain: true})
		all := Sites(&r)
		fill := map[exchange.Place][]Swap{}
		for _, s := range all {
			if s.Body && (s.start < 0 || s.end < s.start || s.end > len(body)) {
				t.Fatalf("%s stands at [%d, %d) of %d bytes", s.Place, s.start, s.end, len(body))
			}
			fill[s.Place] = []Swap{{s.Value, s.Value}}
			fillNested(t, &s, fill, 0)
		}
		if got := Rewrite(&r, fill); !bytes.Equal(got.Body, body) {
			t.Fatalf("the same values give %q", got.Body)
		}
		htmlParts(body)
		if !Sendable(value) || !isText([]byte(value)) || len(all) > 100 {
			return
		}
		for i, s := range all {
			if !s.Body || s.Form != inMarkup && s.Form != InText || s.Value == "" || s.start == s.end || strings.TrimSpace(value) != value {
				continue
			}
			got := Rewrite(&r, map[exchange.Place][]Swap{s.Place: {{s.Value, value}}})
			again := Sites(&got)
			if len(again) != len(all) || again[i].Value != value || again[i].Place != s.Place {
				t.Fatalf("%s: %q put into %q gives %q", s.Place, value, body, got.Body)
			}
			if want := append(append(bytes.Clone(body[:s.start]), got.Body[again[i].start:again[i].end]...), body[s.end:]...); !bytes.Equal(want, got.Body) {
				t.Fatalf("%s: more than the value changed: %q, %q", s.Place, body, got.Body)
			}
		}
	})
}
