package build_test

import (
	"fmt"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/build"
)

// The plan of a recording of two exchanges. The second uses the id that the first was given, so a test of it makes an
// order of its own, and takes it away.
func ExamplePlan() {
	recorded := func(seq uint64, request, response, body string) exchange.Step {
		return exchange.Step{Exchange: &exchange.Exchange{
			Seq: seq, Scheme: "http", Addr: "127.0.0.1:8080",
			Request: exchange.ParseRequest(exchange.Message{Head: []byte(request + " HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n"), Plain: true}),
			Response: exchange.ParseResponse(exchange.Message{
				Head: []byte("HTTP/1.1 " + response + "\r\nContent-Type: application/json\r\n\r\n"), Body: []byte(body), Plain: true,
			}),
		}}
	}
	src := suite.Source{Steps: []exchange.Step{
		recorded(1, "POST /orders", "201 Created", `{"id":4711}`),
		recorded(2, "GET /orders/4711", "200 OK", `{"id":4711,"state":"new"}`),
		recorded(3, "DELETE /orders/4711", "204 No Content", ``),
	}}
	var all []*exchange.Exchange
	for _, s := range src.Steps {
		all = append(all, s.Exchange)
	}
	src.Bindings = flow.Bindings(all)
	src.Operations = flow.Operations(all, src.Bindings)

	p, err := build.Plan(src, build.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range p.Tests {
		fmt.Println(t.Name)
		for _, s := range t.Steps {
			fmt.Printf("  %s: %s\n", s.Role, s.Title)
		}
	}
	// Output:
	// post_orders_is_201
	//   tested: POST /orders
	//   clean-up: DELETE /orders/{id}
	// get_order_is_200
	//   set-up: POST /orders
	//   tested: GET /orders/{id}
	//   clean-up: DELETE /orders/{id}
	// delete_order_is_204
	//   set-up: POST /orders
	//   tested: DELETE /orders/{id}
}
