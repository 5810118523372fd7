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

func TestRuleCheck(t *testing.T) {
	from, to := Point{"POST /orders", "/body/id"}, Point{"GET /orders/{id}", "/path/1"}
	for _, c := range []struct {
		rule Rule
		adds bool
		ok   bool
	}{
		{Rule{from, to}, true, true},
		{Rule{Point{"POST /orders", "/header/location/path/1"}, Point{"GET /x", "/cookie/a"}}, true, true},
		{Rule{from, Point{}}, true, false},
		{Rule{from, Point{}}, false, true},
		{Rule{}, false, false},
		{Rule{Point{"POST /orders", "/path/1"}, to}, true, false},
		{Rule{Point{"", "/query/q"}, to}, false, false},
		{Rule{from, Point{"GET /x", "/status"}}, true, false},
	} {
		check := Rule.CheckForbid
		if c.adds {
			check = Rule.CheckAdd
		}
		if err := check(c.rule); (err == nil) != c.ok {
			t.Errorf("%+v, adds %v: %v", c.rule, c.adds, err)
		}
	}
}

// TestRulesIdle: a rule that is about nothing in the recording is named.
func TestRulesIdle(t *testing.T) {
	list := script(t, `
		> POST /orders
		< 201
		={"id": 7, "n": 3}
		> GET /orders/7
		> GET /pages?n=3`)
	n := Point{"POST /orders", "/body/n"}
	b := NewBinderWith(Rules{
		Add:    []Rule{{n, Point{"GET /page", "/query/n"}}, {n, Point{"GET /pages", "/query/n"}}},
		Forbid: []Rule{{To: Point{"GET /orders/{id}", "/path/1"}}, {To: Point{"get /orders/{id}", "/path/1"}}},
	})
	for _, e := range list {
		b.Add(e)
	}
	add, forbid := b.Idle()
	if diff := cmp.Diff([][]int{{0}, {1}}, [][]int{add, forbid}); diff != "" {
		t.Error(diff)
	}
}
