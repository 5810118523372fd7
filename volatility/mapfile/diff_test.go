package mapfile

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/google/go-cmp/cmp"
)

// mapOf is a map of one operation, GET template 200.
func mapOf(template string, fields ...*Field) *Map {
	op := &Operation{Operation: exchange.Operation{Method: "GET", Template: template}, Status: 200, Exchanges: 1, Fields: fields}
	op.Index()
	m := &Map{Operations: []*Operation{op}}
	m.Recount()
	return m
}

// without drops the stable places from a map, as its file does.
func without(t *testing.T, m *Map) *Map {
	t.Helper()
	var b bytes.Buffer
	if err := m.Encode(&b, EncodeOptions{}); err != nil {
		t.Fatal(err)
	}
	out, err := Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func said(c Changes) []string {
	out := []string{}
	for _, x := range c.Changes {
		out = append(out, x.String())
	}
	return out
}

func TestDiff(t *testing.T) {
	still := func() *Field {
		return &Field{Place: "/body/a", Judgement: Stable, Of: 10, Bound: 0.3}
	}
	moved := func() *Field {
		return &Field{Place: "/body/a", Judgement: Jitter, Category: Rand, Changed: 3, Of: 10, Bound: 0.6}
	}
	drift := func(fp string) *Field {
		return &Field{Place: "/body/a", Judgement: Drift, Category: State, Changed: 3, Of: 10, Fingerprints: []string{fp}}
	}
	hint := func() *Field {
		return &Field{Place: "/body/a", Judgement: Hint, Of: 10, Bound: 0.3}
	}
	b := func() *Field {
		return &Field{Place: "/body/b", Judgement: Stable, Of: 10, Bound: 0.3}
	}
	seen := func(f *Field, of int) *Field { f.Of = of; return f }
	seldom := func() *Field {
		return &Field{Place: "/body/a", Judgement: Jitter, Category: Rand, Changed: 1, Of: 10, Bound: 0.4}
	}
	spelled := func(pattern string) *Field { f := moved(); f.Holds.Pattern = pattern; return f }
	recorded := func() *Field { f := drift("00"); f.Changed, f.Of = 10, 30; return f }
	timed := func(seconds int) *Field { f := moved(); f.Category, f.Holds.Clock = Time, seconds; return f }
	either := func(first Category) *Field {
		f := moved()
		f.Category, f.Explanations = first, []Explanation{{Category: Rand}, {Category: Time}}
		return f
	}
	sure := still()
	sure.Bound, sure.Of = 0.1, 30
	held := still()
	held.Holds = Holds{Type: "string", Equal: json.RawMessage(`"x"`)}
	ignored := moved()
	ignored.Rule = &Ruling{Kind: Ignore, Judgement: Jitter}
	const where = "GET /o/{id} 200 /body/a: "
	of := func(fields ...*Field) *Map { return mapOf("/o/{id}", fields...) }
	for name, c := range map[string]struct {
		old, new *Map
		want     []string
	}{
		"nothing":                            {of(still(), b()), of(still(), b()), []string{}},
		"began":                              {of(still()), of(moved()), []string{where + "[began]"}},
		"stopped":                            {of(moved()), of(still()), []string{where + "[stopped]"}},
		"another judgement":                  {of(drift("00")), of(moved()), []string{where + "[judged]"}},
		"a hint is no move":                  {of(still()), of(hint()), []string{}},
		"a drift for other requests":         {of(drift("00")), of(drift("01")), []string{}},
		"surer":                              {of(still()), of(sure), []string{where + "[surer]"}},
		"less sure":                          {of(sure), of(still()), []string{where + "[unsurer]"}},
		"something else holds":               {of(still()), of(held), []string{where + "[holds]"}},
		"a place came":                       {of(b()), of(still(), b()), []string{where + "[came]"}},
		"a place came and moves":             {of(b()), of(moved(), b()), []string{where + "[unseen came]"}},
		"a place went":                       {of(still(), b()), of(b()), []string{where + "[went]"}},
		"a volatile place went":              {of(moved(), b()), of(b()), []string{where + "[stopped went]"}},
		"not listed is stable: began":        {without(t, of(still(), b())), without(t, of(moved(), b())), []string{where + "[began]"}},
		"not listed is stable: stopped":      {without(t, of(moved(), b())), without(t, of(still(), b())), []string{where + "[stopped]"}},
		"not listed is stable: nothing":      {without(t, of(still(), b())), of(still(), b()), []string{}},
		"not listed is stable: a hint":       {without(t, of(still(), b())), without(t, of(hint(), b())), []string{}},
		"parameters have other names":        {mapOf("/o/{order}", still()), of(moved()), []string{where + "[began]"}},
		"operations come and go":             {mapOf("/p", moved()), mapOf("/q", still()), []string{"GET /q 200: [came]", "GET /p 200: [went]"}},
		"a new operation with what moves":    {mapOf("/p", still()), mapOf("/q", moved()), []string{"GET /q 200: [came]", "GET /q 200 /body/a: [unseen]", "GET /p 200: [went]"}},
		"seen too seldom before":             {of(seen(still(), 2)), of(seldom()), []string{where + "[unseen]"}},
		"seen often enough before":           {of(seen(still(), 40)), of(seldom()), []string{where + "[began]"}},
		"seen to move, and too seldom after": {of(seldom()), of(seen(still(), 5)), []string{}},
		"a sample decides on a length":       {of(spelled("^[0-9a-f]{9,32}$")), of(spelled("^[0-9a-f]{16}$")), []string{}},
		"another alphabet":                   {of(spelled("^[0-9a-f]{16}$")), of(spelled("^[0-9A-F]{16}$")), []string{where + "[holds]"}},
		"a rare answer was recorded":         {of(seen(still(), 30)), of(recorded()), []string{where + "[unseen]"}},
		"the clock a second further off":     {of(timed(376733)), of(timed(376741)), []string{}},
		"the clock an hour further off":      {of(timed(60)), of(timed(3600)), []string{where + "[holds]"}},
		"evidence for both categories":       {of(either(Rand)), of(either(Time)), []string{}},
		"a wildcard knew it":                 {of(&Field{Place: "/body/*", Judgement: Jitter, Category: Rand, Changed: 3, Of: 10, Bound: 0.6}), of(moved()), []string{}},
		"what was ignored is no more":        {of(ignored, b()), of(moved(), b()), []string{where + "[began]"}},
		"what HTTP moves is left out":        {of(b()), of(b(), &Field{Place: "/header/date", Judgement: Jitter, Changed: 1, Of: 1, Protocol: true}), []string{}},
		"both with and without their places": {of(still(), b()), without(t, of(moved(), b())), []string{where + "[began]"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, said(Diff(c.old, c.new))); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
	few := of(drift("00"))
	rare := of(&Field{Place: "/body/a", Judgement: Jitter, Category: Rand, Changed: 5, Of: 40, Bound: 0.3})
	rare.Operations[0].Exchanges = 10
	if c := Diff(of(seen(still(), 40)), rare); len(c.Began()) > 0 {
		t.Errorf("one rare value that was recorded differs in all runs: %v", said(c))
	}
	few.Runs = make([]exchange.Run, 3)
	if c := Diff(of(still()), few); len(c.Began()) > 0 {
		t.Errorf("three runs that agree are no proof: %v", said(c))
	}
	if d := Diff(without(t, of(still())), of(still())); len(d.Notes) != 1 || d.Same != 1 {
		t.Errorf("%+v", d)
	}
}

// TestDiffPairs: the operation of the very name is preferred, and each is paired once.
func TestDiffPairs(t *testing.T) {
	two := func(a, b string) *Map {
		m := mapOf(a, &Field{Place: "/body/a", Judgement: Stable})
		m.Operations = append(m.Operations, mapOf(b, &Field{Place: "/body/b", Judgement: Stable}).Operations...)
		m.Recount()
		return m
	}
	if got := said(Diff(two("/o/{x}", "/o/{y}"), two("/o/{x}", "/o/{y}"))); len(got) > 0 {
		t.Error(got)
	}
	got := said(Diff(two("/o/{x}", "/o/{y}"), mapOf("/o/{y}", &Field{Place: "/body/b", Judgement: Stable})))
	if want := []string{"GET /o/{x} 200: [went]"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
