package flow_test

import (
	"fmt"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
)

// An order is made, and asked for by the id that it was given. In a run it is given another, which the Carrier puts into
// the request.
func ExampleCarrier() {
	made := func(id string) *exchange.Response {
		return exchange.ParseResponse(exchange.Message{
			Head: []byte("HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n\r\n"), Body: []byte(`{"id":"` + id + `"}`), Plain: true})
	}
	request := func(head string) exchange.Request {
		return exchange.ParseRequest(exchange.Message{Head: []byte(head + " HTTP/1.1\r\nHost: a\r\n\r\n")})
	}
	recorded := []*exchange.Exchange{
		{Seq: 1, Request: request("POST /orders"), Response: made("ord-81c2f6a0")},
		{Seq: 2, Request: request("GET /orders/ord-81c2f6a0"), Response: made("ord-81c2f6a0")},
	}
	bindings := flow.Bindings(recorded)
	for _, b := range bindings {
		fmt.Println(b.Name, b.Producer.Place, b.Uses)
	}
	run := flow.NewCarrier(bindings)
	run.Learn(1, made("ord-5d09e7b3"))
	sent := run.Request(recorded[1])
	fmt.Println(sent.Method, sent.Target)
	// Output:
	// orderId /body/id [{2 /path/1}]
	// GET /orders/ord-5d09e7b3
}
