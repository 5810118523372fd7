package build

import (
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/volatility"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// clockNotations are the ways in which an answer tells the time, as JSON.
var clockNotations = map[string]func(now time.Time) string{
	"RFC 3339":    func(t time.Time) string { return t.Format(`"2006-01-02T15:04:05Z07:00"`) },
	"nanoseconds": func(t time.Time) string { return t.Format(`"2006-01-02T15:04:05.999999999Z"`) },
	"an offset": func(t time.Time) string {
		return t.In(time.FixedZone("", 7*3600)).Format(`"2006-01-02T15:04:05-07:00"`)
	},
	"an offset without a colon": func(t time.Time) string { return t.In(time.FixedZone("", -9000)).Format(`"2006-01-02T15:04:05-0700"`) },
	"an offset of hours":        func(t time.Time) string { return t.In(time.FixedZone("", 7200)).Format(`"2006-01-02 15:04:05-07"`) },
	"a named zone": func(t time.Time) string {
		return t.In(time.FixedZone("", 3600)).Format(`"2006-01-02T15:04:05-07:00[Europe/Paris]"`)
	},
	"UTC after a blank":          func(t time.Time) string { return t.Format(`"2006-01-02 15:04:05 UTC"`) },
	"no zone":                    func(t time.Time) string { return t.Format(`"2006-01-02T15:04:05.000"`) },
	"no zone, of another":        func(t time.Time) string { return t.Add(7 * time.Hour).Format(`"2006-01-02 15:04:05"`) },
	"a comma":                    func(t time.Time) string { return t.Format(`"2006-01-02T15:04:05,000Z"`) },
	"no seconds":                 func(t time.Time) string { return t.Format(`"2006-01-02T15:04Z"`) },
	"slashes":                    func(t time.Time) string { return t.Format(`"2006/01/02 15:04:05"`) },
	"dots":                       func(t time.Time) string { return t.Format(`"2006.01.02 15:04:05"`) },
	"without separators":         func(t time.Time) string { return t.Format(`"20060102150405"`) },
	"without separators but a T": func(t time.Time) string { return t.Format(`"20060102T150405Z"`) },
	"RFC 1123":                   func(t time.Time) string { return t.Format(`"Mon, 02 Jan 2006 15:04:05 GMT"`) },
	"RFC 1123 with an offset":    func(t time.Time) string { return t.Format(`"Mon, 02 Jan 2006 15:04:05 -0700"`) },
	"RFC 850":                    func(t time.Time) string { return t.Format(`"Monday, 02-Jan-06 15:04:05 GMT"`) },
	"a cookie's date":            func(t time.Time) string { return t.Format(`"Mon, 02-Jan-2006 15:04:05 GMT"`) },
	"Unix":                       func(t time.Time) string { return t.Format(`"Mon Jan _2 15:04:05 UTC 2006"`) },
	"C":                          func(t time.Time) string { return t.Format(`"Mon Jan _2 15:04:05 2006"`) },
	"seconds":                    func(t time.Time) string { return fmt.Sprint(t.Unix()) },
	"seconds with a fraction":    func(t time.Time) string { return fmt.Sprintf("%d.%06d", t.Unix(), t.Nanosecond()/1000) },
	"seconds as a text":          func(t time.Time) string { return fmt.Sprintf(`"%d"`, t.Unix()) },
	"milliseconds":               func(t time.Time) string { return fmt.Sprint(t.UnixMilli()) },
	"microseconds":               func(t time.Time) string { return fmt.Sprint(t.UnixMicro()) },
	"nanoseconds since 1970":     func(t time.Time) string { return fmt.Sprint(t.UnixNano()) },
	"ticks":                      func(t time.Time) string { return fmt.Sprint(t.UnixNano()/100 + 621_355_968_000_000_000) },
	"days since 1970":            func(t time.Time) string { return fmt.Sprint(t.Unix() / 86400) },
	"a date":                     func(t time.Time) string { return t.Format(`"2006-01-02"`) },
	"a date far in the east":     func(t time.Time) string { return t.Add(14 * time.Hour).Format(`"2006-01-02"`) },
	"a date far in the west":     func(t time.Time) string { return t.Add(-12 * time.Hour).Format(`"2006-01-02"`) },
	"a date without separators":  func(t time.Time) string { return t.Format(`"20060102"`) },
	"a day in words":             func(t time.Time) string { return t.Format(`"2 January 2006"`) },
	"a day in American words":    func(t time.Time) string { return t.Format(`"Jan 2, 2006"`) },
}

// clockOf judges a place that shows the time, in a recording with four runs a day and some hours apart.
func clockOf(t *testing.T, show func(time.Time) string, begin time.Time) mapfile.Holds {
	t.Helper()
	at := func(run int) time.Time { return begin.Add(time.Duration(run) * 29 * time.Hour) }
	steps := func(yield func(exchange.Step, error) bool) {
		for seq := range uint64(3) {
			var answers []*exchange.Response
			for run := range 5 {
				answers = append(answers, replies(`{"t":`+show(at(run))+`}`)...)
			}
			s := stepOf(seq+1, "/t", answers)
			s.Exchange.Start, s.Exchange.Latency = at(0), time.Millisecond
			for _, o := range s.Observations {
				o.Start, o.Latency = at(o.Run), time.Millisecond
			}
			if !yield(s, nil) {
				return
			}
		}
	}
	var runs []exchange.Run
	for run := 1; run < 5; run++ {
		runs = append(runs, exchange.Run{Number: run, Started: at(run), Conditions: exchange.Conditions{Start: exchange.StartReset}})
	}
	rec := exchange.Recording{Started: begin, Passes: []exchange.Pass{{Number: 1, Started: begin}}}
	m, err := volatility.Judge(rec, runs, iter.Seq2[exchange.Step, error](steps), nil, nil, volatility.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := m.Operations[0].At("/body/t")
	if f == nil {
		t.Fatal("no field")
	}
	return f.Holds
}

// TestClockNotations: what the map states to be near the clock, the generated tests can read, whichever way it is
// written; and they tell it from a time that is none of these.
func TestClockNotations(t *testing.T) {
	needs.Program(t, "python3")
	type question struct {
		Name    string
		Value   json.RawMessage
		Seconds int
		Now     float64
		Want    bool
	}
	var questions []question
	for name, show := range clockNotations {
		for _, begin := range []time.Time{time.Date(2026, 1, 29, 0, 0, 1, 5000, time.UTC), time.Date(2026, 2, 28, 23, 59, 58, 630_739_000, time.UTC)} {
			h := clockOf(t, show, begin)
			if h.Clock == 0 {
				t.Errorf("%s: %s is not read as the clock: %+v", name, show(begin), h)
				continue
			}
			now := begin.Add(1000 * 24 * time.Hour)
			value, at := json.RawMessage(show(now)), float64(now.UnixMilli())/1000
			off := float64(h.Clock) + 26*3600
			questions = append(questions, question{name, value, h.Clock, at, true}, question{name, value, h.Clock, at + off, false}, question{name, value, h.Clock, at - off, false})
		}
	}
	for _, value := range []string{`null`, `true`, `"soon"`, `"2026-13-29"`, `17`, `[]`, `"99999999"`} {
		questions = append(questions, question{"no time", json.RawMessage(value), 60, 1795237533, false})
	}
	noon := time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]bool{`"01.02.2026"`: true, `"1.2.2026"`: true, `"2.1.2026"`: false, `"45.1.2026"`: false, `"1.2.2026.4"`: false} {
		questions = append(questions, question{"a day with dots", json.RawMessage(value), 0, float64(noon.Unix()), want})
	}
	asked, err := json.Marshal(questions)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("python3", "-c", `
import json, sys
from flaketap_checks import is_near
from flaketap_client import parse_json
for q in parse_json(sys.argv[1]):
    if is_near(q["Value"], float(q["Now"]), q["Seconds"]) != q["Want"]:
        print(q)
`, string(asked))
	cmd.Dir = "../pytest/runtime"
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("is_near says otherwise (%v):\n%s", err, out)
	}
}
