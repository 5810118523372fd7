package rules

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// ruled is a map put together by hand, with a field of each judgement.
func ruled() *mapfile.Map {
	m := &mapfile.Map{Operations: []*mapfile.Operation{
		{Operation: exchange.Operation{Method: "GET", Template: "/orders/{id}"}, Status: 200, Exchanges: 3, Fields: []*mapfile.Field{
			{Place: "/body/at", Judgement: mapfile.Jitter, Category: mapfile.Time, Changed: 9, Of: 12, Evidence: []string{"moved:9/12"}},
			{Place: "/body/items", Judgement: mapfile.Stable, Of: 12, Holds: mapfile.Holds{Type: "array"}},
			{Place: "/body/items/*/price", Judgement: mapfile.Drift, Category: mapfile.State, Changed: 2, Of: 12, Fingerprints: []string{strings.Repeat("0", 32)}},
			{Place: "/body/items/*/seed", Judgement: mapfile.Hint, Of: 12, Evidence: []string{"looks:uuid"}, Holds: mapfile.Holds{Type: "string", Equal: json.RawMessage(`"x"`)}},
			{Place: "/body/maybe", Judgement: mapfile.Jitter, Category: mapfile.Unk, Changed: 1, Of: 12, Holds: mapfile.Holds{Type: "null|string", Optional: true}},
			{Place: "/body/name", Judgement: mapfile.Stable, Of: 12, Holds: mapfile.Holds{Type: "string", Equal: json.RawMessage(`"n"`)}},
			{Place: "/body/today", Judgement: mapfile.WouldMove, Category: mapfile.Time, Of: 12},
			{Place: "/header/date", Judgement: mapfile.Jitter, Category: mapfile.Time, Changed: 12, Of: 12, Protocol: true},
			{Place: "/header/etag", Judgement: mapfile.Jitter, Category: mapfile.Crypt, Changed: 12, Of: 12},
			{Place: "/status", Judgement: mapfile.Stable, Of: 12, Holds: mapfile.Holds{Type: "integer", Equal: json.RawMessage("200")}},
		}},
		{Operation: exchange.Operation{Method: "POST", Template: "/orders", Host: "b.example:443"}, Status: 404, Exchanges: 1, Fields: []*mapfile.Field{
			{Place: "/body/at", Judgement: mapfile.Jitter, Category: mapfile.Time, Changed: 4, Of: 4},
		}},
	}}
	for _, op := range m.Operations {
		op.Index()
	}
	m.Recount()
	return m
}

// verdicts lists what rules decided on, by place, where an operation has it.
func verdicts(m *mapfile.Map) map[string]string {
	out := map[string]string{}
	for _, op := range m.Operations {
		for _, f := range op.Fields {
			if f.Rule != nil {
				out[op.Method+" "+string(f.Place)] = strings.Trim(string(f.Rule.Kind)+" "+string(f.Judgement)+" "+string(f.Category), " ")
			}
		}
	}
	return out
}

// encoded is the file that a map is written as.
func encoded(t *testing.T, m *mapfile.Map, all bool) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Encode(&b, mapfile.EncodeOptions{All: all}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRulesDecide(t *testing.T) {
	for name, c := range map[string]struct {
		rules  []Rule
		want   map[string]string
		hidden []string
	}{
		"a pin over what moved is told": {[]Rule{{Place: "/body/at", Operation: "GET /orders/{number}", Kind: mapfile.Pin, Source: "f:3"}},
			map[string]string{"GET /body/at": "pin stable"},
			[]string{"f:3: pin GET /orders/{number} /body/at: it pins a place that moved in 9 of 12 observations (GET /orders/{id} 200 /body/at)"}},
		"a pin over what would move is told": {[]Rule{{Place: "/body/today", Kind: mapfile.Pin}}, map[string]string{"GET /body/today": "pin stable"},
			[]string{"pin /body/today: it pins a place that would move (Time) (GET /orders/{id} 200 /body/today)"}},
		"a pin over what is stable hides nothing": {[]Rule{{Place: "/body/name", Kind: mapfile.Pin}}, map[string]string{"GET /body/name": "pin stable"}, nil},
		"what HTTP moves may be pinned": {[]Rule{{Place: "/header/Date", Kind: mapfile.Pin}}, map[string]string{"GET /header/date": "pin stable"},
			[]string{"pin /header/Date: it pins a place that moved in 12 of 12 observations (GET /orders/{id} 200 /header/date)"}},
		"force": {[]Rule{{Place: "/body/name", Kind: mapfile.Force, Category: mapfile.Rand}, {Place: "/body/items/*/price", Kind: mapfile.Force}},
			map[string]string{"GET /body/name": "force would-move Rand", "GET /body/items/*/price": "force drift State"}, nil},
		"force makes a hint volatile": {[]Rule{{Place: "/body/items/*/seed", Kind: mapfile.Force}}, map[string]string{"GET /body/items/*/seed": "force would-move Unk"}, nil},
		"ignore, with all that is in it": {[]Rule{{Place: "/body/items", Kind: mapfile.Ignore}},
			map[string]string{"GET /body/items": "ignore stable", "GET /body/items/*/price": "ignore drift State", "GET /body/items/*/seed": "ignore hint"}, nil},
		"ignore of more than a value": {[]Rule{{Place: "/body/maybe", Kind: mapfile.Ignore}}, map[string]string{"GET /body/maybe": "ignore jitter Unk"},
			[]string{"ignore /body/maybe: it ignores a place that is not always there (GET /orders/{id} 200 /body/maybe)"}},
		"everything below, not itself": {[]Rule{{Place: "/body/items/**", Kind: mapfile.Pin}}, map[string]string{"GET /body/items/*/price": "pin stable", "GET /body/items/*/seed": "pin stable"},
			[]string{"pin /body/items/**: it pins a place that moved in 2 of 12 observations (GET /orders/{id} 200 /body/items/*/price)"}},
		"the first rule decides": {[]Rule{{Place: "/body/name", Kind: mapfile.Force}, {Place: "/body/name", Kind: mapfile.Pin}}, map[string]string{"GET /body/name": "force would-move Unk"},
			[]string{"pin /body/name: rules before it decide on all that it is about"}},
		"a class of statuses, any method": {[]Rule{{Operation: "* /orders**", Status: "4xx", Place: "/body/*", Kind: mapfile.Force, Category: mapfile.Env}},
			map[string]string{"POST /body/at": "force jitter Env"}, nil},
		"a host that is named": {[]Rule{{Operation: "POST //b.example:443/orders", Place: "/body/at", Kind: mapfile.Force}}, map[string]string{"POST /body/at": "force jitter Time"}, nil},
		"about nothing": {[]Rule{{Operation: "GET /orders", Place: "/body/at", Kind: mapfile.Pin}, {Status: "500", Place: "/body/at", Kind: mapfile.Pin}}, map[string]string{},
			[]string{"pin GET /orders /body/at: it is about nothing in this recording", "pin 500 /body/at: it is about nothing in this recording"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range c.rules {
				if err := r.Check(); err != nil {
					t.Fatal(err)
				}
			}
			m := ruled()
			var said []string
			for _, h := range Apply(m, c.rules) {
				said = append(said, h.String())
			}
			if diff := cmp.Diff(c.want, verdicts(m)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if diff := cmp.Diff(c.hidden, said); diff != "" {
				t.Errorf("hidden: -want +got\n%s", diff)
			}
			first := encoded(t, m, true)
			Apply(m, c.rules)
			if !bytes.Equal(first, encoded(t, m, true)) {
				t.Error("applied again, the rules change something")
			}
			again, err := mapfile.Decode(bytes.NewReader(first))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(verdicts(m), verdicts(again)); diff != "" {
				t.Errorf("the file says otherwise: %s", diff)
			}
		})
	}
}

// TestRulesReach: what a rule decides is seen by whoever asks the map, and the figures follow.
func TestRulesReach(t *testing.T) {
	m, other := ruled(), exchange.Fingerprint{1}
	before := m.Summary
	Apply(m, []Rule{{Place: "/body/name", Kind: mapfile.Force}, {Place: "/body/items/*/price", Kind: mapfile.Force}, {Place: "/body/at", Kind: mapfile.Ignore}, {Place: "/header/etag", Kind: mapfile.Pin}})
	op := m.Operations[0]
	for place, want := range map[exchange.Place]bool{"/body/name": true, "/body/items/3/price": true, "/body/at": true, "/header/etag": false} {
		if got := op.Volatile(place, other) != nil; got != want {
			t.Errorf("%s is volatile: %v, want %v", place, got, want)
		}
	}
	if f := op.At("/body/at"); !f.Apart() {
		t.Error("what is ignored is not apart")
	}
	if f := op.At("/body/name"); f.Holds.Equal != nil {
		t.Error("what is forced to be volatile still equals its value")
	}
	want := before
	want.Places -= 2                                                // at, of both operations, is counted no more
	want.Jitter -= 3                                                // and etag is pinned
	want.Stable, want.WouldMove = before.Stable, before.WouldMove+1 // etag for name
	if diff := cmp.Diff(want, m.Summary); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestIgnoredStaysJudged: what is ignored is judged as before, with all that holds of it, and asserted by nobody.
func TestIgnoredStaysJudged(t *testing.T) {
	m, fp := ruled(), exchange.Fingerprint{1}
	before := encoded(t, m, true)
	Apply(m, []Rule{{Place: "/**", Kind: mapfile.Ignore}})
	if m.Summary != (mapfile.Summary{}) {
		t.Errorf("what is ignored is counted: %+v", m.Summary)
	}
	for _, op := range m.Operations {
		for _, f := range op.Fields {
			if !f.Ignored() || !f.Apart() || !f.AppliesTo(fp) || op.Volatile(f.Place, fp) == nil {
				t.Errorf("%s may be asserted", f.Place)
			}
			f.Rule, f.Warnings = nil, nil
		}
	}
	m.Recount()
	if diff := cmp.Diff(string(before), string(encoded(t, m, true))); diff != "" {
		t.Errorf("a rule to ignore changed more than that: -without +with\n%s", diff)
	}
}

// TestPinsCountNoProtocol: a rule over everything brings nothing into the figures that was not in them.
func TestPinsCountNoProtocol(t *testing.T) {
	for _, kind := range []mapfile.RuleKind{mapfile.Pin, mapfile.Force} {
		m := ruled()
		op := m.Operations[0]
		op.Fields = append(op.Fields, &mapfile.Field{Place: "/body/text/@json/n", Judgement: mapfile.Jitter, Of: 12}, &mapfile.Field{Place: "/reason", Judgement: mapfile.Stable, Of: 12},
			&mapfile.Field{Place: "/size", Judgement: mapfile.Stable, Of: 12, Protocol: true})
		op.Index()
		m.Recount()
		before := m.Summary.Places
		Apply(m, []Rule{{Place: "/**", Kind: kind}})
		if m.Summary.Places != before || !m.Complete() {
			t.Errorf("%s: %d places, want %d; complete: %v", kind, m.Summary.Places, before, m.Complete())
		}
	}
}

// TestPinsAreWritten: what rules decided on is in the file, though stable places are not.
func TestPinsAreWritten(t *testing.T) {
	m := ruled()
	Apply(m, []Rule{{Place: "/body/at", Kind: mapfile.Pin, Because: "the clock stands still in CI"}})
	file := string(encoded(t, m, false))
	if !strings.Contains(file, `"because": "the clock stands still in CI"`) || strings.Contains(file, `"/body/name"`) {
		t.Error(file)
	}
	again, err := mapfile.Decode(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if again.Complete() || !m.Complete() {
		t.Error("which map has its stable places?")
	}
	summary := again.Summary
	Apply(again, []Rule{{Place: "/header/etag", Kind: mapfile.Pin}})
	if again.Summary != summary {
		t.Error("places that the file does not list cannot be counted")
	}
	Apply(again, []Rule{{Place: "/body/at", Kind: mapfile.Force}})
	if f := again.Operations[0].At("/body/at"); f.Judgement != mapfile.Jitter || f.Category != mapfile.Time || f.Rule.Judgement != mapfile.Jitter {
		t.Errorf("another rule does not begin from what the runs say: %+v", f)
	}
}

func TestRulesAreRefused(t *testing.T) {
	for want, r := range map[string]Rule{
		"needs a place":                  {Kind: mapfile.Pin},
		"not a place such as":            {Kind: mapfile.Pin, Place: "body/id"},
		"\"/path/1\" is not a place":     {Kind: mapfile.Pin, Place: "/path/1"},
		"must be the last segment":       {Kind: mapfile.Pin, Place: "/body/**/id"},
		"not an operation such as":       {Kind: mapfile.Pin, Place: "/body", Operation: "/orders"},
		"is not a status such as":        {Kind: mapfile.Pin, Place: "/body", Status: "20"},
		"unknown rule \"mask\"":          {Kind: "mask", Place: "/body"},
		"unknown category \"Random\"":    {Kind: mapfile.Force, Place: "/body", Category: "Random"},
		"only what is forced":            {Kind: mapfile.Pin, Place: "/body", Category: mapfile.Time},
		"is too long":                    {Kind: mapfile.Pin, Place: "/body/" + strings.Repeat("x", 5000)},
		"\"/status/**\" is not a place ": {Kind: mapfile.Pin, Place: "/status/**"},
	} {
		if err := r.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", r, err, want)
		}
	}
}

// FuzzRules: whatever a rule is made of, it is refused or it is applied, and a rule for the very place and operation
// that a map has is about it.
func FuzzRules(f *testing.F) {
	f.Add("GET /orders/{id}", "2xx", "/body/items/*/price")
	f.Add("* /**", "", "/**")
	f.Add("", "404", "/body/a~1b/**")
	f.Add("GET /{", "0", "/body//")
	f.Fuzz(func(t *testing.T, operation, status, place string) {
		r := Rule{Operation: operation, Status: status, Place: place, Kind: mapfile.Ignore}
		if r.Check() != nil {
			return
		}
		m := ruled()
		Apply(m, []Rule{r})
		p := exchange.Place(strings.TrimSuffix(place, "/**"))
		if strings.ContainsAny(place, "*ABCDEFGHIJKLMNOPQRSTUVWXYZ") || !strings.HasPrefix(string(p), "/body/") {
			return
		}
		m = &mapfile.Map{Operations: []*mapfile.Operation{{Operation: exchange.Operation{Method: "GET", Template: "/"}, Status: 200, Exchanges: 1,
			Fields: []*mapfile.Field{{Place: p, Judgement: mapfile.Stable}, {Place: p.Key("below"), Judgement: mapfile.Stable}}}}}
		Apply(m, []Rule{{Place: place, Kind: mapfile.Ignore}})
		if m.Operations[0].Fields[1].Rule == nil {
			t.Fatalf("%q is not about %q", place, p.Key("below"))
		}
	})
}

func TestDiffOfRules(t *testing.T) {
	old, is := ruled(), ruled()
	Apply(is, []Rule{{Place: "/body/at", Kind: mapfile.Pin}, {Place: "/body/name", Kind: mapfile.Force}, {Place: "/header/etag", Kind: mapfile.Ignore}})
	var said []string
	for _, c := range mapfile.Diff(old, is).Changes {
		said = append(said, c.String())
	}
	want := []string{"GET /orders/{id} 200 /body/at: [stopped]", "GET /orders/{id} 200 /body/name: [began holds]", "POST //b.example:443/orders 404 /body/at: [stopped]"}
	if diff := cmp.Diff(want, said, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
