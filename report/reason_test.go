package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/google/go-cmp/cmp"
)

func runsOf(n int, start exchange.Start, perturb ...string) []exchange.Run {
	var out []exchange.Run
	for i := range n {
		out = append(out, exchange.Run{Number: i + 1, Kind: exchange.RunReplay, Conditions: exchange.Conditions{Start: start}})
	}
	for _, p := range perturb {
		out = append(out, exchange.Run{Number: len(out) + 1, Kind: exchange.RunReplay, Conditions: exchange.Conditions{Start: start, Perturb: []string{p}}})
	}
	return out
}

func TestExperiments(t *testing.T) {
	explained := func(c ...mapfile.Category) (out []mapfile.Explanation) {
		for _, x := range c {
			out = append(out, mapfile.Explanation{Category: x, Weight: 1 / float64(len(c)), Evidence: []string{"moved:1/2"}})
		}
		return out
	}
	jitter := func(c mapfile.Category, e ...mapfile.Category) mapfile.Field {
		return mapfile.Field{Judgement: mapfile.Jitter, Category: c, Changed: 3, Of: 10, Bound: 0.6, Explanations: explained(append([]mapfile.Category{c}, e...)...)}
	}
	still := mapfile.Field{Judgement: mapfile.Stable, Of: 10, Bound: 0.2589}
	hint := func(code string) mapfile.Field {
		return mapfile.Field{Judgement: mapfile.Hint, Of: 3000, Bound: 0.001, Evidence: []string{code}}
	}
	for name, c := range map[string]struct {
		f    mapfile.Field
		runs []exchange.Run
		want []string
	}{
		"no run":                    {mapfile.Field{Judgement: mapfile.Stable, Bound: 1}, nil, []string{"replay --runs 10 --reset CMD"}},
		"one run that moved it":     {jitter(mapfile.Rand), runsOf(1, exchange.StartReset), []string{"replay --runs 1"}},
		"Time, or Rand":             {jitter(mapfile.Time, mapfile.Rand), runsOf(5, exchange.StartReset), []string{"replay --perturb double", "replay --perturb delay=2s"}},
		"Time, or Rand, was tried":  {jitter(mapfile.Time, mapfile.Rand), runsOf(5, exchange.StartReset, "double", "delay=5s"), nil},
		"Time, and no doubt of it":  {jitter(mapfile.Time), runsOf(5, exchange.StartReset), nil},
		"State without a reset":     {jitter(mapfile.State), runsOf(5, exchange.StartContinued), []string{"replay --reset CMD"}},
		"State in spite of a reset": {jitter(mapfile.State), runsOf(5, exchange.StartReset), []string{"replay --perturb order=reverse"}},
		"unknown": {jitter(mapfile.Unk), runsOf(5, exchange.StartContinued),
			[]string{"replay --perturb double", "replay --reset CMD"}},
		"a day": {mapfile.Field{Judgement: mapfile.WouldMove, Category: mapfile.Time, Of: 3000, Bound: 0.001, Evidence: []string{"near-clock:day"}},
			runsOf(5, exchange.StartReset), []string{"replay --perturb delay=25h"}},
		"another address": {mapfile.Field{Judgement: mapfile.WouldMove, Category: mapfile.Env, Of: 3000, Bound: 0.001, Evidence: []string{"holds-host"}},
			runsOf(5, exchange.StartReset), []string{"replay --target URL"}},
		"looks random":                      {hint("looks:uuid"), runsOf(5, exchange.StartReset), []string{"replay --perturb double"}},
		"looks a date":                      {hint("looks:date"), runsOf(5, exchange.StartReset, "double"), []string{"replay --perturb delay=25h"}},
		"a name that begins as a time does": {hint("looks:timezone"), runsOf(5, exchange.StartReset), nil},
		"a bound":                           {still, runsOf(10, exchange.StartReset), []string{"replay --runs 49", "replay --runs 289"}},
		"10 answers a run, of which 2 runs": {mapfile.Field{Judgement: mapfile.Stable, Of: 20, Bound: 0.1391}, runsOf(2, exchange.StartReset),
			[]string{"replay --runs 4", "replay --runs 28"}},
	} {
		var got []string
		for _, e := range experiments(&c.f, c.runs) {
			got = append(got, strings.TrimPrefix(e.Try, "flaketap "))
			if e.Tells == "" {
				t.Errorf("%s: %s tells nothing", name, e.Try)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

// TestObservations: so many observations without a change bring the bound to the chance, and one less does not.
func TestObservations(t *testing.T) {
	for _, bound := range []float64{0.5, 0.1, 0.05, 0.01, 0.001} {
		n := observations(bound)
		reached := func(n int) bool { return 1-math.Pow(0.05, 1/float64(n)) <= bound+1e-12 }
		if !reached(n) || reached(n-1) {
			t.Errorf("%v: %d observations", bound, n)
		}
	}
}

// TestPooledIsTold: a bound that rests on several operations is told so where it is shown, and not where it is one's own.
func TestPooledIsTold(t *testing.T) {
	for pooled, want := range map[int]bool{0: false, 8: true} {
		f := &mapfile.Field{Place: "/header/server", Judgement: mapfile.Stable, Of: 10, Bound: 0.0368, Pooled: pooled}
		op := &mapfile.Operation{Operation: exchange.Operation{Method: "GET", Template: "/a"}, Status: 200, Exchanges: 4, Fields: []*mapfile.Field{f}}
		m := &mapfile.Map{Operations: []*mapfile.Operation{op}}
		var why, doc, text bytes.Buffer
		w := NewWhy(op, f, runsOf(2, exchange.StartReset))
		if err := errors.Join(w.Text(&why), json.NewEncoder(&doc).Encode(w), Text(&text, Input{Map: m})); err != nil {
			t.Fatal(err)
		}
		for form, c := range map[string]struct{ got, says string }{
			"the explanation": {why.String(), "below 3.7 % (95 % confidence, pooled over 8 operations)"},
			"its reasons":     {why.String(), "there is no evidence that it moves; the chance is below 3.7 % (95 % confidence, pooled over 8 operations)"},
			"its JSON":        {doc.String(), `"pooled":8`},
			"the text":        {strings.Join(strings.Fields(text.String()), " "), "The bounds of 1 place that never moved are pooled: each rests on several operations"},
		} {
			if strings.Contains(c.got, c.says) != want {
				t.Errorf("pooled over %d, %s: %q is there: %v\n%s", pooled, form, c.says, !want, c.got)
			}
		}
	}
}

func TestWhyReasons(t *testing.T) {
	f := &mapfile.Field{Place: "/body/a", Judgement: mapfile.Jitter, Category: mapfile.Time, Changed: 2, Of: 4, Bound: 0.9, Evidence: []string{"moved:2/4", "follows-clock"},
		Explanations: []mapfile.Explanation{{Category: mapfile.Time, Weight: 0.7, Evidence: []string{"follows-clock"}}, {Category: mapfile.Rand, Weight: 0.3, Evidence: []string{"shape:random-within"}}},
		Rule:         &mapfile.Ruling{Kind: mapfile.Force, Because: "of\x1b[31m this", Judgement: mapfile.Jitter, Category: mapfile.Time}}
	op := &mapfile.Operation{Operation: exchange.Operation{Method: "GET", Template: "/a"}, Status: 200, Exchanges: 4, Fields: []*mapfile.Field{f}}
	w := NewWhy(op, f, runsOf(2, exchange.StartReset))
	w.ByRun = []WhyRun{{Run: 1, Moved: 2, Of: 2}, {Run: 2, Of: 0}}
	var b bytes.Buffer
	if err := w.Text(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"  it differed from the recorded value in 2 of 4 observations, in 2 runs\n",
		"  its category is Time (the value follows the clock): the value changed by as much as time passed",
		"  Rand would explain it too (the value is another with every send; weight 0.30): what varies within the text is random letters and digits\n",
		`  a rule forces it: it is judged volatile, whatever the runs show; because of\u001b[31m this` + "\n",
		"  without the rule it would be judged jitter, Time\n",
		"  run 1, replayed, after a reset  moved in 2 of 2 answers\n",
		"  run 2, replayed, after a reset  no answer with the recorded status\n",
		"  flaketap replay --perturb double\n      Time from Rand: ",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if got := fmt.Sprint(w.Explained); !strings.Contains(got, "{Rand 0.3 the value is another with every send") {
		t.Error(got)
	}
	if slices.Contains(reasoning(&mapfile.Field{Judgement: mapfile.Stable, Protocol: true}, nil), "") {
		t.Error("an empty sentence")
	}
}
