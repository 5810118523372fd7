package breach

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/relation"
)

func request(target string) exchange.Request {
	return exchange.ParseRequest(exchange.Message{Head: []byte("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n")})
}

// answered reads an answer: "200 {…}", "fault".
func answered(answer string) (*exchange.Response, *exchange.Fault) {
	if answer == "fault" {
		return nil, &exchange.Fault{Kind: exchange.FaultReset}
	}
	status, body := answer[:3], answer[min(4, len(answer)):]
	head := fmt.Sprintf("HTTP/1.1 %s X\r\nContent-Type: application/json\r\n\r\n", status)
	return exchange.ParseResponse(exchange.Message{Head: []byte(head), Body: []byte(body)}), nil
}

var made = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func sent(answer string) *exchange.Exchange {
	e := &exchange.Exchange{Seq: 1, Start: made, Request: request("/order?name=tea")}
	e.Response, e.Fault = answered(answer)
	return e
}

// order is what the map says of it: steady but for the reference, a number, the items, and what of them the others follow.
func order() *mapfile.Operation {
	two, moving := 2, func(place exchange.Place, c mapfile.Category, h mapfile.Holds) *mapfile.Field {
		return &mapfile.Field{Place: place, Judgement: mapfile.Jitter, Category: c, Changed: 5, Of: 9, Holds: h}
	}
	op := &mapfile.Operation{Operation: exchange.Operation{Method: "GET", Template: "/order"}, Status: 200, Exchanges: 1, Fields: []*mapfile.Field{
		{Place: exchange.PlaceStatus, Judgement: mapfile.Stable, Of: 9, Holds: mapfile.Holds{Equal: json.RawMessage("200")}},
		{Place: "/body/total", Judgement: mapfile.Stable, Of: 9},
		{Place: "/body/currency", Judgement: mapfile.Stable, Of: 9, Holds: mapfile.Holds{Type: "string", Equal: json.RawMessage(`"EUR"`)}},
		moving("/body/ref", mapfile.Rand, mapfile.Holds{Type: "string", Pattern: "^[a-f0-9]{4}$"}),
		moving("/body/visits", mapfile.State, mapfile.Holds{Type: "integer", Min: "1", Max: "9"}),
		moving("/body/net", mapfile.Rand, mapfile.Holds{Type: "integer", Min: "1", Max: "9"}),
		moving("/body/gross", mapfile.Rand, mapfile.Holds{Type: "integer", Relations: []relation.Relation{{Is: relation.Equal, Of: []exchange.Place{"/body/net"}}}}),
		moving("/body/name", mapfile.Rand, mapfile.Holds{Type: "string", Echo: "/query/name"}),
		moving("/body/made", mapfile.Time, mapfile.Holds{Type: "string", Clock: 60}),
		moving("/body/words", mapfile.Unord, mapfile.Holds{Type: "array", Order: "any"}),
		moving("/body/items", mapfile.Rand, mapfile.Holds{Type: "array", MinLength: &two}),
		moving("/body/trace/*", mapfile.RunMsg, mapfile.Holds{Type: "string"}),
		{Place: "/body/trace", Judgement: mapfile.Stable, Of: 9},
		moving("/body/kinds", mapfile.Rand, mapfile.Holds{Type: "array", MinLength: new(int)}),
		moving("/body/code", mapfile.Rand, mapfile.Holds{Type: "string", Format: "hex"}),
		moving("/body/note", mapfile.Rand, mapfile.Holds{Type: "string", Optional: true}),
		{Place: "/body/secret", Judgement: mapfile.Jitter, Changed: 1, Of: 9, Rule: &mapfile.Ruling{Kind: mapfile.Ignore}},
	}}
	op.Index()
	return op
}

const recorded = `200 {"total":3,"currency":"EUR","ref":"00ff","visits":2,"net":4,"gross":4,"name":"tea","made":"2026-01-02T03:04:05Z",` +
	`"words":["a","b"],"trace":["x1","main","run"],"kinds":[1],"code":"abcdef12","items":[1,2],"note":"x","secret":1}`

// with is the recorded answer with some texts in the place of others.
func with(t *testing.T, swap ...string) string {
	t.Helper()
	out := recorded
	for i := 0; i < len(swap); i += 2 {
		before, after, ok := cut(out, swap[i])
		if !ok {
			t.Fatalf("%s is not there", swap[i])
		}
		out = before + swap[i+1] + after
	}
	return out
}

func cut(s, sep string) (before, after string, ok bool) {
	for i := range s {
		if len(s)-i >= len(sep) && s[i:i+len(sep)] == sep {
			return s[:i], s[i+len(sep):], true
		}
	}
	return s, "", false
}

func found(step exchange.Step, now string, op *mapfile.Operation) []string {
	out := []string{}
	for _, f := range Judge(Answer{Now: sent(now), Step: step, Operations: []*mapfile.Operation{op}}) {
		unsure := ""
		if f.Unsure {
			unsure = " unsure"
		}
		out = append(out, fmt.Sprintf("%s %s%s", f.Kind, f.Place, unsure))
	}
	return out
}

func TestJudge(t *testing.T) {
	for name, c := range map[string]struct {
		now  string
		want []string
	}{
		"the same":                             {recorded, []string{}},
		"a steady value":                       {with(t, `"total":3`, `"total":4`), []string{"never /body/total"}},
		"a steady value that is always one":    {with(t, "EUR", "USD"), []string{"never /body/currency"}},
		"a steady member is gone":              {with(t, `"total":3,`, ""), []string{"never /body/total"}},
		"a member is new":                      {with(t, `"total":3`, `"total":3,"more":1`), []string{"never /body/more"}},
		"another notation is no other value":   {with(t, `"total":3`, `"total":3.0`), []string{}},
		"a moving value":                       {with(t, "00ff", "ab12"), []string{"moves /body/ref"}},
		"a moving value of another pattern":    {with(t, "00ff", "xyz"), []string{"broken /body/ref"}},
		"a moving value of another type":       {with(t, `"00ff"`, "12"), []string{"broken /body/ref"}},
		"a moving value is gone":               {with(t, `"ref":"00ff",`, ""), []string{"broken /body/ref"}},
		"what is not always there is gone":     {with(t, `"note":"x",`, ""), []string{"moves /body/note"}},
		"state goes on":                        {with(t, `"visits":2`, `"visits":12`), []string{"state /body/visits"}},
		"state of another type":                {with(t, `"visits":2`, `"visits":"2"`), []string{"broken /body/visits"}},
		"beyond a range":                       {with(t, `"net":4`, `"net":11`, `"gross":4`, `"gross":11`), []string{"broken /body/net", "moves /body/gross"}},
		"a relation":                           {with(t, `"gross":4`, `"gross":5`), []string{"broken /body/gross"}},
		"not the request's":                    {with(t, `"name":"tea"`, `"name":"coffee"`), []string{"broken /body/name"}},
		"a clock that stands":                  {with(t, "2026-01-02T03", "2026-01-01T03"), []string{"broken /body/made"}},
		"another order":                        {with(t, `["a","b"]`, `["b","a"]`), []string{"moves /body/words"}},
		"fewer in any order":                   {with(t, `["a","b"]`, `["b"]`), []string{"broken /body/words"}},
		"fewer than ever":                      {with(t, `[1,2]`, `[1]`), []string{"broken /body/items"}},
		"steady elements in another order":     {with(t, `["x1","main","run"]`, `["x2","run","main"]`), []string{"never /body/trace unsure", "moves /body/trace/0", "moves /body/trace/1", "moves /body/trace/2"}},
		"a steady element at another place":    {with(t, `["x1","main","run"]`, `["main","x2","run"]`), []string{"never /body/trace unsure", "moves /body/trace/0", "moves /body/trace/1"}},
		"moving elements at their places":      {with(t, `["x1","main","run"]`, `["x2","main","run"]`), []string{"moves /body/trace/0"}},
		"what the user ignores":                {with(t, `"secret":1`, `"secret":2`), []string{}},
		"a status, and nothing else is looked": {`404 {"total":4}`, []string{"never /status"}},
		"a server's error":                     {`500 {}`, []string{"server /status"}},
		"no answer":                            {`fault`, []string{"server /status"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, found(exchange.Step{Exchange: sent(recorded)}, c.now, order())); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// What an earlier run had at the same place is no news, whatever the map says.
func TestSeenBefore(t *testing.T) {
	step := exchange.Step{Exchange: sent(recorded)}
	for _, answer := range []string{with(t, `"total":3`, `"total":4`), `503 {}`} {
		o := &exchange.Observation{Run: 1, Seq: 1, Start: made, Sent: request("/order")}
		o.Response, o.Fault = answered(answer)
		step.Observations = append(step.Observations, o)
	}
	for now, want := range map[string][]string{
		with(t, `"total":3`, `"total":4`): {"moves /body/total"},
		with(t, `"total":3`, `"total":5`): {"never /body/total"},
		`503 {}`:                          {"moves /status"},
		`500 {}`:                          {"server /status"},
	} {
		if diff := cmp.Diff(want, found(step, now, order())); diff != "" {
			t.Errorf("%.40s: -want +got\n%s", now, diff)
		}
	}
}

// Too few answers make no steady place known; a server's error is one after any number.
func TestTooFew(t *testing.T) {
	op := order()
	for _, f := range op.Fields {
		f.Of = min(f.Of, 1)
	}
	step := exchange.Step{Exchange: sent(recorded)}
	for now, want := range map[string][]string{
		with(t, `"total":3`, `"total":4`): {"never /body/total unsure"},
		`404 {}`:                          {"never /status unsure"},
		`500 {}`:                          {"server /status"},
	} {
		if diff := cmp.Diff(want, found(step, now, op)); diff != "" {
			t.Errorf("%.40s: -want +got\n%s", now, diff)
		}
	}
}

// An element that stands elsewhere is news where it never did, and the array always was as long: an element that came in
// before it would have moved it, too, and drawn values stand anywhere by chance.
func TestElementsElsewhere(t *testing.T) {
	const was = `["x1","main","run"]`
	for name, c := range map[string]struct {
		earlier, want string
	}{
		"it never did":        {`["x3","main","run"]`, "never /body/trace"},
		"it did":              {`["main","x3","run"]`, ""},
		"another stood there": {`["x3","x4","run"]`, ""},
		"another length":      {`["x3","x4","main","run"]`, ""},
		"no array was there":  {`3`, "never /body/trace"},
	} {
		step := exchange.Step{Exchange: sent(recorded)}
		for run := range Enough {
			o := &exchange.Observation{Run: run + 1, Seq: 1, Start: made, Sent: request("/order")}
			o.Response, o.Fault = answered(with(t, was, `["x2","main","run"]`))
			if run == 2 {
				o.Response, o.Fault = answered(with(t, was, c.earlier))
			}
			step.Observations = append(step.Observations, o)
		}
		got := found(step, with(t, was, `["main","x9","run"]`), order())
		at := slices.IndexFunc(got, func(f string) bool { return strings.HasSuffix(f, " /body/trace") })
		if at < 0 && c.want != "" || at >= 0 && got[at] != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Of a request that is new the map alone tells.
func TestNewRequest(t *testing.T) {
	for now, want := range map[string][]string{
		with(t, "EUR", "USD"):             {"never /body/currency"},
		with(t, `"total":3`, `"total":4`): {},
		with(t, "00ff", "xyz"):            {"broken /body/ref"},
		`500 {}`:                          {"server /status"},
		`404 {}`:                          {},
	} {
		var got []string
		for _, f := range found(exchange.Step{}, now, order()) {
			if f[:5] != "moves" {
				got = append(got, f)
			}
		}
		if diff := cmp.Diff(want, append([]string{}, got...)); diff != "" {
			t.Errorf("%.40s: -want +got\n%s", now, diff)
		}
	}
}

// What all earlier answers had in common is held against, too: that a list never was empty, that letters were small.
func TestInCommon(t *testing.T) {
	step := exchange.Step{Exchange: sent(recorded)}
	for run := range Enough {
		o := &exchange.Observation{Run: run + 1, Seq: 1, Start: made, Sent: request("/order")}
		o.Response, o.Fault = answered(with(t, "abcdef12", fmt.Sprintf("abcdef%d", run), `"kinds":[1]`, `"kinds":[1,2]`))
		step.Observations = append(step.Observations, o)
	}
	for now, want := range map[string][]string{
		with(t, `"kinds":[1]`, `"kinds":[]`):      {"broken /body/kinds"},
		with(t, `"kinds":[1]`, `"kinds":[1,2,3]`): {"moves /body/kinds"},
		with(t, "abcdef12", "ABCDEF12"):           {"broken /body/code"},
		with(t, "abcdef12", "fedcba98"):           {"moves /body/code"},
	} {
		if diff := cmp.Diff(want, found(step, now, order())); diff != "" {
			t.Errorf("%s: -want +got\n%s", now, diff)
		}
	}
}

// A text whose words were seen in several orders says nothing by another order of the same words, and all the same by
// another word; one whose order was always the same is broken by another.
func TestWordsInAnotherOrder(t *testing.T) {
	op := order()
	op.At("/body/ref").Holds = mapfile.Holds{Type: "string", Pattern: "^(b; a; c|a; b; c)$"}
	step := func(earlier ...string) exchange.Step {
		s := exchange.Step{Exchange: sent(with(t, "00ff", "a; b; c"))}
		for i, text := range earlier {
			o := &exchange.Observation{Run: i + 1, Seq: 1, Start: made, Sent: request("/order")}
			o.Response, o.Fault = answered(with(t, "00ff", text))
			s.Observations = append(s.Observations, o)
		}
		return s
	}
	for name, c := range map[string]struct {
		step exchange.Step
		now  string
		want string
	}{
		"another order":            {step("b; a; c"), "c; a; b", "moves /body/ref"},
		"another word":             {step("b; a; c"), "c; a; d", "broken /body/ref"},
		"a word less":              {step("b; a; c"), "c; a", "broken /body/ref"},
		"the words moved as well":  {step("b; a; c", "b; a; d"), "c; a; b", "broken /body/ref"},
		"the order was never else": {step("a; b; c"), "c; a; b", "broken /body/ref"},
	} {
		if diff := cmp.Diff([]string{c.want}, found(c.step, with(t, "00ff", c.now), op)); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}
