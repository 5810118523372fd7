package portapi

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

// TestTruth proves the truth file under its default conditions: a recording of an API that an earlier client used, then
// many runs, each after a reset, the clock going on by less than a minute in all, the client pausing as recorded or not
// at all.
func TestTruth(t *testing.T) {
	runs := map[uint64]int{2: 13, 3: 12, 5: 12}
	if testing.Short() {
		runs = map[uint64]int{3: 12}
	}
	labels := loadTruth(t)
	for seed, n := range runs {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			clock := proving.NewClock(monday, seed)
			// Rare is one in three here, so that a recording of three rounds has each kind of answer; what is rarer than
			// ten runs show never happens.
			api := New(Dials{Seed: seed, Clock: clock.Read, RareChance: 1.0 / 3, SeldomChance: -1})
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

// TestSeldom proves of what is rarer than ten runs show that it moves where they are many.
func TestSeldom(t *testing.T) {
	clock := proving.NewClock(monday, 1)
	api := New(Dials{Seed: 1, Clock: clock.Read, SeldomChance: 0.5})
	p := proving.Begin(t, loadTruth(t), play(t, api, 80, 1, clock, 1))
	for range 6 {
		proving.Reset(t, api)
		proving.Hold(t, p, play(t, api, 80, 1, clock, 0))
	}
	n := 0
	for _, f := range p.Findings() {
		if f.Label.Needs == truth.NeedRepeats {
			if n++; f.Moved == nil {
				t.Errorf("%v did not move", f)
			}
		}
	}
	if n != 3 {
		t.Errorf("%d labels need repetition, want 3", n)
	}
}

// byClock lists the places that are no reading of the clock and move with it: what the cache holds is drawn anew when
// the clock says so.
func byClock() []exchange.Place {
	return []exchange.Place{
		"/body/rates/rate_id", "/body/rates/eur_usd", "/header/x-rates-tag",
		// tokens, cookies and digests of tokens that hold the time of their making, ids with time in front, signed links
		"/body/access_token", "/body/fingerprint", "/body/note", "/header/set-cookie",
		"/body/object_id", "/body/download",
	}
}

// byMachine lists the places that are drawn or counted and have a part of the machine in front.
func byMachine() []exchange.Place { return []exchange.Place{"/body/plan_file", "/body/links/self"} }

// TestCategories proves the categories by experiment: where one thing alone changes, all moves that has a category
// which follows from it, and nothing else. What is left, and moves in TestTruth, is State.
func TestCategories(t *testing.T) {
	once := func(clock *proving.Clock, seed uint64, port int, machine Environment, pace float64) []truth.Seen {
		d := Dials{Fresh: true, RareChance: 0.5, SeldomChance: -1, LagChance: 0.5, Clock: clock.Read, Seed: seed,
			Environment: machine}
		return play(t, New(d), port, 2, clock, pace)
	}
	// A session does not last as long as the whole seconds that an uptime counts; the experiment may last minutes.
	exempt := func(l truth.Label) bool {
		return l.Needs == truth.NeedMinutes || l.Place == "/body/uptime_s" || l.Place == "/body/uptime_text"
	}
	needs := func(l truth.Label) bool { return l.Needs != "" && l.Needs != truth.NeedElsewhere }
	for _, x := range proving.Experiments(monday, byClock(), byMachine()) {
		t.Run(x.Name, func(t *testing.T) { x.Check(t, loadTruth(t), once, exempt, needs) })
	}
}

// TestNeeds proves of each place that needs another time that it moves then, and not before.
func TestNeeds(t *testing.T) {
	const day, later = 24 * time.Hour, 7 * time.Minute
	for _, x := range []struct {
		need   truth.Need
		offset time.Duration
		also   []truth.Need
	}{
		{"", time.Second, nil},
		{truth.NeedMinutes, later, nil},
		{truth.NeedHours, 6*time.Hour + later, []truth.Need{truth.NeedMinutes}},
		{truth.NeedMidnight, day + later, []truth.Need{truth.NeedMinutes}},
		{truth.NeedWeekend, 5*day + later, []truth.Need{truth.NeedMinutes, truth.NeedMidnight}},
		{truth.NeedWeek, 8*day + later, []truth.Need{truth.NeedMinutes, truth.NeedMidnight}},
		{truth.NeedMonthEnd, 15*day + later, []truth.Need{truth.NeedMinutes, truth.NeedMidnight, truth.NeedWeek}},
		{truth.NeedMonth, 32*day + later, []truth.Need{truth.NeedMinutes, truth.NeedMidnight, truth.NeedWeek}},
		{truth.NeedYear, 400*day + later, []truth.Need{truth.NeedMinutes, truth.NeedMidnight, truth.NeedWeek, truth.NeedMonth}},
	} {
		t.Run(x.offset.String(), func(t *testing.T) {
			clock := proving.NewClock(monday, 1)
			// The answers that are rare are as many as the others, so that each kind is seen.
			api := New(Dials{Seed: 1, Clock: clock.Read, Fresh: true, RareChance: 0.5, SeldomChance: -1})
			p := proving.Begin(t, loadTruth(t), play(t, api, 80, 2, clock, 1))
			if w := proving.Ask(api, "PUT", "/admin/dials", fmt.Sprintf(`{"clockOffset":%q}`, x.offset)); w.Code != 200 {
				t.Fatalf("set dials: %d %s", w.Code, w.Body)
			}
			for range 3 {
				proving.Reset(t, api)
				proving.Hold(t, p, play(t, api, 80, 2, clock, 0))
			}
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

// TestReset proves what a reset clears, what outlives it, and that it finds what an earlier client left.
func TestReset(t *testing.T) {
	api := New(Dials{Seed: 4})
	count := func() []int64 {
		status := gjson.ParseBytes(proving.Ask(api, "GET", "/status", "").Body.Bytes())
		berths := gjson.ParseBytes(proving.Ask(api, "GET", "/berths", "").Body.Bytes())
		bookings := gjson.ParseBytes(proving.Ask(api, "GET", "/bookings", "").Body.Bytes())
		quota := gjson.ParseBytes(proving.Ask(api, "GET", "/quota", "").Body.Bytes())
		return []int64{status.Get("requests_since_reset").Int(), status.Get("requests").Int(), berths.Get("occupied").Int(),
			bookings.Get("total").Int(), quota.Get("remaining").Int()}
	}
	login := proving.Ask(api, "POST", "/auth/token", officeLogin)
	cookie := strings.SplitN(login.Header().Get("Set-Cookie"), ";", 2)[0]
	before := count()
	proving.Reset(t, api)
	if diff := cmp.Diff([][]int64{{613, 918275, 5, 2, 1}, {1, 918279, 2, 0, 5}}, [][]int64{before, count()}); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
	if w := proving.Ask(api, "GET", "/auth/session", "", "Cookie", cookie); w.Code != 401 {
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
	if total < 800 || len(labels.Operations) < 50 {
		t.Errorf("%d places of %d operations are labelled, want 800 of 50", total, len(labels.Operations))
	}
	t.Logf("%d labelled places of %d operations, beside those of every operation: %v", total, len(labels.Operations), counted)
}
