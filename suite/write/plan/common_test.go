package plan

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// answering is a test of one step whose answer is held to a status and to what some checks say.
func answering(checks ...Check) Test {
	all := append([]Check{{Kind: CheckStatus, Place: "/status", Statuses: []int{200}}}, checks...)
	return Test{Steps: []Step{{Role: Tested, Checks: all}}}
}

// times is a test, so many times.
func times(n int, t Test) []Test {
	var out []Test
	for range n {
		out = append(out, t)
	}
	return out
}

func isType(name string) Check {
	return Check{Kind: CheckHeader, Place: "/header/content-type", Lines: []Text{{{Literal: name}}}}
}

func isDrawn(name, why string) Check {
	return Check{Kind: CheckHolds, Place: "/header/x-request-id", Why: why, Holds: mapfile.Holds{Type: "string", Format: name}}
}

// shown writes what is common: the names of the headers, the reasons of their checks.
func shown(c Common) string {
	var out []string
	for _, h := range c.Headers {
		line := h.Name
		for _, k := range h.Checks {
			line += fmt.Sprintf(" %s(%s)", k.Kind, k.Why)
		}
		out = append(out, line)
	}
	if c.Excepts {
		out = append(out, "with exceptions")
	}
	return strings.Join(out, "; ")
}

func TestCommonOf(t *testing.T) {
	both := answering(isType("application/json"), isDrawn("hex:16", "Rand, moved in 9 of 10"))
	other := answering(isType("application/json"), isDrawn("hex:16", "Rand, moved in 8 of 8"))
	typed := func(c Check) Test { return answering(c) }
	with := func(t Test, change func(*Step)) Test {
		s := t.Steps[0]
		s.Checks = append([]Check(nil), s.Checks...)
		change(&s)
		return Test{Steps: []Step{s}}
	}
	for name, c := range map[string]struct {
		tests []Test
		want  string
	}{
		"nothing":                    {nil, ""},
		"too few":                    {times(minCommon-1, both), ""},
		"enough":                     {times(minCommon, both), "content-type header(); x-request-id holds(Rand, moved in 9 of 10)"},
		"figures differ":             {append(times(9, both), other), "content-type header(); x-request-id holds(Rand)"},
		"four of five":               {append(times(12, both), times(3, typed(isType("text/html")))...), "content-type header(); x-request-id holds(Rand, moved in 9 of 10)"},
		"three of four":              {append(times(12, both), times(4, typed(isType("text/html")))...), ""},
		"one header, not the other":  {append(times(12, both), times(3, typed(isType("application/json")))...), "content-type header(); x-request-id holds(Rand, moved in 9 of 10); with exceptions"},
		"another statement":          {append(times(12, both), times(12, answering(isDrawn("hex:32", "Rand, moved in 9 of 10")))...), ""},
		"another category":           {append(times(6, both), times(6, answering(isType("application/json"), isDrawn("hex:16", "Time, moved in 9 of 10")))...), "content-type header()"},
		"two checks of one header":   {append(times(12, both), times(3, answering(isType("application/json"), isType("application/json")))...), "content-type header(); x-request-id holds(Rand, moved in 9 of 10)"},
		"a value that the test has":  {times(12, answering(Check{Kind: CheckEqual, Place: "/header/location", Text: Text{{Bound: "id"}}})), ""},
		"a secret":                   {times(12, answering(Check{Kind: CheckHeader, Place: "/header/x-key", Lines: []Text{{{Secret: "secret:0"}}}})), ""},
		"the host that was asked":    {times(12, answering(Check{Kind: CheckEqual, Place: "/header/x-host", Text: Text{{Host: true}}})), "x-host equal()"},
		"what is only commented on":  {times(12, answering(Check{Kind: CheckHolds, Place: "/header/etag", Why: "State"})), ""},
		"what follows from the body": {times(12, answering(Check{Kind: CheckRelated, Place: "/header/etag", Relation: "equal", Of: []exchange.Place{"/body/etag"}})), ""},
		"the body":                   {times(12, answering(Check{Kind: CheckEqual, Place: "/body/version", Text: Text{{Literal: "2"}}})), ""},
		"another API":                {times(12, with(both, func(s *Step) { s.Base = "http://other" })), ""},
		"statuses that move":         {times(12, with(both, func(s *Step) { s.Checks[0].Statuses = []int{200, 503} })), ""},
		"a status that is explained": {times(12, with(both, func(s *Step) { s.Checks[0].Why = "State" })), ""},
		"set-ups do not count":       {append(times(12, both), times(12, with(both, func(s *Step) { s.Role, s.Checks = SetUp, s.Checks[:1] }))...), "content-type header(); x-request-id holds(Rand, moved in 9 of 10)"},
		"what tests share is one":    {append(times(9, both), times(5, with(both, func(s *Step) { s.Role, s.Seq, s.Once, s.Single = SetUp, 7, true, true }))...), "content-type header(); x-request-id holds(Rand, moved in 9 of 10)"},
	} {
		if got := shown(CommonOf(Plan{Tests: c.tests})); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestFold: what a step has in common with most is one check; the rest of its own stays, in order, and is excepted.
func TestFold(t *testing.T) {
	body := Check{Kind: CheckJSON, Place: "/body", JSON: json.RawMessage("1")}
	etag := Check{Kind: CheckHeader, Place: "/header/etag", Lines: []Text{{{Literal: "1"}}}}
	drawn, typed := isDrawn("hex:16", "Rand, moved in 9 of 10"), isType("application/json")
	common := CommonOf(Plan{Tests: append(times(minCommon, answering(drawn, typed, body)), answering(typed, body))})
	for name, c := range map[string]struct {
		test Test
		want string
	}{
		"all":            {answering(drawn, etag, typed, body), "common [], /header/etag, /body"},
		"one is lacking": {answering(typed, body), "common [x-request-id], /body"},
		"one is other":   {answering(isType("text/html"), drawn, body), "common [content-type], /header/content-type, /body"},
		"none":           {answering(isType("text/html"), body), "status [], /header/content-type, /body"},
		"no checks":      {Test{Steps: []Step{{Role: CleanUp}}}, ""},
	} {
		before, _ := json.Marshal(c.test)
		var got []string
		for i, k := range common.Fold(c.test.Steps[0]).Checks {
			if i == 0 {
				got = append(got, fmt.Sprint(k.Kind, " ", k.Except))
				continue
			}
			got = append(got, string(k.Place))
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if after, _ := json.Marshal(c.test); string(after) != string(before) {
			t.Errorf("%s: the step itself was changed", name)
		}
	}
}

// TestCommonKeepsFirst: what is kept comes before what is common, so that a test whose answer lacks a header takes away
// what it made.
func TestCommonKeepsFirst(t *testing.T) {
	s := Step{Captures: []Capture{{Name: "id"}}, Checks: []Check{{Kind: CheckCommon, Statuses: []int{201}}, {Kind: CheckText, Place: "/body"}}}
	if got, want := spelled(s.Statements()), "keep id, common, text"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
