package search

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/kind"
)

// parcels says nothing of what it misses. It reads a list of events, or a flag that ends it all.
func parcels(w *world, _ Request) (int, string) {
	const service, target = "carrier.example:443", "/events"
	r := w.get(service, target)
	if r.status != 200 || r.gone || r.json == nil {
		return 502, `{"error": "down"}`
	}
	read := func(p exchange.Place, with Read) any { return w.read(service, target, r, p, with) }
	read("/body", Read{})
	if read("/body/closed", Read{}) != nil {
		return 503, `{"error": "closed"}`
	}
	events, is := read("/body/events", Read{Kind: kind.List}).([]any)
	switch {
	case !is:
		return 502, `{"error": "unreadable"}`
	case len(events) == 0:
		return 200, `{"seen": []}`
	}
	switch read("/body/events/*/code", Read{Kind: kind.String, Value: "ARRIVED"}) {
	case nil:
		return 502, `{"error": "unreadable"}`
	case "ARRIVED":
		return 200, `{"seen": ["here"]}`
	}
	return 200, `{"seen": ["elsewhere"]}`
}

// Where nothing else tells them, reads tell fields, types, and what they are compared with.
func TestLearnFromReads(t *testing.T) {
	o := oneRequest("/parcels/4")
	o.Trials = 150
	found := searchWorld(t, o, parcels)
	wanted(t, found, `{error: "closed"}`, `{error: "unreadable"}`, `{seen: []}`, `{seen: ["here"]}`, `{seen: ["elsewhere"]}`)
	got := map[exchange.Place]Field{}
	for _, f := range found.Fields {
		got[f.Place] = f
	}
	if f := got["/body/events"]; f.Source != FromReads || !slices.Equal(f.Kinds, []kind.Kind{kind.List}) {
		t.Errorf("of events is known %+v", f)
	}
	if f := got["/body/events/*/code"]; !slices.Equal(f.Values, []any{"ARRIVED"}) || !slices.Equal(f.Kinds, []kind.Kind{kind.String}) {
		t.Errorf("of code is known %+v", f)
	}
	if _, there := got[exchange.PlaceBody]; there {
		t.Error("the whole is a field")
	}
}

// That a field is a list shows where an object stands in its place, and then what is read of its elements.
func TestReadAsListWithin(t *testing.T) {
	o := oneRequest("/price")
	o.Trials = 14 // before changes that need not know what is read
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		const service, target = "rates.example:443", "/latest"
		r := w.get(service, target)
		if r.status != 200 || r.gone || r.json == nil {
			return 502, `{"error": "down"}`
		}
		quotes := w.read(service, target, r, "/body/quotes", Read{})
		if _, object := quotes.(map[string]any); object {
			w.read(service, target, r, "/body/quotes", Read{Kind: kind.List})
		}
		if list, _ := quotes.([]any); len(list) == 0 || w.read(service, target, r, "/body/quotes/*/rate", Read{}) == nil {
			return 500, `{"error": "internal"}`
		}
		return 200, `{"price": true}`
	})
	wanted(t, found, `{price: true}`)
}

// A field that is cast to a list tells nothing of it where an object stands in its place, and neither does what is read
// behind it: lists are tried, in all such places and in each.
func TestReadAsListUntold(t *testing.T) {
	o := oneRequest("/price")
	o.Trials = 40
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		const service, target = "rates.example:443", "/latest"
		r := w.get(service, target)
		if r.status != 200 || r.gone || r.json == nil {
			return 502, `{"error": "down"}`
		}
		source, object := w.read(service, target, r, "/body/source", Read{}).(map[string]any)
		list, _ := w.read(service, target, r, "/body/quotes", Read{}).([]any)
		switch {
		case !object || len(list) == 0:
			return 500, `{"error": "internal"}`
		case w.read(service, target, r, "/body/quotes/*/rate", Read{}) == nil, source == nil:
			return 500, `{"error": "internal"}`
		}
		return 200, `{"price": true}`
	})
	wanted(t, found, `{price: true}`)
	got := map[exchange.Place][]kind.Kind{}
	for _, f := range found.Fields {
		got[f.Place] = f.Kinds
	}
	if of := got["/body/quotes"]; !slices.Equal(of, []kind.Kind{kind.List}) {
		t.Errorf("what has elements is %s", of)
	}
	if of := got["/body/quotes/*"]; !slices.Equal(of, []kind.Kind{kind.Object}) {
		t.Errorf("an element that has members is %s", of)
	}
}

// What is supplied to show what is read within is such that it can: an object, or a list with an element of its type.
func TestOpened(t *testing.T) {
	var e Endpoint
	h := &hunt{known: newKnowledge()}
	h.known.fields[e] = []field{{place: "/body/named/*", kind: kind.Boolean}}
	for _, tt := range []struct {
		f    field
		want string
	}{
		{field{place: "/body/any"}, `{}`},
		{field{place: "/body/any", compared: []any{"x"}}, `"v"`},
		{field{place: "/body/text", kind: kind.String}, `"v"`},
		{field{place: "/body/list", kind: kind.List}, `[{}]`},
		{field{place: "/body/named", kind: kind.List}, `[true]`},
	} {
		if got, err := json.Marshal(h.opened(e, tt.f, "v")); err != nil || string(got) != tt.want {
			t.Errorf("%+v: %s, %v, want %s", tt.f, got, err, tt.want)
		}
	}
}

// Fields that are wanted together are supplied together.
func TestReadTogether(t *testing.T) {
	o := oneRequest("/seat")
	o.Trials = 60
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		r := w.get("seats.example:443", "/free")
		all := true
		for _, name := range []string{"row", "wagon", "window"} {
			v := w.read("seats.example:443", "/free", r, exchange.PlaceBody.Key(name), Read{})
			_, object := v.(map[string]any)
			all = v != nil && !object && all
		}
		if !all {
			return 502, `{"error": "unreadable"}`
		}
		return 200, `{"seat": true}`
	})
	wanted(t, found, `{seat: true}`)
}

// An answer that is read as a list is one.
func TestReadAsList(t *testing.T) {
	o := oneRequest("/hotels")
	o.Trials = 100
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		r := w.get("hotels.example:443", "/hotels")
		if r.gone || r.json == nil {
			return 502, `{"error": "down"}`
		}
		w.read("hotels.example:443", "/hotels", r, "/body", Read{Kind: kind.List})
		list, _ := r.json.([]any)
		if len(list) == 0 || w.read("hotels.example:443", "/hotels", r, "/body/*/name", Read{}) == nil {
			return 404, `{"error": "no hotel"}`
		}
		return 200, `{"hotel": true}`
	})
	wanted(t, found, `{error: "no hotel"}`, `{hotel: true}`)
}

// What an API does only when it is watched is no behavior, and then it is watched no more.
func TestWatchedOtherwise(t *testing.T) {
	o := oneRequest("/quote")
	o.Trials = 60
	watched := 0
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		r := w.get("rates.example:443", "/latest")
		switch {
		case r.gone || r.json == nil:
			return 502, `{"error": "down"}`
		case w.watched:
			watched++
			w.read("rates.example:443", "/latest", r, "/body/rate", Read{})
			return 500, `{"error": "a subclass"}`
		}
		return 200, `{"rate": true}`
	})
	wanted(t, found, `{rate: true}`)
	for _, b := range found.Behaviors {
		if strings.Contains(b.Shape, "subclass") {
			t.Errorf("found %s", b.Shape)
		}
	}
	if watched != maxOdd {
		t.Errorf("it was watched %d times", watched)
	}
}

// Of what is read and shows no type, one may have to be a number for another to be looked into: types are tried of all
// of them before what is guessed, also where the files have a word for another type near the name of one. It takes sixty
// trials: at once the types of what was read last are tried alone.
func TestReadTypesUntold(t *testing.T) {
	o := oneRequest("/member")
	o.Trials = 80
	o.Words = &Words{}
	o.Words.Add([]byte(`put("points", Map.of("tier", new HashMap<>(m.get("points"))))`))
	if k := o.Words.kindOf("points"); k != kind.Object {
		t.Fatalf("the files have points as %s", k)
	}
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		const service, target = "members.example:80", "/me"
		r := w.get(service, target)
		if r.status != 200 || r.gone || r.json == nil {
			return 502, `{"error": "down"}`
		}
		card, object := w.read(service, target, r, "/body/card", Read{}).(map[string]any)
		tier := w.read(service, target, r, "/body/tier", Read{})
		_, number := w.read(service, target, r, "/body/points", Read{}).(float64)
		if !object || tier == nil || !number || w.read(service, target, r, "/body/card/number", Read{}) == nil || card == nil {
			return 502, `{"error": "unreadable"}`
		}
		return 200, `{"member": true}`
	})
	wanted(t, found, `{member: true}`)
	want := map[exchange.Place][]kind.Kind{"/body/card": {kind.Object}, "/body/tier": {kind.Any}, "/body/points": {kind.Number}, "/body/card/number": {kind.Any}}
	for _, f := range found.Fields {
		if kinds, there := want[f.Place]; there && !slices.Equal(f.Kinds, kinds) {
			t.Errorf("%s is %s, not %s", f.Place, f.Kinds, kinds)
		}
		if delete(want, f.Place); f.Source != FromReads {
			t.Errorf("%s is known from %s", f.Place, f.Source)
		}
	}
	if len(want) > 0 {
		t.Errorf("not told are %v", want)
	}
}

// What was guessed by a word, and is read then, is known from that.
func TestGuessedThenRead(t *testing.T) {
	k, e := newKnowledge(), Endpoint{}
	k.learn(e, []field{{place: "/body/x", source: FromWords}})
	read := []field{{place: "/body/x", source: FromReads}}
	if news := k.learn(e, read); len(news) != 1 || k.field(e, "/body/x").source != FromReads {
		t.Errorf("new is %+v, known %+v", news, k.fields[e])
	}
	if news := k.learn(e, read); len(news) != 0 {
		t.Errorf("new once more is %+v", news)
	}
}
