package volatility

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/google/go-cmp/cmp"
)

// mapOf is a map of one operation, GET template 200.
func mapOf(template string, fields ...*mapfile.Field) *mapfile.Map {
	op := &mapfile.Operation{Operation: exchange.Operation{Method: "GET", Template: template}, Status: 200, Exchanges: 1, Fields: fields}
	op.Index()
	m := &mapfile.Map{Operations: []*mapfile.Operation{op}}
	m.Recount()
	return m
}

// without drops the stable places from a map, as its file does.
func without(t *testing.T, m *mapfile.Map) *mapfile.Map {
	t.Helper()
	out, err := mapfile.Decode(bytes.NewReader(encode(t, m, false)))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func said(c mapfile.Changes) []string {
	out := []string{}
	for _, x := range c.Changes {
		out = append(out, x.String())
	}
	return out
}

func TestDiff(t *testing.T) {
	still := func() *mapfile.Field {
		return &mapfile.Field{Place: "/body/a", Judgement: mapfile.Stable, Of: 10, Bound: 0.3}
	}
	moved := func() *mapfile.Field {
		return &mapfile.Field{Place: "/body/a", Judgement: mapfile.Jitter, Category: mapfile.Rand, Changed: 3, Of: 10, Bound: 0.6}
	}
	drift := func(fp string) *mapfile.Field {
		return &mapfile.Field{Place: "/body/a", Judgement: mapfile.Drift, Category: mapfile.State, Changed: 3, Of: 10, Fingerprints: []string{fp}}
	}
	hint := func() *mapfile.Field {
		return &mapfile.Field{Place: "/body/a", Judgement: mapfile.Hint, Of: 10, Bound: 0.3}
	}
	b := func() *mapfile.Field {
		return &mapfile.Field{Place: "/body/b", Judgement: mapfile.Stable, Of: 10, Bound: 0.3}
	}
	sure := still()
	sure.Bound, sure.Of = 0.1, 30
	held := still()
	held.Holds = mapfile.Holds{Type: "string", Equal: json.RawMessage(`"x"`)}
	ignored := moved()
	ignored.Rule = &mapfile.Ruling{Kind: mapfile.Ignore, Judgement: mapfile.Jitter}
	const where = "GET /o/{id} 200 /body/a: "
	of := func(fields ...*mapfile.Field) *mapfile.Map { return mapOf("/o/{id}", fields...) }
	for name, c := range map[string]struct {
		old, new *mapfile.Map
		want     []string
	}{
		"nothing":                            {of(still(), b()), of(still(), b()), []string{}},
		"began":                              {of(still()), of(moved()), []string{where + "[began]"}},
		"stopped":                            {of(moved()), of(still()), []string{where + "[stopped]"}},
		"another judgement":                  {of(drift("00")), of(moved()), []string{where + "[judged]"}},
		"a hint is no move":                  {of(still()), of(hint()), []string{where + "[judged]"}},
		"a drift for other requests":         {of(drift("00")), of(drift("01")), []string{}},
		"surer":                              {of(still()), of(sure), []string{where + "[surer]"}},
		"less sure":                          {of(sure), of(still()), []string{where + "[unsurer]"}},
		"something else holds":               {of(still()), of(held), []string{where + "[holds]"}},
		"a place came":                       {of(b()), of(still(), b()), []string{where + "[came]"}},
		"a place came and moves":             {of(b()), of(moved(), b()), []string{where + "[began came]"}},
		"a place went":                       {of(still(), b()), of(b()), []string{where + "[went]"}},
		"a volatile place went":              {of(moved(), b()), of(b()), []string{where + "[stopped went]"}},
		"not listed is stable: began":        {without(t, of(still(), b())), without(t, of(moved(), b())), []string{where + "[began]"}},
		"not listed is stable: stopped":      {without(t, of(moved(), b())), without(t, of(still(), b())), []string{where + "[stopped]"}},
		"not listed is stable: nothing":      {without(t, of(still(), b())), of(still(), b()), []string{}},
		"not listed is stable: a hint":       {without(t, of(still(), b())), without(t, of(hint(), b())), []string{where + "[judged]"}},
		"parameters have other names":        {mapOf("/o/{order}", still()), of(moved()), []string{where + "[began]"}},
		"operations come and go":             {mapOf("/p", moved()), mapOf("/q", still()), []string{"GET /q 200: [came]", "GET /p 200: [went]"}},
		"a new operation with what moves":    {mapOf("/p", still()), mapOf("/q", moved()), []string{"GET /q 200: [came]", "GET /q 200 /body/a: [began]", "GET /p 200: [went]"}},
		"a wildcard knew it":                 {of(&mapfile.Field{Place: "/body/*", Judgement: mapfile.Jitter, Category: mapfile.Rand, Changed: 3, Of: 10, Bound: 0.6}), of(moved()), []string{}},
		"what was ignored is no more":        {of(ignored, b()), of(moved(), b()), []string{where + "[began]"}},
		"what HTTP moves is left out":        {of(b()), of(b(), &mapfile.Field{Place: "/header/date", Judgement: mapfile.Jitter, Changed: 1, Of: 1, Protocol: true}), []string{}},
		"both with and without their places": {of(still(), b()), without(t, of(moved(), b())), []string{where + "[began]"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, said(mapfile.Diff(c.old, c.new))); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
	if d := mapfile.Diff(without(t, of(still())), of(still())); len(d.Notes) != 1 || d.Same != 1 {
		t.Errorf("%+v", d)
	}
}

// TestDiffPairs: the operation of the very name is preferred, and each is paired once.
func TestDiffPairs(t *testing.T) {
	two := func(a, b string) *mapfile.Map {
		m := mapOf(a, &mapfile.Field{Place: "/body/a", Judgement: mapfile.Stable})
		m.Operations = append(m.Operations, mapOf(b, &mapfile.Field{Place: "/body/b", Judgement: mapfile.Stable}).Operations...)
		m.Recount()
		return m
	}
	if got := said(mapfile.Diff(two("/o/{x}", "/o/{y}"), two("/o/{x}", "/o/{y}"))); len(got) > 0 {
		t.Error(got)
	}
	got := said(mapfile.Diff(two("/o/{x}", "/o/{y}"), mapOf("/o/{y}", &mapfile.Field{Place: "/body/b", Judgement: mapfile.Stable})))
	if want := []string{"GET /o/{x} 200: [went]"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestDiffOfItself: no map differs from itself, nor from what its file says.
func TestDiffOfItself(t *testing.T) {
	m := rich().judge(t)
	for name, other := range map[string]*mapfile.Map{"itself": m, "its file": without(t, m)} {
		if got := said(mapfile.Diff(m, other)); len(got) > 0 {
			t.Errorf("%s: %q", name, got)
		}
		if got := said(mapfile.Diff(other, m)); len(got) > 0 {
			t.Errorf("%s: %q", name, got)
		}
	}
}
