package hurl

import (
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

func TestLastWildcard(t *testing.T) {
	for place, want := range map[exchange.Place]int{"/body/*n": -1, "/body/a/*/b/*": 11, "/body/*/b": 5, "/body/~2": -1, "/body": -1, "": -1, "/body/*/*n": 5} {
		if got := lastWildcard(place); got != want {
			t.Errorf("%s: %d, want %d", place, got, want)
		}
	}
}
