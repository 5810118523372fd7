package volatility_test

import (
	"fmt"
	"log"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility"
)

// One step, two runs: the number was another each time, the name was not.
func ExampleJudge() {
	answer := func(body string) *exchange.Response {
		head := []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
		return exchange.ParseResponse(exchange.Message{Head: head, Body: []byte(body), Plain: true})
	}
	request := exchange.ParseRequest(exchange.Message{Head: []byte("GET /dice HTTP/1.1\r\nHost: a\r\n\r\n")})
	step := exchange.Step{
		Exchange: &exchange.Exchange{Seq: 1, Request: request, Response: answer(`{"name":"dice","shown":3}`)},
		Observations: []*exchange.Observation{
			{Run: 1, Seq: 1, Response: answer(`{"name":"dice","shown":6}`)},
			{Run: 2, Seq: 1, Response: answer(`{"name":"dice","shown":1}`)},
		},
	}
	steps := func(yield func(exchange.Step, error) bool) { yield(step, nil) }
	m, err := volatility.Judge(exchange.Recording{Count: 1}, []exchange.Run{{Number: 1}, {Number: 2}}, steps, nil, nil, volatility.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range m.Operations[0].Fields {
		if f.Place.Root() == "body" {
			fmt.Println(f.Place, f.Judgement, f.Changed, "of", f.Of)
		}
	}
	// Output:
	// /body stable 0 of 2
	// /body/name stable 0 of 2
	// /body/shown jitter 2 of 2
}
