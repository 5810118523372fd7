package search

import (
	"slices"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/given"
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/mock/search/typical"
	"github.com/flaketap/flaketap/mock/search/wordings"
)

// The type of a field is the one with which most is read, though an error says more then; a field of which each type
// does the same takes any.
func TestKindsByReads(t *testing.T) {
	e := Endpoint{"a.example:80", "GET", "/"}
	f := field{place: "/body/active"}
	reads := func(places ...exchange.Place) map[Endpoint][]Read {
		out := map[Endpoint][]Read{}
		for _, p := range places {
			out[e] = append(out[e], Read{Place: p})
		}
		return out
	}
	for _, tt := range []struct {
		name string
		good sight
		want []kind.Kind
	}{
		{"reads more", sight{status: 500, sign: "crash", told: []wordings.Told{{Place: "/body/plan"}}, reads: reads("/body/active", "/body/plan")}, []kind.Kind{kind.Boolean}},
		{"does the same", sight{status: 502, sign: "refused", reads: reads("/body/active")}, []kind.Kind{kind.Any}},
	} {
		h := &hunt{known: newKnowledge(), tried: map[string]sight{}}
		b := &base{setting: setting{e: ok()}, endpoints: []Endpoint{e}}
		h.bases = []*base{b}
		for _, v := range typical.Probed() {
			seen := sight{status: 502, sign: "refused", reads: reads("/body/active")}
			if v == true {
				seen = tt.good
			}
			h.tried[b.setting.with(e, ok().with(f.place, v)).key()] = seen
		}
		s := &searcher{hunts: []*hunt{h}}
		if got := s.kinds(e, f); !slices.Equal(got, tt.want) {
			t.Errorf("what %s is %s, want %s", tt.name, got, tt.want)
		}
	}
}

// Types that the search did not get to are tried where the field was read, and the request got furthest.
func TestProbeKinds(t *testing.T) {
	e := Endpoint{"a.example:80", "GET", "/"}
	api := &world{handle: func(w *world, _ Request) (int, string) {
		if _, is := w.read("a.example:80", "/", w.get("a.example:80", "/"), "/body/active", Read{}).(bool); is {
			return 200, `{"active": true}`
		}
		return 502, `{"error": "unreadable"}`
	}}
	s := &searcher{api: api, o: Options{Trials: 100}, known: newKnowledge()}
	h := &hunt{known: s.known, given: given.Values{Echoes: map[string]bool{}}, tried: map[string]sight{}, history: newHistory(), own: map[string]bool{}}
	s.hunts = []*hunt{h}
	set := setting{e: ok()}
	h.bases = []*base{baseOf(set, sight{endpoints: []Endpoint{e}, reads: map[Endpoint][]Read{e: {{Place: "/body/active"}}}}, nil, e)}
	s.known.fields[e] = []field{{place: "/body/active"}}
	if err := s.probeKinds(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.kinds(e, s.known.fields[e][0]); !slices.Equal(got, []kind.Kind{kind.Boolean}) || api.trials != len(typical.Probed()) {
		t.Errorf("after %d trials it is %s", api.trials, got)
	}
}
