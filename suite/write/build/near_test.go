package build

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/notation"
)

// How far a time lies from its answer is found where it is the same in all answers, and the time follows the answer.
func TestDistance(t *testing.T) {
	day := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	rfc := func(layout string, after time.Duration) func(began, made time.Time) string {
		return func(_, made time.Time) string { return fmt.Sprintf("%q", made.Add(after).Format(layout)) }
	}
	const milli = "2006-01-02T15:04:05.000Z"
	for _, tt := range []struct {
		name   string
		shows  func(began, made time.Time) string
		stored bool
		want   *plan.Near
	}{
		{"now, in milliseconds", rfc(milli, 0), false, &plan.Near{Within: withinFine}},
		{"now, in seconds", rfc(time.RFC3339, 0), false, &plan.Near{Within: withinCoarse}},
		{"an hour later, in seconds", func(_, made time.Time) string { return fmt.Sprint(made.Add(time.Hour).Unix()) }, false, &plan.Near{After: 3600, Within: withinCoarse}},
		{"five minutes before", rfc(milli, -5*time.Minute), false, &plan.Near{After: -300, Within: withinFine}},
		{"said before", rfc(time.RFC3339, 0), true, &plan.Near{Within: withinStored}},
		{"in minutes, by requests that lie too near", rfc("2006-01-02T15:04Z", time.Hour), false, nil},
		{"a day", rfc(time.DateOnly, 0), false, &plan.Near{Within: 17992}},
		{"in thirty days", rfc(time.DateOnly, 30*notation.Day), false, &plan.Near{After: 30 * 86400, Within: 17992}},
		{"a day with dots", rfc("02.01.2006", 0), false, &plan.Near{Within: 17992}},
		{"a day ten hours ahead", rfc(time.DateOnly, 10*time.Hour), false, &plan.Near{Within: 50385}},
		{"when the API began", func(began, _ time.Time) string { return fmt.Sprintf("%q", began.Format(milli)) }, false, nil},
		{"a minute before the answer came", func(_, made time.Time) string {
			return fmt.Sprintf("%q", made.Add(-20*time.Millisecond).Format(milli))
		}, false, nil},
		{"the midnight before", rfc("2006-01-02T00:00:00Z", 0), false, nil},
		{"no zone", rfc("2006-01-02 15:04:05", 0), false, nil},
		{"one time", func(_, _ time.Time) string { return `"2026-11-22T10:00:00Z"` }, false, nil},
		{"no time", func(_, made time.Time) string { return fmt.Sprint(made.Unix() % 1000) }, false, nil},
		{"not alike", func(began, made time.Time) string {
			return fmt.Sprintf("%q", made.Add(time.Duration(began.Hour())*time.Minute).Format(milli))
		}, false, nil},
		{"null", func(_, _ time.Time) string { return "null" }, false, nil},
	} {
		var all []told
		for i := range 6 {
			began := day.Add(time.Duration(i) * 5 * time.Hour)
			since := time.Duration(i+1) * 2400 * time.Millisecond
			from := began.Add(since)
			raw := tt.shows(began, from.Add(2*time.Millisecond))
			all = append(all, told{span: notation.Span{From: from, To: from.Add(5 * time.Millisecond)}, since: since, at: func(exchange.Place) []string { return []string{raw} }})
		}
		got, n := distance(all, "/body/t", tt.stored)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.name, diff)
		}
		if tt.want != nil && n != len(all) {
			t.Errorf("%s: in %d answers, want %d", tt.name, n, len(all))
		}
	}
}

// A token's end is asserted to lie an hour after its answer, with what speaks for it. Where the API's Date is not of
// its clock, or there is none, it is asserted to be near the one clock that tests have, unless some answer had it
// otherwise.
func TestNearWritten(t *testing.T) {
	begin := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	dated := func(askew time.Duration) func(time.Time) string {
		return func(at time.Time) string { return "Date: " + at.Add(askew).Format(http.TimeFormat) + "\r\n" }
	}
	near := plan.Near{Within: 2*3600 + dateUnit}
	for name, tt := range map[string]struct {
		date func(time.Time) string
		want *plan.Near
	}{
		"in step":        {dated(0), &plan.Near{After: 3600, Within: withinCoarse}},
		"an hour askew":  {dated(time.Hour), &near},
		"a day askew":    {dated(-24 * time.Hour), nil},
		"one for all":    {func(time.Time) string { return dated(0)(begin) }, nil},
		"none":           {func(time.Time) string { return "" }, &near},
		"not in each":    {func(at time.Time) string { return map[bool]string{true: dated(0)(at)}[at.Hour()%2 == 0] }, &near},
		"no time at all": {func(time.Time) string { return "Date: soon\r\n" }, &near},
	} {
		var answers []*exchange.Response
		for run := range 7 {
			at := begin.Add(time.Duration(run) * time.Hour)
			answers = append(answers, reply(200, jsonType+tt.date(at),
				fmt.Sprintf(`{"ends":%d,"until":%q}`, at.Add(time.Hour).Unix(), at.Add(time.Hour).Format(time.RFC3339))))
		}
		first := stepOf(1, "/first", replies(`{}`, `{}`, `{}`, `{}`, `{}`, `{}`, `{}`))
		second := stepOf(2, "/token", answers)
		for _, s := range []*exchange.Step{&first, &second} {
			set := func(run int) (time.Time, time.Duration) {
				at := begin.Add(time.Duration(run) * time.Hour)
				if s.Exchange.Seq == 1 {
					at = at.Add(-time.Duration(run+1) * time.Second)
				}
				return at, time.Millisecond
			}
			s.Exchange.Start, s.Exchange.Latency = set(0)
			for _, o := range s.Observations {
				o.Start, o.Latency = set(o.Run)
			}
		}
		p := build(t, judged(t, suite.Source{Steps: []exchange.Step{first, second}, Sequences: []exchange.Sequence{{Name: "s", Steps: []uint64{1, 2}}}}), Options{All: true})
		got := map[exchange.Place]plan.Near{}
		for _, test := range p.Tests {
			for _, s := range test.Steps {
				for _, c := range s.Checks {
					if c.Near != nil {
						got[c.Place] = *c.Near
					}
				}
			}
		}
		want := map[exchange.Place]plan.Near{}
		if tt.want != nil {
			want = map[exchange.Place]plan.Near{"/body/ends": *tt.want, "/body/until": *tt.want}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			shown, _ := json.MarshalIndent(p.Tests, "", " ")
			t.Errorf("%s: -want +got\n%s\n%.2000s", name, diff, shown)
		}
	}
}
