package flow

import (
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

func TestOrder(t *testing.T) {
	at := func(seq uint64, pass int, conn uint64, mark string) *exchange.Exchange {
		return &exchange.Exchange{Seq: seq, Pass: pass, Conn: conn, Sequence: mark}
	}
	binding := func(from, to uint64) exchange.Binding {
		return exchange.Binding{Producer: exchange.Ref{Seq: from}, Uses: []exchange.Ref{{Seq: to}}}
	}
	tests := []struct {
		name     string
		all      []*exchange.Exchange
		bindings []exchange.Binding
		want     string // a letter for each exchange: equal ones are one sequence
		closes   string // x where the connection ends
		count    int
	}{
		{"marks, not in a row", []*exchange.Exchange{at(1, 1, 1, "a"), at(2, 1, 1, "b"), at(3, 1, 1, "a")}, nil, "aba", "..x", 2},
		{"a value between marks joins nothing", []*exchange.Exchange{at(1, 1, 1, "a"), at(2, 1, 1, "b")},
			[]exchange.Binding{binding(1, 2)}, "ab", ".x", 2},
		{"connections", []*exchange.Exchange{at(1, 1, 1, ""), at(2, 1, 2, ""), at(3, 1, 1, ""), at(4, 1, 2, "")}, nil, "abab", "..xx", 2},
		{"a value between connections", []*exchange.Exchange{at(1, 1, 1, ""), at(2, 1, 2, ""), at(3, 1, 1, ""), at(4, 1, 2, "")},
			[]exchange.Binding{binding(1, 2)}, "aaaa", "..xx", 1},
		{"a connection for each request", []*exchange.Exchange{at(1, 1, 1, ""), at(2, 1, 2, ""), at(3, 1, 3, "")}, nil, "aaa", "xxx", 1},
		{"a connection that is not known", []*exchange.Exchange{at(1, 1, 1, ""), at(2, 1, 1, ""), at(3, 1, 0, "")}, nil, "aaa", ".x.", 1},
		{"passes", []*exchange.Exchange{at(1, 1, 0, ""), at(2, 2, 0, ""), at(3, 3, 0, "a"), at(4, 4, 0, "a")}, nil, "abcd", "....", 4},
		{"some with marks", []*exchange.Exchange{at(1, 1, 1, ""), at(2, 1, 1, "a"), at(3, 1, 1, "")}, nil, "aba", "..x", 2},
	}
	for _, test := range tests {
		o := NewOrder()
		for _, e := range test.all {
			o.Add(e)
		}
		o.Bind(test.bindings)
		letters, closes := map[int]byte{}, ""
		got := ""
		for _, e := range test.all {
			n := o.Sequence(e)
			if letters[n] == 0 {
				letters[n] = byte('a' + len(letters))
			}
			got += string(letters[n])
			closes += map[bool]string{true: "x", false: "."}[o.Closes(e)]
		}
		if got != test.want || closes != test.closes || o.Count() != test.count {
			t.Errorf("%s: sequences %s of %d, closing %s; want %s of %d, %s", test.name, got, o.Count(), closes, test.want, test.count, test.closes)
		}
	}
}
