package breach

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// chained are the answers of a run to two requests, each with what six executions answered before: %d is another number
// in each.
func chained(category mapfile.Category, made, read string, nowMade, nowRead string) []Answer {
	op := &mapfile.Operation{Operation: exchange.Operation{Method: "GET", Template: "/order"}, Status: 200, Fields: []*mapfile.Field{
		{Place: "/body/id", Judgement: mapfile.Jitter, Category: category, Of: 6},
		{Place: "/body/ref", Judgement: mapfile.Jitter, Category: category, Of: 6},
	}}
	op.Index()
	answer := func(form, now string) Answer {
		a := Answer{Now: sent(now), Step: exchange.Step{Exchange: sent(fmt.Sprintf(form, 1000))}, Operations: []*mapfile.Operation{op}}
		for run := 1; run <= 5; run++ {
			o := &exchange.Observation{Run: run}
			o.Response, o.Fault = answered(fmt.Sprintf(form, 1000+run*7))
			a.Step.Observations = append(a.Step.Observations, o)
		}
		return a
	}
	return []Answer{answer(made, nowMade), answer(read, nowRead)}
}

// An answer that always had a value of an answer before it is broken once it has another, and no other answer is.
func TestRepeats(t *testing.T) {
	const twice = `200 {"id":"order-%[1]d","ref":"order-%[1]d"}`
	const id, other, short, fixed = `200 {"id":"order-%d"}`, `200 {"id":"cart-%d"}`, `200 {"id":%d}`, `200 {"id":"order-77%%.0d"}`
	for name, c := range map[string]struct {
		category         mapfile.Category
		made, read       string
		nowMade, nowRead string
		want             []string
	}{
		"as ever":                {mapfile.Rand, id, id, `200 {"id":"order-5"}`, `200 {"id":"order-5"}`, nil},
		"another":                {mapfile.Rand, id, id, `200 {"id":"order-5"}`, `200 {"id":"order-6"}`, []string{"1 broken /body/id of 6"}},
		"one that it had before": {mapfile.Rand, id, id, `200 {"id":"order-5"}`, `200 {"id":"order-1007"}`, []string{"1 broken /body/id of 6"}},
		"nothing":                {mapfile.Rand, id, id, `200 {"id":"order-5"}`, `200 {}`, nil},
		"another status":         {mapfile.Rand, id, id, `200 {"id":"order-5"}`, `500 {"error":"order-6"}`, nil},
		"no answer":              {mapfile.Rand, id, id, `200 {"id":"order-5"}`, "fault", nil},
		"within one answer":      {mapfile.Rand, twice, other, `200 {"id":"order-5","ref":"order-6"}`, `200 {"id":"cart-6"}`, nil},
		"never the same":         {mapfile.Rand, id, other, `200 {"id":"order-5"}`, `200 {"id":"cart-6"}`, nil},
		"the same by the clock":  {mapfile.Time, id, id, `200 {"id":"order-5"}`, `200 {"id":"order-6"}`, nil},
		"too short to tell":      {mapfile.Rand, short, short, `200 {"id":5000}`, `200 {"id":6000}`, nil},
		"always one value":       {mapfile.Rand, fixed, fixed, `200 {"id":"order-77"}`, `200 {"id":"order-78"}`, nil},
	} {
		var got []string
		for _, r := range Repeats(chained(c.category, c.made, c.read, c.nowMade, c.nowRead)) {
			got = append(got, fmt.Sprintf("%d %s %s of %d", r.At, r.Kind, r.Place, r.Of))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// What was seen too few times to be known for one value is no evidence.
func TestRepeatsOfTooFew(t *testing.T) {
	all := chained(mapfile.Rand, `200 {"id":"order-%d"}`, `200 {"id":"order-%d"}`, `200 {"id":"order-5"}`, `200 {"id":"order-6"}`)
	for i := range all {
		all[i].Step.Observations = all[i].Step.Observations[:Enough-2]
	}
	if got := Repeats(all); len(got) > 0 {
		t.Errorf("after %d executions: %v", Enough-1, got)
	}
	all[1].Step.Exchange = nil // a request that is new
	if got := Repeats(all); len(got) > 0 {
		t.Errorf("of a new request: %v", got)
	}
}
