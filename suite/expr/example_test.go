package expr_test

import (
	"fmt"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
)

// An assertion of a test, res_0's status is 200, is held against what an execution answered.
func ExampleScope() {
	answer := exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 404 Not Found\r\n\r\n")})
	names := expr.Scope{"res_0": expr.NewResponse(answer, nil)}
	status := expr.Answer{Var: "res_0", Part: expr.Status}
	fmt.Println(names.Holds(expr.Cmp(status, expr.Eq, expr.Int(200))))
	fmt.Println(names.Holds(expr.Cmp(expr.Name{ID: "id"}, expr.Eq, expr.Int(7))))
	// Output:
	// false <nil>
	// false not understood: the name id
}
