package condition

import (
	"fmt"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// Of a run that sends requests at once, the first answers of a row are to the request sent alone, and single answers tell
// nothing.
func TestAtOnce(t *testing.T) {
	var all []*exchange.Observation
	for _, run := range []int{1, 2, 2, 2, 2, 3} {
		all = append(all, &exchange.Observation{Run: run})
	}
	got := ""
	for i := range all {
		n, tells := AtOnce(all, i, 8)
		got += fmt.Sprintf("%d %t, ", n, tells)
	}
	if want := "1 false, 1 true, 1 true, 8 true, 8 true, 1 false, "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestCrowd(t *testing.T) {
	var all, of Crowd
	for _, n := range []int{0, 1, 1, 2, 2, 1, 1, 4, 4, 4, 4} {
		all.Count(n)
	}
	if of.Least(all, 3) != 0 {
		t.Error("it never moved")
	}
	of.Moved(4)
	if n := of.Least(all, 0); n != 0 {
		t.Errorf("one of six at once, beside four alone, may be chance, and gives %d", n)
	}
	of.Moved(4)
	of.Moved(2)
	if n := of.Least(all, 3); n != 2 {
		t.Errorf("it moved where %d asked at once, want 2", n)
	}
	of.Moved(1)
	if n := of.Least(all, 3); n != 0 {
		t.Errorf("it moved alone, and where %d asked at once", n)
	}
}
