package flow

import (
	"fmt"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/words"
	"github.com/google/go-cmp/cmp"
)

func TestSequences(t *testing.T) {
	text := `
		> POST /orders
		< 201
		={"id": 7}
		> GET /a
		< 200
		> GET /orders/7
		< 404
		> GET /a
		> GET /orders/8`
	for _, c := range []struct {
		name  string
		conns []uint64
		marks []string
		want  []string
	}{
		{"marks, interleaved", nil, []string{"test_b", "test a", "test_b", "", "65f1a0b2-c3d4"},
			[]string{"test_b [1 3]", "test_a [2]", "get_a [4]", "get_orders_id_fails_reset [5]"}},
		{"connections without data flow between them", []uint64{1, 2, 1, 2, 3}, nil,
			[]string{"get_orders_id_returns_404 [1 3]", "get_a [2 4]", "get_orders_id_fails_reset [5]"}},
		{"data flow between connections", []uint64{1, 2, 2, 1, 3}, nil, []string{"get_orders_id_fails_reset [1 2 3 4 5]"}},
		{"connections not known", []uint64{1, 0, 1, 2, 3}, nil, []string{"get_orders_id_fails_reset [1 2 3 4 5]"}},
		{"data flow from a marked to an unmarked", []uint64{1, 2, 3, 4, 5}, []string{"make_order"},
			[]string{"make_order [1]", "get_orders_id_fails_reset [2 3 4 5]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := script(t, text)
			list[4].Fault = &exchange.Fault{Kind: exchange.FaultReset}
			for i, e := range list {
				if i < len(c.conns) {
					e.Conn = c.conns[i]
				}
				if i < len(c.marks) {
					e.Sequence = c.marks[i]
				}
			}
			var got []string
			for _, s := range sequencesOf(list) {
				got = append(got, fmt.Sprint(s.Name, " ", s.Steps))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestSequencesOfPasses: passes never share a sequence, and names stay unique.
func TestSequencesOfPasses(t *testing.T) {
	list := script(t, "> GET /a\n< 200\n> GET /a\n< 200\n> GET /a\n< 200")
	for i, e := range list {
		e.Pass, e.Sequence = i/2+1, "one"
	}
	var got []string
	for _, s := range sequencesOf(list) {
		got = append(got, fmt.Sprint(s.Name, s.Steps))
	}
	if diff := cmp.Diff([]string{"one[1 2]", "one_2[3]"}, got); diff != "" {
		t.Error(diff)
	}
	if got := sequencesOf(nil); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

func TestNames(t *testing.T) {
	n := words.Namer{}
	var got []string
	for _, s := range []string{"order-id", "order_id", "orderId2", "order id", "ETag", "sid", "X", "9lives", "é", ""} {
		got = append(got, n.Variable(s))
	}
	want := []string{"orderId", "orderId2", "orderId22", "orderId3", "ETag", "sid", "x", "lives", "value", "value2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func sequencesOf(list []*exchange.Exchange) []exchange.Sequence {
	bindings := Bindings(list)
	return Sequences(list, bindings, Operations(list, bindings))
}
