package compare_test

import (
	"fmt"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
)

// The order of members never counts, an element more at the front of an array is one difference.
func ExampleAnswer_Differences() {
	answer := func(body string) *compare.Answer {
		head := []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
		return compare.Read(exchange.ParseResponse(exchange.Message{Head: head, Body: []byte(body), Plain: true}), nil)
	}
	recorded := answer(`{"items":[{"id":1},{"id":2}],"at":"09:00"}`)
	for _, d := range recorded.Differences(answer(`{"at":"09:05","items":[{"id":0},{"id":1},{"id":2}]}`)) {
		fmt.Println(d.Place, d.Kind, d.Before, d.After)
	}
	// Output:
	// /body/items resized [{"id":1},{"id":2}] [{"id":0},{"id":1},{"id":2}]
	// /body/at changed "09:00" "09:05"
}
