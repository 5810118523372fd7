package hurl

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/write/plan"
)

func TestLastWildcard(t *testing.T) {
	for place, want := range map[exchange.Place]int{"/body/*n": -1, "/body/a/*/b/*": 11, "/body/*/b": 5, "/body/~2": -1, "/body": -1, "": -1, "/body/*/*n": 5} {
		if got := lastWildcard(place); got != want {
			t.Errorf("%s: %d, want %d", place, got, want)
		}
	}
}

// TestItemsAreCounted: an element that has all members of another one, and more, counts where that is counted.
func TestItemsAreCounted(t *testing.T) {
	b := &asserts{w: &writer{}}
	b.items(&plan.Check{Kind: plan.CheckItems, Place: "/body/l", JSON: json.RawMessage(`[{"a":1},{"a":1,"b":2},{"a":1}]`)})
	want := []string{
		`jsonpath "$.l" count == 3`,
		`jsonpath "$[?count($.l[?@.a == 1]) != 3]" not exists`,
		`jsonpath "$[?count($.l[?@.a == 1 && @.b == 2]) != 1]" not exists`,
	}
	if diff := cmp.Diff(want, b.lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
