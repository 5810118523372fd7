package wardapi

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/proving"
	"github.com/flaketap/flaketap/internal/testbed/truth"
)

func loadTruth(t testing.TB) *truth.Truth {
	t.Helper()
	labels, err := LoadTruth()
	if err != nil {
		t.Fatal(err)
	}
	return &labels
}

// TestTruth proves the truth file under its default conditions: a recording of an API that an earlier client used,
// then many runs, each after a reset, the clock going on, the client pausing as recorded or not at all.
func TestTruth(t *testing.T) {
	runs := map[uint64]int{2: 24, 3: 12, 5: 12}
	if testing.Short() {
		runs = map[uint64]int{3: 10}
	}
	labels := loadTruth(t)
	for seed, n := range runs {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			clock := proving.NewClock(monday, seed)
			// Rare is one in six here, so that a recording of three rounds has each kind of answer.
			api := New(Dials{Seed: seed, Clock: clock.Read, RareChance: 1.0 / 6})
			p := proving.Begin(t, labels, play(t, api, 80, 3, clock, 1))
			for i := range n {
				clock.Advance(time.Second)
				proving.Reset(t, api)
				proving.Hold(t, p, play(t, api, 80, 3, clock, float64(i%2)))
				if t.Failed() {
					return
				}
			}
			for _, wrong := range p.Check() {
				t.Error(wrong)
			}
		})
	}
}

// withTime lists the places that are no reading of the clock and have one in a part: ids with time in front, digests
// and signatures of what has a time.
func withTime() []exchange.Place {
	return []exchange.Place{
		"/body/id", "/header/location", "/body/akte", "/body/patient", "/body/schluessel", "/body/probe_id", "/header/x-vorgang", "/body/ticket",
		"/body/signatur", "/header/etag", "/header/digest", "/body/spitze",
	}
}

// TestCategories proves the categories by experiment: where one thing alone changes, all moves that has a category
// which follows from it, and nothing else. What is left, and moves in TestTruth, is State.
func TestCategories(t *testing.T) {
	once := func(clock *proving.Clock, seed uint64, port int, machine Environment, pace float64) []truth.Seen {
		d := Dials{Fresh: true, RareChance: 0.5, LagChance: 0.5, Clock: clock.Read, Seed: seed, Environment: machine}
		return play(t, New(d), port, 2, clock, pace)
	}
	none := func(truth.Label) bool { return false }
	needs := func(l truth.Label) bool { return l.Needs != "" && l.Needs != truth.NeedElsewhere }
	for _, x := range proving.Experiments(monday, withTime(), nil) {
		t.Run(x.Name, func(t *testing.T) { x.Check(t, loadTruth(t), once, none, needs) })
	}
}

// TestNeeds proves of each place that needs another date or hour that it moves then, and not before.
func TestNeeds(t *testing.T) {
	for _, x := range []struct {
		need   truth.Need
		offset time.Duration
		also   []truth.Need
	}{
		{"", time.Minute, nil},
		{truth.NeedHours, 6 * time.Hour, nil},
		{truth.NeedMidnight, 24 * time.Hour, nil},
		{truth.NeedWeek, 8 * 24 * time.Hour, []truth.Need{truth.NeedMidnight}},
	} {
		t.Run(x.offset.String(), func(t *testing.T) {
			clock := proving.NewClock(monday, 1)
			api := New(Dials{Seed: 1, Clock: clock.Read, Fresh: true})
			p := proving.Begin(t, loadTruth(t), play(t, api, 80, 1, clock, 1))
			proving.Reset(t, api)
			if w := proving.Ask(api, "PUT", "/admin/dials", fmt.Sprintf(`{"clockOffset":%q}`, x.offset)); w.Code != 200 {
				t.Fatalf("set dials: %d %s", w.Code, w.Body)
			}
			proving.Hold(t, p, play(t, api, 80, 1, clock, 1))
			n := 0
			for _, f := range p.Findings() {
				need := f.Label.Needs
				must := need != "" && (need == x.need || slices.Contains(x.also, need))
				switch {
				case must && f.Moved == nil:
					t.Errorf("%v: needs %s, and did not move", f, need)
				case must:
					n++
				case need != "" && f.Moved != nil:
					t.Errorf("%v: needs %s, and moved: %v", f, need, f.Moved)
				}
			}
			if n == 0 && x.need != "" {
				t.Errorf("no label needs %s", x.need)
			}
		})
	}
}

// TestAges proves that what is computed from a birth date stays until the birthday.
func TestAges(t *testing.T) {
	born := time.Date(1984, 2, 29, 0, 0, 0, 0, time.UTC)
	for day, want := range map[string]int{"28.02.2026": 41, "01.03.2026": 42, "28.02.2027": 42, "29.02.2028": 44} {
		now, _ := time.Parse(germanDate, day)
		if got := age(born, now); got != want {
			t.Errorf("on %s: %d, want %d", day, got, want)
		}
	}
}

// TestReset proves what a reset clears, what outlives it, and that it finds what an earlier client left.
func TestReset(t *testing.T) {
	api := New(Dials{Seed: 4})
	count := func() []int64 {
		body := gjson.ParseBytes(proving.Ask(api, "GET", "/protokoll/zaehler", "").Body.Bytes())
		beds := gjson.ParseBytes(proving.Ask(api, "GET", "/stationen/ITS-1/betten", "").Body.Bytes())
		messages := gjson.ParseBytes(proving.Ask(api, "GET", "/nachrichten", "").Body.Bytes())
		return []int64{body.Get("seit_leerung").Int(), body.Get("insgesamt").Int(), body.Get("anmeldungen").Int(), beds.Get("belegt").Int(), messages.Get("ungelesen").Int()}
	}
	cookie := strings.SplitN(proving.Ask(api, "POST", "/anmeldung", nurseLogin).Header().Get("Set-Cookie"), ";", 2)[0]
	before := count()
	proving.Reset(t, api)
	if diff := cmp.Diff([][]int64{{419, 2, 24, 3, 2}, {1, 5, 0, 0, 0}}, [][]int64{before, count()}); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
	if w := proving.Ask(api, "GET", "/sitzung", "", "Cookie", cookie); w.Code != 401 {
		t.Errorf("a session outlived the reset: %d", w.Code)
	}
}

// TestTruthFile checks the form of the file, and that it labels enough.
func TestTruthFile(t *testing.T) {
	labels := loadTruth(t)
	for _, wrong := range labels.Validate() {
		t.Error(wrong)
	}
	total, counted := 0, labels.Count()
	for _, label := range []string{truth.Stable, "Time", "Rand", "Crypt", "Unord", "RunMsg", "State", "Env"} {
		if counted[label] == 0 {
			t.Errorf("no place is labelled %s", label)
		}
		total += counted[label]
	}
	if total < 250 || len(labels.Operations) < 40 {
		t.Errorf("%d places of %d operations are labelled, want 250 of 40", total, len(labels.Operations))
	}
	t.Logf("%d labelled places of %d operations, beside those of every operation: %v", total, len(labels.Operations), counted)
}
