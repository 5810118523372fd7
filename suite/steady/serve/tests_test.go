package serve

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/suite/steady"
	"github.com/flaketap/flaketap/suite/verify"
	"github.com/flaketap/flaketap/waits/settle"
)

// begun is when the runner of these tests began.
var begun = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

const ms = time.Millisecond

// execution is a test that ran so long, from a time after the runner's beginning on; slack is how much later that may
// have been, 0 where it is known.
func execution(name string, from, took, slack time.Duration) results.Detailed {
	start := begun.Add(from)
	return results.Detailed{Result: results.Result{Suite: "jobs", Name: name, Outcome: results.Pass, Duration: took},
		Start: start, End: start.Add(took + slack), Rough: slack > 0}
}

// heldAt is a read that was held so long, from a time after the runner's beginning on.
func heldAt(from, took time.Duration) held {
	return held{Awaited: steady.Awaited{Oracle: &settle.Oracle{}, Operation: exchange.Operation{Method: "GET", Template: "/jobs/{id}"}, Seq: 3},
		outcome: ready, begun: begun.Add(from), took: took}
}

// A held read is told to be of the test that ran meanwhile, and took long enough; where several may be meant, no more is
// told than is known.
func TestHeldTest(t *testing.T) {
	marked := heldAt(10*ms, 200*ms)
	marked.sequence = "its own name"
	roughly := func(slack time.Duration) []results.Detailed {
		return []results.Detailed{execution("a", 0, 230*ms, slack), execution("fast", 230*ms, 5*ms, slack), execution("b", 235*ms, 225*ms, slack)}
	}
	for _, tt := range []struct {
		name string
		ran  []results.Detailed
		read held
		want string // behind the operation
	}{
		{"exactly", []results.Detailed{execution("a", 0, 300*ms, 0), execution("b", 300*ms, 300*ms, 0)}, heldAt(310*ms, 280*ms), " of test jobs › b"},
		{"at both ends a little off", []results.Detailed{execution("a", 0, 300*ms, 0)}, heldAt(-15*ms, 305*ms), " of test jobs › a"},
		{"in the order of their ends", []results.Detailed{execution("b", 300*ms, 300*ms, 0), execution("a", 0, 300*ms, 0)}, heldAt(10*ms, 280*ms), " of test jobs › a"},
		{"before all", roughly(40 * ms), heldAt(-100*ms, 50*ms), ""},
		{"behind all", roughly(40 * ms), heldAt(600*ms, 50*ms), ""},
		{"longer than any", roughly(40 * ms), heldAt(0, 260*ms), ""},
		{"across two", roughly(40 * ms), heldAt(140*ms, 200*ms), ""},
		{"roughly, the first", roughly(40 * ms), heldAt(45*ms, 210*ms), " of test jobs › a"},
		{"roughly, not the fast one", roughly(40 * ms), heldAt(285*ms, 200*ms), " of test jobs › b"},
		{"after much loading", roughly(500 * ms), heldAt(510*ms, 210*ms), " most likely of test jobs › a"},
		{"after much loading, the last", roughly(500 * ms), heldAt(740*ms, 210*ms), " of test jobs › b"},
		{"who knows when", roughly(2 * time.Second), heldAt(1500*ms, 210*ms), " of test jobs › a or jobs › b"},
		{"at once", []results.Detailed{execution("a", 0, 300*ms, 0), execution("b", 0, 300*ms, 0)}, heldAt(10*ms, 280*ms), " of test jobs › a or jobs › b"},
		{"at once, within a while", []results.Detailed{execution("a", 0, 900*ms, 300*ms), execution("b", 0, 800*ms, 400*ms)}, heldAt(310*ms, 280*ms), " of test jobs › a or jobs › b"},
		{"many at once", []results.Detailed{execution("a", 0, 300*ms, 0), execution("b", 0, 300*ms, 0), execution("c", 0, 300*ms, 0), execution("d", 0, 300*ms, 0)},
			heldAt(10*ms, 280*ms), " of one of 4 tests"},
		{"marked", roughly(40 * ms), marked, " of test its own name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all := []held{tt.read}
			tie(all, tt.ran)
			got, _, _ := strings.Cut(strings.TrimPrefix(shower{}.heldText(all[0]), "GET /jobs/{id}"), " (exchange 3): ")
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Results without times are those of tests that ran one after the other until their file was written; of another run's
// nothing is told, and others are left as they are.
func TestDated(t *testing.T) {
	at := func(from time.Duration) time.Time { return begun.Add(from) }
	bare := func(name string, took time.Duration) results.Detailed {
		return results.Detailed{Result: results.Result{Suite: "jobs", Name: name, Outcome: results.Pass, Duration: took}}
	}
	left := func(written time.Duration, all ...results.Detailed) []results.Detailed {
		return verify.Left{Written: at(written), Results: all}.Dated(at(-100 * ms))
	}
	all := slices.Concat(left(900*ms, bare("a", 300*ms), bare("b", 290*ms), bare("fast", 10*ms)),
		left(400*ms, bare("of another run", 600*ms)), left(time.Hour, execution("known", 2*time.Second, 300*ms, 0)))
	for from, want := range map[time.Duration]string{0: " of test jobs › a or jobs › b", 350 * ms: " of test jobs › b", 2010 * ms: " of test jobs › known", 4 * time.Second: ""} {
		reads := []held{heldAt(from, 280*ms)}
		tie(reads, all)
		if got := (shower{}).ofTest(reads[0]); got != want {
			t.Errorf("a read at %s is told%q, want%q", from, got, want)
		}
	}
}

// The summary names the tests that passed with reads that were held until they were ready, the one that was held longest
// first, and says of the other reads what would tell.
func TestHeldTestsAreTold(t *testing.T) {
	vain := heldAt(1000*ms, 100*ms)
	vain.outcome = capped
	all := []held{heldAt(10*ms, 100*ms), heldAt(310*ms, 80*ms), heldAt(400*ms, 90*ms), heldAt(610*ms, 70*ms), vain, heldAt(5000*ms, 60*ms)}
	failed := execution("failed", 600*ms, 300*ms, 0)
	failed.Outcome = results.Fail
	tie(all, []results.Detailed{execution("one", 0, 300*ms, 0), execution("two", 300*ms, 300*ms, 0), failed, execution("vain", 950*ms, 300*ms, 0)})
	var b bytes.Buffer
	o := told(&b)
	shower{}.sayTests(o.Console, append(all[:4:4], all[5]))
	sayUntied(o.Console, all, true)
	sayUntied(o.Console, all, false)
	const want = "flaketap: 2 tests passed with what flaketap held:\nflaketap:   jobs › two: 2 reads, 170ms\nflaketap:   jobs › one: 1 read, 100ms\n" +
		"flaketap: no test ran, by the results, while 1 read was held\n" +
		"flaketap: which test asked is not known of 1 read; --results FILE names the results that the test runner leaves, which tell\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// Of results that cannot be read, no more is told than that.
func TestResultsThatAreMissing(t *testing.T) {
	var b bytes.Buffer
	o := told(&b)
	o.Results = []string{filepath.Join(t.TempDir(), "left.xml")}
	shower{}.sayHeld(o, &holder{held: []held{heldAt(0, 100*ms)}})
	if out := b.String(); !strings.Contains(out, "flaketap: read results: ") || strings.Contains(out, "no test ran") || strings.Contains(out, "which test asked") {
		t.Error(out)
	}
}
