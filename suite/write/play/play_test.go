package play

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// TestOrders: the order in which a trial sends the requests of two tests, a1 to a3 and b1 to b3.
func TestOrders(t *testing.T) {
	test := func(name string) plan.Test {
		out := plan.Test{Name: name}
		for _, n := range []string{"1", "2", "3"} {
			out.Steps = append(out.Steps, plan.Step{Role: plan.Tested, Method: "GET", Target: plan.Text{{Literal: name + n}}})
		}
		return out
	}
	p := plan.Plan{Tests: []plan.Test{test("a"), test("b")}}
	for _, tt := range []struct {
		in   Order
		want string
	}{
		{Forwards, "a1 a2 a3 b1 b2 b3"},
		{Backwards, "b1 b2 b3 a1 a2 a3"},
		{Abreast, "a1 b1 a2 b2 a3 b3"},
		{Cut + 2, "a1 b1 b2 b3 a2 a3"},
		{Cut + 3, "b1 a1 a2 a3 b2 b3"},
		{Cut + 4, "a1 a2 b1 b2 b3 a3"},
		{Cut + 8, "a1 a2 a3 b1 b2 b3"},
	} {
		var answers Answers
		var sent []string
		err := answers.Try(p, tt.in, func(r Request) (*exchange.Response, error) {
			sent = append(sent, r.Target)
			return exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 204 No Content\r\n\r\n"), Plain: true}), nil
		})
		if got := strings.Join(sent, " "); got != tt.want || err != nil {
			t.Errorf("order %d: %s, %v, want %s", tt.in, got, err, tt.want)
		}
		if all := answers.Tested(0); len(all) != len(sent) {
			t.Errorf("order %d: %d of %d answers are kept", tt.in, len(all), len(sent))
		}
	}
}
