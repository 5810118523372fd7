package stabilize

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/flaketap/flaketap/suite/mend"
	"github.com/flaketap/flaketap/suite/results"
)

// roundOf is a round of one run: the tests that passed in it, and those that failed.
func roundOf(number int, from *round, passed, failed []string) *round {
	r := &round{number: number, from: from}
	x := execution{}
	for _, name := range passed {
		x.Results = append(x.Results, results.Result{Name: name, Outcome: results.Pass})
	}
	for _, name := range failed {
		x.Results = append(x.Results, results.Result{Name: name, Outcome: results.Fail})
		x.Status = 1
	}
	r.runs = []execution{x}
	return r
}

// behind adds a test that passed behind the others, "SUITE NAME" for one of another group.
func behind(r *round, test string) *round {
	one := results.Result{Name: test, Outcome: results.Pass}
	if group, name, ok := strings.Cut(test, " "); ok {
		one.Suite, one.Name = group, name
	}
	r.runs[0].Results = append(r.runs[0].Results, one)
	return r
}

// named are tests as their runner names them.
func named(names ...string) (ids []results.ID) {
	for _, name := range names {
		ids = append(ids, results.ID{Name: name})
	}
	return ids
}

// giving is a patch that gave tests set-ups, some of which leave something behind.
func giving(t *testing.T, tests ...string) *patching {
	t.Helper()
	type change struct {
		Test   string   `json:"test"`
		Kind   string   `json:"kind"`
		Leaves []string `json:"leaves,omitempty"`
	}
	var all []change
	for _, test := range tests {
		test, leaves := strings.CutSuffix(test, " leaving")
		one := change{test, "grafted", nil}
		if leaves {
			one.Leaves = []string{"/items/7"}
		}
		all = append(all, one)
	}
	data, err := json.Marshal(map[string]any{"files": []any{map[string]any{"changes": all}}})
	if err != nil {
		t.Fatal(err)
	}
	return &patching{Report: data, Changed: true}
}

// Where set-ups that are for other orders make tests fail in the suite's own, its form before is patched again, without
// those.
func TestBase(t *testing.T) {
	holds := roundOf(2, roundOf(1, nil, nil, []string{"a"}), []string{"a", "b", "c"}, nil)
	holds.turned = []turned{{runs: roundOf(2, nil, []string{"a"}, []string{"b", "c"}).runs}}
	for _, tc := range []struct {
		name     string
		next     *round
		withheld []results.ID // before
		from     *round
		want     []results.ID
		given    []string // none: b and c
		looked   []string // before
		look     []results.ID
	}{
		{"one of them fails", roundOf(3, holds, []string{"a", "c"}, []string{"b"}), nil, holds, named("b"), nil, nil, nil},
		{"another does", roundOf(3, holds, []string{"b", "c"}, []string{"a"}), nil, holds, named("c"), nil, nil, nil},
		{"another does, and one leaves something behind", roundOf(3, holds, []string{"b", "c"}, []string{"a"}), nil, holds, nil,
			[]string{"b", "c leaving"}, nil, named("c")},
		{"one does, and one leaves something behind", roundOf(3, holds, []string{"a", "c"}, []string{"b"}), nil, holds, nil,
			[]string{"b", "c leaving"}, nil, named("c")},
		{"that has nowhere to look", roundOf(3, holds, []string{"b", "c"}, []string{"a"}), nil, holds, named("c"),
			[]string{"b", "c leaving"}, []string{"c"}, named("c")},
		{"one stands behind what fails", behind(roundOf(3, holds, []string{"b"}, []string{"a"}), "c"), nil, holds, named("b"),
			[]string{"b leaving", "c leaving"}, []string{"b"}, named("b")},
		{"another group may be before", behind(roundOf(3, holds, []string{"b"}, []string{"a"}), "X c"), nil, holds, nil,
			[]string{"b leaving", "X c leaving"}, []string{"b"}, named("b", "X c")},
		{"all that leaves something is behind", behind(roundOf(3, holds, []string{"b"}, []string{"a"}), "c"), nil, holds, named("c"),
			[]string{"b", "c leaving"}, nil, nil},
		{"what was withheld stays so", roundOf(4, holds, []string{"a", "b"}, []string{"c"}), named("x"), holds, named("x", "c"), nil, nil, nil},
		{"none was given one", roundOf(3, holds, []string{"a", "c"}, []string{"b"}), named("x"), nil, named("x"), []string{}, nil, nil},
		{"all hold", roundOf(3, holds, []string{"a", "b", "c"}, nil), named("x"), nil, named("x"), nil, nil, nil},
		{"it holds in no order", roundOf(2, holds.from, nil, []string{"a"}), nil, nil, nil, nil, nil, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.given == nil {
				tc.given = []string{"b", "c"}
			}
			tc.next.by = giving(t, tc.given...)
			tc.next.restraint = mend.Restraint{Withhold: tc.withheld, LookFirst: named(tc.looked...)}
			from, restraint := tc.next.base()
			if tc.from == nil {
				tc.from = tc.next
			}
			want := mend.Restraint{Withhold: tc.want, LookFirst: tc.look}
			if diff := cmp.Diff(want, restraint, cmpopts.EquateEmpty()); diff != "" || from != tc.from {
				t.Errorf("from round %d, want %d; %s", from.number, tc.from.number, diff)
			}
		})
	}
}

// Set-ups that are withheld in vain are given again: the same tests fail without them. Others are to blame then, and
// where none of them is by itself, all together are.
func TestBlamed(t *testing.T) {
	holds := roundOf(2, roundOf(1, nil, nil, []string{"a"}), []string{"a", "b", "c", "d"}, nil)
	holds.turned = []turned{{runs: roundOf(2, nil, []string{"a"}, []string{"b"}).runs}}
	of := func(number int, after *round, passed, failed []string, given ...string) *round {
		r := roundOf(number, holds, passed, failed)
		r.after, r.by = after, giving(t, given...)
		if after != holds {
			_, r.restraint = after.base()
		}
		return r
	}
	expect := func(r *round, withhold, look []results.ID) {
		t.Helper()
		_, got := r.base()
		if diff := cmp.Diff(mend.Restraint{Withhold: withhold, LookFirst: look}, got, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	}
	abd := []string{"a", "b", "d"}
	first := of(3, holds, abd, []string{"c"}, "b leaving", "c", "d")
	expect(first, nil, named("b"))
	looked := of(4, first, abd, []string{"c"}, "b leaving", "c", "d")
	expect(looked, named("b"), named("b"))
	helped := of(5, looked, []string{"a", "b", "c"}, []string{"d"}, "c", "d")
	expect(helped, named("b", "d"), named("b"))
	vain := of(5, looked, abd, []string{"c"}, "c", "d")
	expect(vain, named("c"), named("b"))
	again := of(6, vain, abd, []string{"c"}, "a", "b leaving", "d")
	expect(again, named("b", "d"), named("b")) // the later half
	half := of(7, again, abd, []string{"c"}, "a")
	expect(half, named("a"), named("b"))
	rest := of(8, half, abd, []string{"c"}, "b leaving", "d")
	expect(rest, named("a", "b", "d"), named("b"))
	other := of(6, vain, []string{"a", "b", "c"}, []string{"d"}, "a", "b leaving", "d")
	expect(other, named("c", "d"), named("b"))
}

// The result is the last form that holds, or the one of which the least fails; what a form that broke off did not come
// to counts as failing.
func TestBest(t *testing.T) {
	abc, failing := []string{"a", "b", "c"}, []string{"a"}
	for name, tc := range map[string]struct {
		rounds []*round
		want   int
	}{
		"the last holds":                {[]*round{roundOf(1, nil, nil, abc), roundOf(2, nil, abc, nil), roundOf(3, nil, abc, nil)}, 3},
		"one before holds":              {[]*round{roundOf(1, nil, nil, abc), roundOf(2, nil, abc, nil), roundOf(3, nil, abc[1:], failing)}, 2},
		"none holds, the last is best":  {[]*round{roundOf(1, nil, nil, abc), roundOf(2, nil, abc[1:], failing)}, 2},
		"none holds, one before is":     {[]*round{roundOf(1, nil, abc[1:], failing), roundOf(2, nil, nil, abc)}, 1},
		"the last breaks off":           {[]*round{roundOf(1, nil, abc[1:], failing), roundOf(2, nil, []string{"b"}, nil)}, 1},
		"as good, the last counts":      {[]*round{roundOf(1, nil, abc[1:], failing), roundOf(2, nil, abc[:2], []string{"c"})}, 2},
		"there is no other than itself": {[]*round{roundOf(1, nil, nil, abc)}, 1},
	} {
		if got := (&session{rounds: tc.rounds}).best(); got.number != tc.want {
			t.Errorf("%s: round %d, want %d", name, got.number, tc.want)
		}
	}
}

// The line of a round leaves out those that led elsewhere.
func TestLine(t *testing.T) {
	one := roundOf(1, nil, nil, nil)
	two := roundOf(2, one, nil, nil)
	four := roundOf(4, two, nil, nil)
	var got []int
	for _, r := range four.line() {
		got = append(got, r.number)
	}
	if diff := cmp.Diff([]int{1, 2, 4}, got); diff != "" {
		t.Error(diff)
	}
}
