package match

import (
	"slices"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

func TestIndex(t *testing.T) {
	var x Index
	if x.SameTarget("GET", "/orders") != nil {
		t.Error("an empty index finds something")
	}
	for _, line := range []string{"GET /orders/7", "GET /orders", "PUT /orders/7", "GET /orders/8", "GET /orders/%37"} {
		x.Add(request(line, ""))
	}
	for _, tt := range []struct {
		what      string
		got, want []int
	}{
		{"target", x.SameTarget("GET", "/orders/7"), []int{0, 4}},
		{"route", x.SameRoute("GET", "/orders/9?a=b"), []int{0, 3, 4}},
		{"method", x.SameMethod("PUT"), []int{2}},
		{"nothing", x.SameTarget("GET", "/orders/7?a=b"), nil},
	} {
		if !slices.Equal(tt.got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.what, tt.got, tt.want)
		}
	}
}

func TestOccurrences(t *testing.T) {
	var list []*exchange.Exchange
	for _, line := range []string{"GET /a", "GET /b", "GET /a"} {
		list = append(list, &exchange.Exchange{Request: *request(line, "")})
	}
	got := Occurrences(list)
	if got[0].Of != got[2].Of || got[0].Of == got[1].Of || got[0].Nth != 0 || got[1].Nth != 0 || got[2].Nth != 1 {
		t.Errorf("got %v", got)
	}
}

// Each case is a test of two or three calls: the candidates of each as position and worth.
func TestChain(t *testing.T) {
	for _, tt := range []struct {
		name  string
		calls [][]Candidate
		want  []int
	}{
		{"no calls", nil, []int{}},
		{"the last of equals", [][]Candidate{{{0, 1}, {5, 1}}, {{1, 1}, {6, 1}}}, []int{5, 6}},
		{"the best", [][]Candidate{{{0, 3}, {5, 1}}, {{1, 3}, {6, 3}}}, []int{0, 1}},
		{"too far apart", [][]Candidate{{{0, 1}}, {{9, 1}}}, []int{-1, -1}},
		{"one passed over", [][]Candidate{{{0, 1}}, nil, {{6, 1}}}, []int{0, -1, 6}},
		{"in order", [][]Candidate{{{3, 1}}, {{1, 9}, {4, 1}}}, []int{3, 4}},
	} {
		if got := Chain(tt.calls, 4); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
