package verify

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/suite/mutant"
	"github.com/flaketap/flaketap/suite/results"
)

// tossing is a Runner of a suite of two tests: "strict" fails where the answer is not what the API gives, "coin" in some
// runs, whatever the answer. It asks for as many places as faults are to be planted in.
type tossing struct {
	body  string
	fails func(run string) bool // the coin, by the name of the run
	out   func(run string) bool // whether the run is cut off
	ran   []string
	stop  func(run string) // is called before each run
	runs  int              // without a fault, before the others; 0: two
}

func (c *tossing) Run(ctx context.Context, x Execution) (Outcome, error) {
	c.ran = append(c.ran, x.Name)
	if c.stop != nil {
		c.stop(x.Name)
	}
	if ctx.Err() != nil {
		return Outcome{}, ctx.Err()
	}
	e := said("/a/1", c.body)
	if x.Recorder != nil {
		if err := x.Recorder.Record(e); err != nil {
			return Outcome{}, err
		}
	}
	strict, coin := results.Result{Name: "strict", Outcome: results.Pass}, results.Result{Name: "coin", Outcome: results.Pass}
	if x.Rewriter != nil && x.Rewriter.Response(e) != nil && x.Suite.Arg == "strict" {
		strict.Outcome = results.Fail
	}
	if c.fails != nil && c.fails(x.Name) {
		coin.Outcome = results.Fail
	}
	return Outcome{Results: []results.Result{strict, coin}, TimedOut: c.out != nil && c.out(x.Name)}, nil
}

// verified plants faults in so many places of an answer to one suite.
func (c *tossing) verified(ctx context.Context, t *testing.T, suite string, places int) (*Verification, string) {
	t.Helper()
	var members []string
	for i := range places {
		members = append(members, fmt.Sprintf(`"m%d":%d`, i, 10+i))
	}
	c.body = "{" + strings.Join(members, ",") + "}"
	o := options(suite)
	o.Runs = cmp.Or(c.runs, o.Runs)
	o.Faults.Kinds, o.Faults.Most = []mutant.Kind{mutant.Change}, places
	var talk bytes.Buffer
	v, err := Run(ctx, o, []Runner{c}, &console.Console{Err: &talk})
	if err != nil {
		t.Fatal(err)
	}
	if len(v.mutants) != places && v.Interrupted() == nil {
		t.Fatalf("%d mutants", len(v.mutants))
	}
	return v, talk.String()
}

// told are the tests that tell each fault, and the number of those that failed by chance.
func told(v *Verification) string {
	var out []string
	for _, of := range v.verdicts(0) {
		var names []string
		for _, id := range of.by {
			names = append(names, id.Name)
		}
		out = append(out, fmt.Sprintf("%s/%d", strings.Join(names, "+"), len(of.chance)))
	}
	return strings.Join(out, " ")
}

// A fault is told by the tests that fail of it twice. What fails once only is not counted, and what kills nothing else
// costs no further run; a fault that nobody tells has one run.
func TestToldTwice(t *testing.T) {
	c := &tossing{fails: func(run string) bool { return run == "1-mutant-002" || run == "1-mutant-003-again" }}
	v, _ := c.verified(t.Context(), t, "strict", 3)
	if got := told(v); got != "strict/0 strict/1 strict/1" || len(c.ran) != 2+6 {
		t.Errorf("told: %s, in %d runs", got, len(c.ran))
	}
	c = &tossing{fails: c.fails}
	v, talk := c.verified(t.Context(), t, "lax", 3)
	if got := told(v); got != "/0 /1 /0" || len(c.ran) != 2+4 || v.Told().Killed[0] != 0 {
		t.Errorf("told: %s, in %d runs", got, len(c.ran))
	}
	if strings.Count(talk, ": survived (1 test failed by chance)\n") != 1 {
		t.Errorf("it says\n%s", talk)
	}
}

// A test that told one fault twice and another once is run without a fault as often as it takes to see it fail there.
// Where it does, it has told nothing; where it does not, it has.
func TestFurtherRuns(t *testing.T) {
	const places = 12 // of which the coin "tells" the first and the third, and fails once with the second
	for _, flaky := range []bool{true, false} {
		c := &tossing{fails: func(run string) bool {
			return slices.Contains([]string{"1-mutant-001", "1-mutant-001-again", "1-mutant-002", "1-mutant-003", "1-mutant-003-again"}, run) ||
				flaky && run == "1-further-007"
		}}
		v, talk := c.verified(t.Context(), t, "lax", places)
		want, killed := "coin/0 /1 coin/0", 2
		if flaky {
			want, killed = "/1 /1 /1", 0
		}
		want += strings.Repeat(" /0", places-3)
		// The coin fell once in 15 runs: more than 15 would be needed, which are the most.
		if got := told(v); got != want || v.Told().Killed[0] != killed || len(c.ran) != 2+places+3+15 {
			t.Errorf("told: %s, in %d runs: %q", got, len(c.ran), c.ran)
		}
		if v.Flaky() || v.suites[0].rates.Executions != 2 {
			t.Errorf("the further runs are counted among those that were asked for: %+v", v.suites[0].rates)
		}
		for _, want := range []string{"15 further runs without one", "further run 15 of 15, lax: 2 tests"} {
			if !strings.Contains(talk, want) {
				t.Errorf("%q is not said:\n%s", want, talk)
			}
		}
	}
}

// How often a test failed by chance says how many runs show it.
func TestEnough(t *testing.T) {
	a, b := results.ID{Name: "a"}, results.ID{Name: "b"}
	of := func(n int, v verdict) []*verdict { return slices.Repeat([]*verdict{&v}, n) }
	for want, all := range map[int][]*verdict{
		0:  slices.Concat(of(50, verdict{runs: 2, by: []results.ID{a}}), of(9, verdict{runs: 2, chance: []results.ID{b}})),  // b kills nothing
		29: slices.Concat(of(10, verdict{runs: 2, chance: []results.ID{a}}), of(80, verdict{runs: 1, by: []results.ID{a}})), // one in ten
		9:  slices.Concat(of(8, verdict{runs: 2, chance: []results.ID{a}}), of(1, verdict{runs: 12, by: []results.ID{a}})),  // two in seven
		50: slices.Concat(of(1, verdict{runs: 2, chance: []results.ID{a}}), of(48, verdict{runs: 1, by: []results.ID{a}})),  // no more than there were
	} {
		if got := enough(all); got != want {
			t.Errorf("%d runs are enough, want %d", got, want)
		}
	}
}

// A run that is cut off with a fault tells it where it is cut off again.
func TestCutOffTwice(t *testing.T) {
	c := &tossing{out: func(run string) bool {
		return run == "1-mutant-001" || run == "1-mutant-002" || run == "1-mutant-002-again"
	}}
	v, _ := c.verified(t.Context(), t, "lax", 3)
	if all := v.verdicts(0); all[0].killed() || !all[1].killed() || all[2].killed() {
		t.Errorf("killed: %v", all)
	}
}

// A variant is told twice, too.
func TestVariantsToldTwice(t *testing.T) {
	for again, want := range map[string]bool{"": false, "1-variant-001-again": true} {
		c := &tossing{body: `{"n":1}`, fails: func(run string) bool { return run == "1-variant-001" || run == again }}
		o := options("lax")
		o.Faults.Kinds, o.Variants = nil, []Variant{{Name: "off", API: &service.Service{}}}
		v, err := Run(t.Context(), o, []Runner{c}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := v.verdicts(0)[0].killed(); got != want || len(c.ran) != 4 {
			t.Errorf("again %q: killed %t in %q", again, got, c.ran)
		}
	}
}

// Interrupted among the further runs, it says how many there were; what is known by then stays.
func TestFurtherRunsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := &tossing{
		fails: func(run string) bool {
			return strings.HasPrefix(run, "1-mutant-001") || run == "1-mutant-002" || run == "1-further-001"
		},
		stop: func(run string) {
			if run == "1-further-002" {
				cancel()
			}
		},
	}
	v, _ := c.verified(ctx, t, "lax", 6)
	if err := v.Interrupted(); err == nil || err.Error() != "interrupted: 6 of 6 mutants were planted, 1 of 8 further runs were made without a fault" {
		t.Error(err)
	}
	if got := told(v); got != "/1 /1 /0 /0 /0 /0" {
		t.Errorf("told: %s", got)
	}
}

// TestEvalChance says how many faults a test is said to tell that tells none, and fails in a share of its runs: of 60
// faults, behind 10 runs without, in 300 verifications, of which those count in whose 10 runs it passed. Beside it
// stands what one run of each fault would say, and what it costs.
func TestEvalChance(t *testing.T) {
	const places, verifications = 60, 300
	for _, share := range []float64{0.02, 0.05, 0.1, 0.2, 0.3} {
		random := rand.New(rand.NewPCG(1, uint64(1000*share)))
		once, twice, runs, of := 0, 0, 0, 0
		for range verifications {
			fell := map[string]bool{}
			c := &tossing{fails: func(run string) bool {
				fell[run] = random.Float64() < share
				return fell[run]
			}, runs: 10}
			v, _ := c.verified(t.Context(), t, "lax", places)
			if v.Flaky() {
				continue
			}
			of++
			for i := range places {
				if fell[fmt.Sprintf("1-mutant-%03d", i+1)] {
					once++
				}
			}
			twice += v.Told().Killed[0]
			runs += len(c.ran)
		}
		if of == 0 {
			t.Fatal("in each it failed before")
		}
		n := float64(of)
		t.Logf("a test that fails in %2.0f %% of its runs is said to tell %.2f of %d faults, by one run of each %.2f; %.1f runs for %d; %d verifications",
			100*share, float64(twice)/n, places, float64(once)/n, float64(runs)/n, places+10, of)
	}
}
