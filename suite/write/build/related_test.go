package build

import (
	"encoding/json"
	"os"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/relation"
)

// TestRelated: the tests' own helper reads relations as docs/map.md states them.
func TestRelated(t *testing.T) {
	needs.Program(t, "python3")
	type question struct {
		Body   string
		Kind   string
		Places []string
		Want   bool
	}
	const order = `{"items":[{"p":0.1,"q":3,"t":0.3},{"p":19.99,"q":2,"t":39.98}],"n":2,"sum":40.28,"net":1.05,"rate":0.075,"tax":0.08,"half":0.079,"d":0.30000000000000004,"a":0.1,"b":0.2,` +
		`"id":17,"text":"17","no":null,"s":"x","nan":"NaN","true":true}`
	questions := []question{
		{order, "equal", []string{"/body/id", "/body/text"}, true}, {order, "equal", []string{"/body/id", "/body/n"}, false},
		{order, "equal", []string{"/body/id", "/header/x-id"}, true}, {order, "equal", []string{"/header/x-id", "/body/n"}, false},
		{order, "equal", []string{"/body/s", "/body/nan"}, false}, {order, "equal", []string{"/body/id", "/body/nan"}, false},
		{order, "equal", []string{"/body/no", "/body/n"}, true}, {order, "equal", []string{"/body/n", "/body/absent"}, true}, {order, "equal", []string{"/body/n", "/body/s"}, false},
		{order, "sum", []string{"/body/d", "/body/a", "/body/b"}, true}, {order, "sum", []string{"/body/n", "/body/a", "/body/b"}, false}, {order, "sum", []string{"/body/n", "/body/s", "/body/b"}, false},
		{order, "difference", []string{"/body/a", "/body/d", "/body/b"}, true}, {order, "difference", []string{"/body/b", "/body/a", "/body/d"}, false},
		{order, "product", []string{"/body/items/*/t", "/body/items/*/p", "/body/items/*/q"}, true}, {order, "product", []string{"/body/items/*/p", "/body/items/*/t", "/body/items/*/q"}, false},
		{order, "product", []string{"/body/tax", "/body/net", "/body/rate"}, true}, {order, "product", []string{"/body/half", "/body/net", "/body/rate"}, true}, {order, "product", []string{"/body/a", "/body/net", "/body/rate"}, false},
		{order, "count", []string{"/body/n", "/body/items"}, true}, {order, "count", []string{"/body/id", "/body/items"}, false}, {order, "count", []string{"/body/id", "/body/absent"}, true},
		{order, "total", []string{"/body/sum", "/body/items/*/t"}, true}, {order, "total", []string{"/body/sum", "/body/items/*/p", "/body/items/*/q"}, true},
		{order, "total", []string{"/body/sum", "/body/items/*/p"}, false}, {order, "total", []string{"/body/n", "/body/absent/*/p"}, true}, {order, "total", []string{"/body/n", "/body/items/*/none"}, false},
		{order, "sum", []string{"/body/id", "=16", "=1"}, true}, {order, "sum", []string{"/body/id", "=17", "=1"}, false}, {order, "product", []string{"/body/items/*/t", "/body/items/*/p", "=3"}, false},
		{order, "other", []string{"/body/s", "=y"}, true}, {order, "other", []string{"/body/id", "=17"}, false}, {order, "above", []string{"/body/id", "=9"}, true}, {order, "above", []string{"/body/id", "=17"}, false},
		{order, "above", []string{"/body/s", "=9"}, false}, {order, "contains", []string{"/header/x-id", "/body/text"}, true}, {order, "contains", []string{"/body/s", "/body/text"}, false},
		{order, "at-least", []string{"/body/id", "=9"}, true}, {order, "at-least", []string{"/body/n", "=9"}, false}, {order, "ascending", []string{"/body/items", "/body/items/*/p"}, true}, {order, "descending", []string{"/body/items", "/body/items/*/p"}, false},
		{`{"l":["2026-01-02T00:00:00+01:00","2026-01-01T23:30:00Z"],"m":["b","A"]}`, "ascending", []string{"/body/l", "/body/l/*"}, true}, {`{"m":["b","A"]}`, "descending", []string{"/body/m", "/body/m/*"}, true}, {`{"m":["b","A"]}`, "ascending", []string{"/body/m", "/body/m/*"}, false},
		{order, "unique", []string{"/body/items", "/body/items/*/p"}, true}, {`{"l":[{"id":1},{"id":2},{"id":1}]}`, "unique", []string{"/body/l", "/body/l/*/id"}, false}, {`{"l":[]}`, "unique", []string{"/body/l", "/body/l/*/id"}, true},
		{`{"at":"2026-01-02T00:00:00+01:00"}`, "at-least", []string{"/body/at", "=2026-01-01T22:59:59Z"}, true}, {`{"at":"2026-01-02T00:00:00+01:00"}`, "at-least", []string{"/body/at", "=2026-01-01T23:00:01Z"}, false},
		{`[{"a":1,"b":1},{"a":2,"b":2}]`, "equal", []string{"/body/*/a", "/body/*/b"}, true}, {`[{"a":1,"b":1},{"a":2,"b":3}]`, "equal", []string{"/body/*/a", "/body/*/b"}, false},
		{`{"x":[{"n":2,"l":[1,1]},{"n":0,"l":[]}]}`, "count", []string{"/body/x/*/n", "/body/x/*/l"}, true}, {`{"x":[{"n":2,"l":[1,1]},{"n":1,"l":[]}]}`, "count", []string{"/body/x/*/n", "/body/x/*/l"}, false},
	}
	asked, err := json.Marshal(questions)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("python3", "-c", `
import json, sys
from flaketap_checks import related
from flaketap_client import parse_json
class Res:
    headers = {"x-id": "17"}
    def json(self):
        return parse_json(self.body)
for q in json.loads(sys.argv[1]):
    res = Res()
    res.body = q["Body"]
    if related(res, q["Kind"], *q["Places"]) != q["Want"]:
        print(q["Kind"], q["Places"], "is not", q["Want"])
`, string(asked))
	cmd.Dir = "../pytest/runtime"
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("related says otherwise (%v):\n%s", err, out)
	}
}

// TestRelationsWritten: computed relations of what moves are asserted, others are not.
func TestRelationsWritten(t *testing.T) {
	related := func(is relation.Kind, of ...exchange.Place) relation.Relation {
		return relation.Relation{Is: is, Of: of}
	}
	a := &asserting{builder: &builder{mode: suite.Relax}, dependence: &dependence{}, op: &mapfile.Operation{Fields: []*mapfile.Field{
		{Place: "/body/total", Judgement: mapfile.Jitter, Holds: mapfile.Holds{Relations: []relation.Relation{
			related(relation.Sum, "/body/a", "/body/b"), related(relation.AtLeast, "/body/a"), related(relation.Offset, "/body/a"), related("later", "/body/a"), related(relation.Equal, "/trailer/x"),
		}}},
		{Place: "/body/list", Judgement: mapfile.Jitter, Holds: mapfile.Holds{Relations: []relation.Relation{related(relation.Descending, "/body/list/*")}}},
		{Place: "/body/end", Judgement: mapfile.Jitter, Holds: mapfile.Holds{Format: "rfc3339", Relations: []relation.Relation{related(relation.AtLeast, "/body/begin")}}},
		{Place: "/body/link", Judgement: mapfile.Jitter, Holds: mapfile.Holds{Relations: []relation.Relation{related(relation.Contains, "/body/id")}}},
		{Place: "/body/known", Judgement: mapfile.Jitter, Holds: mapfile.Holds{Relations: []relation.Relation{related(relation.Contains, "/body/id")}}},
		{Place: "/body/still", Judgement: mapfile.Stable, Holds: mapfile.Holds{Relations: []relation.Relation{related(relation.Equal, "/body/a")}}},
	}}}
	a.out = []plan.Check{{Kind: plan.CheckEqual, Place: "/body/known"}}
	a.relations()
	want := []plan.Check{
		{Kind: plan.CheckRelated, Place: "/body/total", Relation: relation.Sum, Of: []exchange.Place{"/body/a", "/body/b"}},
		{Kind: plan.CheckRelated, Place: "/body/list", Relation: relation.Descending, Of: []exchange.Place{"/body/list/*"}},
		{Kind: plan.CheckRelated, Place: "/body/end", Relation: relation.AtLeast, Of: []exchange.Place{"/body/begin"}},
		{Kind: plan.CheckRelated, Place: "/body/link", Relation: relation.Contains, Of: []exchange.Place{"/body/id"}},
	}
	if diff := cmp.Diff(want, a.out[1:]); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
