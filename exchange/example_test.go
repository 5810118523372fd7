package exchange_test

import (
	"fmt"

	"github.com/flaketap/flaketap/exchange"
)

// An exchange holds the bytes as they were on the wire, and the view parsed from them.
func ExampleExchange() {
	e := exchange.Exchange{
		Request:  exchange.ParseRequest(exchange.Message{Head: []byte("GET /orders/7?full=1 HTTP/1.1\r\nHost: a\r\n\r\n")}),
		Response: exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 404 Not Found\r\n\r\n")}),
	}
	fmt.Println(e.Request.Method, e.Request.Target, e.Response.Status, e.Response.Reason)
	// Output: GET /orders/7?full=1 404 Not Found
}

// Requests that differ in the order of their queries and members are the same request, wherever they are sent.
func ExampleFingerprint() {
	of := func(head, body string) exchange.Fingerprint {
		m := exchange.Message{Head: []byte(head + "\r\nContent-Type: application/json\r\n\r\n"), Body: []byte(body), Plain: true}
		return exchange.Exact(&exchange.Exchange{Request: exchange.ParseRequest(m)})
	}
	first := of("POST /orders?a=1&b=2 HTTP/1.1\r\nHost: one", `{"sku":"A-1","n":2}`)
	fmt.Println(first == of("POST /orders?b=2&a=1 HTTP/1.1\r\nHost: two", `{"n": 2, "sku": "A-1"}`))
	fmt.Println(first == of("POST /orders?a=1&b=2 HTTP/1.1\r\nHost: one", `{"sku":"A-1","n":3}`))
	// Output:
	// true
	// false
}

// A place names a part of a message. With a wildcard it stands for all elements of an array.
func ExamplePlace() {
	each := exchange.PlaceBody.Key("items").Each().Key("price")
	third := exchange.PlaceBody.Key("items").Index(2).Key("price")
	fmt.Println(each, third, each.Matches(third))
	fmt.Println(exchange.HeaderPlace("ETag"))
	// Output:
	// /body/items/*/price /body/items/2/price true
	// /header/etag
}

// What is named as a secret is shown as a token; equal secrets have equal tokens.
func ExampleRedactor() {
	r := exchange.Redactor{Key: []byte("kept in the database")}
	place := exchange.PlaceBody.Key("password")
	shown := r.Show(place, "hunter2")
	fmt.Println(len(shown), shown == r.Show(place, "hunter2"), shown == r.Show(place, "hunter3"))
	fmt.Println(r.Show(exchange.PlaceBody.Key("city"), "Turin"))
	// Output:
	// 19 true false
	// Turin
}
