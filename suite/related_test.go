package suite

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/relation"
)

// TestWeakenToWhatHolds: a value that moves is held to the other values of its answer, a format to the way in which it
// is written, a date in words to the days there are; and a moment long past stays what it is.
func TestWeakenToWhatHolds(t *testing.T) {
	var bodies []string
	for i := range 6 {
		bodies = append(bodies, fmt.Sprintf(`{"base":10,"jitter":%d,"total":%d,"id":"%04dabcdef%08d","day":"Monday 23 November",`+
			`"items":[{"at":1454050800},{"at":%d}],"big":900719925474%04d}`, i, 10+i, i, i, 1795421130+i, i))
	}
	field := func(place exchange.Place, j mapfile.Judgement, c mapfile.Category, h mapfile.Holds) *mapfile.Field {
		return &mapfile.Field{Place: place, Judgement: j, Category: c, Changed: 5, Of: 5, Holds: h}
	}
	src := Source{
		Steps:      []exchange.Step{stepOf(1, "/x0", replies(bodies...))},
		Operations: map[uint64]exchange.Operation{1: {Method: "GET", Template: "/x0"}},
		Map: &mapfile.Map{Operations: []*mapfile.Operation{{
			Operation: exchange.Operation{Method: "GET", Template: "/x0"}, Status: 200,
			Fields: []*mapfile.Field{
				field("/body/big", mapfile.Jitter, mapfile.Rand, mapfile.Holds{Type: "integer"}),
				field("/body/day", mapfile.WouldMove, mapfile.Time, mapfile.Holds{Type: "string"}),
				field("/body/id", mapfile.Jitter, mapfile.Rand, mapfile.Holds{Type: "string", Format: "hex"}),
				field("/body/items/*/at", mapfile.Jitter, mapfile.Time, mapfile.Holds{Type: "integer", Format: "epoch-s"}),
				field("/body/total", mapfile.Jitter, mapfile.Rand, mapfile.Holds{Type: "integer", Relations: []relation.Relation{
					{Is: relation.Sum, Of: []exchange.Place{"/body/base", "/body/jitter"}}}}),
			},
		}}},
	}
	src.Steps[0].Exchange.Start = time.Unix(1795421130, 0)
	got, data := patchedLines(t, suiteOf([]string{
		`assert res_0.json()["total"] == 99.0`,
		`assert res_0.json()["id"] == "0009abcdef00000009"`,
		`assert res_0.json()["day"] == "Monday 23 November"`,
		`assert res_0.json()["items"][0]["at"] == 1454050800`,
		`assert res_0.json()["items"][1]["at"] == 1795421000`,
		`assert res_0.json()["big"] == 9007199254740990`,
	}), src)
	compiles(t, data)
	want := []string{
		`assert res_0.json()["total"] == res_0.json()["base"] + res_0.json()["jitter"]`,
		`assert __import__("re").fullmatch(r"[0-9a-f]{18}", res_0.json()["id"])`,
		`assert __import__("re").fullmatch(r"(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\s+\d\d?\s+` +
			`(?:January|February|March|April|May|June|July|August|September|October|November|December)", res_0.json()["day"])`,
		`assert res_0.json()["items"][0]["at"] == 1454050800`,
		`assert isinstance(res_0.json()["items"][1]["at"], int) and 1000000000 <= res_0.json()["items"][1]["at"] <= 9999999999`,
		`assert isinstance(res_0.json()["big"], int) and res_0.json()["big"] >= 0`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
