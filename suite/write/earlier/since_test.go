package earlier

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/relation"
)

// How a value relates to an earlier one is found where enough executions with different values say so.
func TestRelate(t *testing.T) {
	each := func(n int, say func(i int) [2]string) (out [][2]string) {
		for i := range n {
			out = append(out, say(i))
		}
		return out
	}
	text := func(i int) string { return fmt.Sprintf("tag-%04d", i*7919%1000) }
	for _, tt := range []struct {
		name  string
		pairs [][2]string
		want  *plan.Check
	}{
		{"one more", each(5, func(i int) [2]string { return [2]string{fmt.Sprint(i * i), fmt.Sprint(i*i + 1)} }),
			&plan.Check{Relation: relation.Sum, Given: []plan.Text{{{Literal: "1"}}}}},
		{"three fewer", each(5, func(i int) [2]string { return [2]string{fmt.Sprint(i * i), fmt.Sprint(i*i - 3)} }),
			&plan.Check{Relation: relation.Sum, Given: []plan.Text{{{Literal: "-3"}}}}},
		{"another", each(5, func(i int) [2]string { return [2]string{text(i), text(i + 1)} }), &plan.Check{Relation: plan.Other}},
		{"too few", each(4, func(i int) [2]string { return [2]string{fmt.Sprint(i), fmt.Sprint(i + 1)} }), nil},
		{"two values", each(9, func(i int) [2]string { return [2]string{fmt.Sprint(i % 2), fmt.Sprint(i%2 + 1)} }), nil},
		{"once otherwise", each(9, func(i int) [2]string { return [2]string{fmt.Sprint(i), fmt.Sprint(i + 1 + i/8)} }), nil},
		{"the same", each(9, func(i int) [2]string { return [2]string{text(i), text(i)} }), nil},
		{"a short text", each(9, func(i int) [2]string { return [2]string{fmt.Sprint("a", i), fmt.Sprint("b", i)} }), nil},
		{"one that comes again", each(9, func(i int) [2]string { return [2]string{text(i), text(i%4 + 100)} }), nil},
	} {
		got, _ := relate(tt.pairs)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.name, diff)
		}
	}
}
