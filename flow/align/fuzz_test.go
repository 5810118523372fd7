package align

import (
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// FuzzExchanges: no bytes make an alignment fail, and each exchange is in it once.
func FuzzExchanges(f *testing.F) {
	f.Add([]byte("GET /a/7?b=c&d HTTP/1.1\r\nCookie: x=1; y\r\nA : b\r\n\r\n"), []byte(`{"a":[1,"\u00e9",{"":null}]}`), []byte("HTTP/1.1 201 C\r\nLocation: /a/7\r\n\r\n"), []byte(`{"id":7}`))
	f.Add([]byte("\r\nPUT /%zz//#a HTTP/1.1\nTransfer-Encoding: chunked\n\n"), []byte("3\r\n{\"a\r\n4\r\n\":7}\r\n0\r\n\r\n"), []byte(""), []byte(""))
	f.Fuzz(func(t *testing.T, head, body, rhead, rbody []byte) {
		e := &exchange.Exchange{Seq: 1, Request: exchange.ParseRequest(exchange.Message{Head: head, Body: body})}
		e.Response = exchange.ParseResponse(exchange.Message{Head: rhead, Body: rbody})
		next := &exchange.Exchange{Seq: 2, Request: e.Request, Response: e.Response}
		if pairs := Exchanges([]*exchange.Exchange{e, next}, []*exchange.Exchange{next}); len(pairs) != 2 {
			t.Fatalf("%d pairs of two exchanges and one of them", len(pairs))
		}
	})
}
