package await

import (
	"fmt"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// What is wanted of a whole body is held against it value by value: a word that differs tells of an API at work, and a
// number does not.
func TestDifferences(t *testing.T) {
	for _, tt := range []struct{ is, wanted, want string }{
		{`{"state":"pending","total":42}`, `{"state":"done","total":42}`, "/body/state true"},
		{`{"total": 41, "state": "done"}`, `{"state":"done","total":42}`, "/body/total false"},
		{`{"state":"done"}`, `{"state":"done","total":42}`, "/body/total true"},
		{`{"state":"done","total":42,"more":1}`, `{"state":"done","total":42}`, "/body false"},
		{`{"items":[{"state":"new"}]}`, `{"items":[{"state":"done"},{"state":"done"}]}`, "/body/items/0/state true, /body/items/1 true"},
		{`{"items":[]}`, `{"items":[1]}`, "/body/items/0 true"},
		{`[]`, `{"state":"done"}`, "/body true"},
		{`{"error":"none"}`, `{"state":"done"}`, "/body/state true"},
		{`"no json`, `{"state":"done"}`, "/body true"},
		{`{"state":"done"}`, `{"state":"done"}`, ""},
	} {
		got := ""
		for i, d := range Differences(exchange.Claim{Place: exchange.PlaceBody, Relation: exchange.Equal, Value: tt.wanted}, tt.is) {
			if i > 0 {
				got += ", "
			}
			got += fmt.Sprintf("%s %t", d.Place, d.AtWork())
		}
		if got != tt.want {
			t.Errorf("%s for %s: %s, not %s", tt.is, tt.wanted, got, tt.want)
		}
	}
}

// A list that is still empty tells of an API at work, also where it lies too deep to be taken apart.
func TestAnEmptyListIsAtWork(t *testing.T) {
	for d, want := range map[Difference]bool{{"/body/items", "[]", "[1]"}: true, {"/body/items", "[2]", "[1]"}: false} {
		if d.AtWork() != want {
			t.Errorf("%+v: %t", d, d.AtWork())
		}
	}
}
