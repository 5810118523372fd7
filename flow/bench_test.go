package flow

import (
	"fmt"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// ordinary is the traffic of an ordinary client of a JSON API: things are made, read, listed and changed.
func ordinary(n int) []*exchange.Exchange {
	var out []*exchange.Exchange
	add := func(method, target, body string, status int, answer string) {
		e := &exchange.Exchange{Seq: uint64(len(out) + 1), Pass: 1, Addr: "api.test:80"}
		e.Request = exchange.ParseRequest(exchange.Message{Body: []byte(body), Head: fmt.Appendf(nil,
			"%s %s HTTP/1.1\r\nHost: api.test\r\nAccept: application/json\r\nAuthorization: Bearer k3J9x2Lm4Qw8ZtR5v7Yb\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
			method, target, len(body))})
		e.Response = exchange.ParseResponse(exchange.Message{Body: []byte(answer), Head: fmt.Appendf(nil,
			"HTTP/1.1 %d X\r\nContent-Type: application/json\r\nDate: Wed, 21 Oct 2015 07:28:00 GMT\r\nContent-Length: %d\r\n\r\n", status, len(answer))})
		out = append(out, e)
	}
	for i := 0; len(out) < n; i++ {
		id := fmt.Sprintf("%08x-6a0e-4c3d-8a55-0d9e2f7b1c33", i*2654435761)
		item := fmt.Sprintf(`{"id":"%s","number":%d,"state":"active","price":%d.5,"createdAt":"2026-01-29T05:15:09Z","customer":{"id":%d,"name":"Ann Other","email":"ann%d@example.org"},"tags":["a","b"]}`,
			id, i, i%90, i%7, i%50)
		list := "["
		for k := range 20 {
			if k > 0 {
				list += ","
			}
			list += item
		}
		add("POST", "/orders", fmt.Sprintf(`{"customerId":%d,"items":[{"product":%d,"quantity":2}],"note":"Ring twice, please."}`, i%7, i%30), 201, item)
		add("GET", "/orders/"+id, "", 200, item)
		add("GET", fmt.Sprintf("/orders?limit=20&page=%d&sort=price", i%9), "", 200, list+"]")
		add("PATCH", "/orders/"+id, `{"state":"done","comment":"As agreed on the phone."}`, 200, item)
	}
	return out[:n]
}

// BenchmarkBinder: what it costs to follow the values of one exchange.
func BenchmarkBinder(b *testing.B) {
	list := ordinary(4000)
	b.ReportAllocs()
	binder := NewBinder()
	for i := 0; b.Loop(); i++ {
		if i%len(list) == 0 {
			binder = NewBinder()
		}
		binder.Add(list[i%len(list)])
	}
}
