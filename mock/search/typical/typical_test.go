package typical

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEnlarged(t *testing.T) {
	of := map[string]any{"price": 1.0, "left": 2.0, "name": "1", "rooms": []any{map[string]any{"share": 1.0}}}
	got, is := Enlarged(of)
	want := map[string]any{"price": 60.0, "left": 2.0, "name": "1", "rooms": []any{map[string]any{"share": 60.0}}}
	if diff := cmp.Diff(any(want), got); diff != "" || !is || of["price"] != 1.0 {
		t.Errorf("%t, %s", is, diff)
	}
	if _, is := Enlarged(map[string]any{"left": 2.0}); is {
		t.Error("there is nothing to be made larger")
	}
}

// What an API does at weekends shows, and what it does on working days.
func TestMoments(t *testing.T) {
	for text, want := range map[string]time.Weekday{Past: time.Saturday, Future: time.Tuesday} {
		if at, err := time.Parse(time.RFC3339, text); err != nil || at.Weekday() != want {
			t.Errorf("%s is a %s, %v", text, at.Weekday(), err)
		}
	}
}
