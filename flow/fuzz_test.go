package flow

import (
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/flow/words"
)

// FuzzBindings: no bytes make anything here fail, and what is bound to a place of an answer is read there again.
func FuzzBindings(f *testing.F) {
	f.Add([]byte("GET /a/7?b=c&d HTTP/1.1\r\nCookie: x=1; y\r\nA : b\r\n\r\n"), []byte(`{"a":[1,"\u00e9",{"":null}]}`), []byte("HTTP/1.1 201 C\r\nLocation: /a/7\r\nSet-Cookie: x=1\r\n\r\n"), []byte(`{"id":7,"token":"x"}`))
	f.Add([]byte("POST http://h?x HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nA: b\r\n c\r\n\r\n"), []byte("a=%zz&&=b"), []byte("HTTP/1.1 200\r\nLink: <\r\n\r\n"), []byte("7"))
	f.Add([]byte("\r\nPUT /%zz//#a HTTP/1.1\nTransfer-Encoding: chunked\n\n"), []byte("3\r\n{\"a\r\n4\r\n\":7}\r\n0\r\n\r\n"), []byte(""), []byte(""))
	f.Fuzz(func(t *testing.T, head, body, rhead, rbody []byte) {
		e := &exchange.Exchange{Seq: 1, Request: exchange.ParseRequest(exchange.Message{Head: head, Body: body})}
		e.Response = exchange.ParseResponse(exchange.Message{Head: rhead, Body: rbody})
		next := &exchange.Exchange{Seq: 2, Request: e.Request, Response: e.Response}
		list := []*exchange.Exchange{e, next}
		bindings := Bindings(list)
		c := NewCarrier(bindings)
		for _, x := range list {
			c.Request(x)
			c.Learn(x.Seq, x.Response)
		}
		for _, b := range bindings {
			if v, ok := message.Value(e.Response, b.Producer.Place); !ok || v != b.Value && !words.Particular(b.Value) {
				t.Fatalf("%s: %q, %v at %s, not %q", b.Name, v, ok, b.Producer.Place, b.Value)
			}
		}
		Operations(list, bindings)
		sequencesOf(list)
	})
}
