package flow

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRules(t *testing.T) {
	list := script(t, `
		> POST /orders
		< 201
		={"id": 7, "n": 3}
		> GET /orders/7
		> GET /pages?n=3&m=3
		> GET /other/7?orderId=7`)
	order := Point{"POST /orders", "/body/id"}
	for _, c := range []struct {
		name  string
		rules Rules
		want  []string
	}{
		{"none", Rules{}, []string{"orderId=7 1/body/id > 2/path/1 > 4/query/orderId"}},
		{"add", Rules{Add: []Rule{{Point{"POST /orders", "/body/n"}, Point{"GET /pages", "/query/*"}}}},
			[]string{"orderId=7 1/body/id > 2/path/1 > 4/query/orderId", "n=3 1/body/n > 3/query/n > 3/query/m"}},
		{"add to what is bound", Rules{Add: []Rule{{order, Point{"GET /other/{id}", "/path/1"}}}},
			[]string{"orderId=7 1/body/id > 2/path/1 > 4/query/orderId > 4/path/1"}},
		{"add where the value is another", Rules{Add: []Rule{{order, Point{"GET /pages", "/query/n"}}}}, []string{"orderId=7 1/body/id > 2/path/1 > 4/query/orderId"}},
		{"forbid by use", Rules{Forbid: []Rule{{To: Point{"GET /orders/{id}", ""}}}}, []string{"orderId=7 1/body/id > 4/query/orderId"}},
		{"forbid by producer", Rules{Forbid: []Rule{{From: order}}}, nil},
		{"forbid another", Rules{Forbid: []Rule{{From: order, To: Point{"GET /orders", ""}}, {From: Point{"GET /orders", ""}}}},
			[]string{"orderId=7 1/body/id > 2/path/1 > 4/query/orderId"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := NewBinderWith(c.rules)
			for _, e := range list {
				b.Add(e)
			}
			if diff := cmp.Diff(c.want, show(b.Bindings())); diff != "" {
				t.Error(diff)
			}
		})
	}
}
