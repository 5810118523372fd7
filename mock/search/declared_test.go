package search

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/kind"
)

// basket is read of an answer by the API of the test below.
const basket = "package main\n\ntype basket struct {\n" +
	"\tOwner string `json:\"owner\"`\n\tLines []struct {\n\t\tCount int `json:\"count\"`\n\t\tColor string `json:\"color\"`\n\t} `json:\"lines\"`\n" +
	"\tGift bool `json:\"gift\"`\n}\n\ntype other struct {\n\tHidden string `json:\"hidden\"`\n\tGift bool `json:\"gift\"`\n}\n"

// What is decoded as a struct is told with all of its fields and their types, also those that make no difference, and
// where no error says what was wrong; those of another struct are not.
func TestDeclared(t *testing.T) {
	o := oneRequest("/basket")
	o.Trials = 90
	o.Words = &Words{}
	o.Words.Add([]byte(basket))
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		r := w.get("baskets.example:443", "/mine")
		raw, err := json.Marshal(r.json)
		if r.status != 200 || r.gone || r.json == nil || err != nil {
			return 502, `{"error": "down"}`
		}
		var b struct {
			Owner string
			Lines []struct {
				Count int
				Color string
			}
			Gift bool
		}
		if json.Unmarshal(raw, &b) != nil {
			return 502, `{"error": "down"}`
		}
		return 200, `{"basket": true}`
	})
	want := map[exchange.Place]kind.Kind{"/body/owner": kind.String, "/body/lines": kind.List, "/body/lines/*/count": kind.Integer,
		"/body/lines/*/color": kind.String, "/body/gift": kind.Boolean}
	for _, f := range found.Fields {
		k, there := want[f.Place]
		if !there || !slices.Equal(f.Kinds, []kind.Kind{k}) {
			t.Errorf("%s is told as %s", f.Place, f.Kinds)
		}
		delete(want, f.Place)
	}
	if len(want) > 0 {
		t.Errorf("not told are %v", want)
	}
}

// A struct of a program tells the same as one of its source.
func TestDeclaredByProgram(t *testing.T) {
	w := &Words{}
	w.AddUnit(Unit{Texts: []string{"no names are given"}, Members: []Member{{Name: "none"}}})
	w.AddUnit(Unit{Members: []Member{
		{Name: "lines", Given: true, Kind: kind.List, Of: []Member{{Name: "count", Given: true, Kind: kind.Integer}, {Name: "none"}}},
	}})
	all := w.recordsOf(Endpoint{})
	if len(all) != 1 || len(all[0].Fields) != 2 || !all[0].Has("/body/lines/*/count") {
		t.Errorf("declared is %+v", all)
	}
}
