package search

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/kind"
)

// booking holds an hour, under an id without which it does not go on, and counts the rooms that are free.
func booking(w *world, _ Request) (int, string) {
	const service = "rooms.example:443"
	r := w.get(service, "/rooms")
	if r.status != 200 || r.gone {
		return 502, `{"error": "down"}`
	}
	read := func(p exchange.Place, k kind.Kind) any { return w.read(service, "/rooms", r, p, Read{Kind: k}) }
	rooms, is := read("/body/rooms", kind.List).([]any)
	hold := read("/body/hold", kind.String)
	if !is {
		return 502, `{"error": "rooms sent no rooms"}`
	}
	free, cheap := 0, 0
	for i := range rooms {
		read("/body/rooms/*/state", kind.String)
		read("/body/rooms/*/price/cents", kind.Number)
		if at(rooms[i], "state") == "free" {
			free++
		}
		if cents, is := at(rooms[i], "price", "cents").(float64); is && cents <= 0 {
			cheap++
		}
	}
	confirmed := w.get(service, "/confirm/"+fmt.Sprint(hold))
	if confirmed.status != 200 {
		return 503, `{"error": "not confirmed"}`
	}
	out := map[string]any{"free": free, "cheap": cheap}
	if back, is := read("/body/back", kind.String).(string); is {
		out["back"] = back
	}
	raw, _ := json.Marshal(out)
	return 200, string(raw)
}

// Fields are changed where a request goes well with all that is known of the answers: also those within a list that the
// smallest answer leaves empty, and one that has another call be made.
func TestTracesWhereItGoesWell(t *testing.T) {
	o := oneRequest("/book")
	o.Trials = 300
	o.Words = &Words{}
	o.Words.Add([]byte(`if (room.state === 'free') free++`))
	got := surfaced(searchWorld(t, o, booking))
	for field, want := range map[exchange.Place]string{
		"/body/rooms":               "[/body/cheap /body/free] []",
		"/body/rooms/*/state":       "[/body/free] []",
		"/body/rooms/*/price/cents": "[/body/cheap] []",
		"/body/rooms/*/price":       "[/body/cheap] []",
		"/body/hold":                "[] [GET rooms.example:443/confirm/ GET rooms.example:443/confirm/<nil> GET rooms.example:443/confirm/{}]",
		"/body/back":                "[/body/back] []",
	} {
		if got[field] != want {
			t.Errorf("%s surfaces at %q, want %q", field, got[field], want)
		}
	}
}

// A course is filled with what is known of the answers, and with larger numbers, but for what makes it fail; where that
// leads to another call, with the answer of what was asked for instead.
func TestFill(t *testing.T) {
	const service = "rooms.example:443"
	rooms := Endpoint{service, "GET", "/rooms"}
	s := &searcher{o: Options{Trials: 100}, known: newKnowledge(), api: &world{handle: func(w *world, _ Request) (int, string) {
		r := w.get(service, "/rooms")
		fee, _ := at(r.json, "fee").(float64)
		if w.get(service, "/confirm/"+fmt.Sprint(at(r.json, "hold"))).status != 200 || at(r.json, "closed") != nil {
			return 503, `{"error": "not confirmed"}`
		}
		return 200, fmt.Sprintf(`{"fee": %v}`, fee)
	}}}
	s.add(oneRequest("/book").Requests)
	h := s.hunts[0]
	s.known.fields[rooms] = []field{{place: "/body/closed", kind: kind.Boolean}, {place: "/body/hold", kind: kind.String}, {place: "/body/name", kind: kind.String}}
	f := course{hunt: h, setting: setting{rooms: {Status: 200, JSON: map[string]any{"fee": 1.0}}, {service, "GET", "/confirm/<nil>"}: ok()}}
	var err error
	if f.sight, _, err = s.try(t.Context(), h, f.setting); err != nil {
		t.Fatal(err)
	}
	if err := s.fill(t.Context(), &f); err != nil {
		t.Fatal(err)
	}
	got, _ := json.Marshal(f.setting[rooms].JSON)
	if want := `{"fee":60,"hold":"x","name":"x"}`; string(got) != want || f.sight.status != 200 {
		t.Errorf("it is filled to %s, and answers %d, want %s", got, f.sight.status, want)
	}
}

// Other values of a field are of its type: those that the API looks for, others on both sides, and none.
func TestOtherValues(t *testing.T) {
	e := Endpoint{"a.example:80", "GET", "/"}
	h := &hunt{known: newKnowledge()}
	h.known.fields[e] = []field{{place: "/body/state", values: []any{"free", "held", 7.0}}}
	element := map[string]any{"n": 1.0, "s": "x"}
	more := func(by float64) []any { return []any{element, map[string]any{"n": 1 + by, "s": "x"}} }
	for p, c := range map[exchange.Place]struct{ v, want any }{
		"/body/state": {"free", []any{"held", "trace7f3q", nil}},
		"/body/ok":    {true, []any{false, nil}},
		"/body/n":     {1.0, []any{14.0, 0.0, -2.0, 1002.0, nil}},
		"/body/huge":  {1.5e308, []any{0.0, -1.5e308, nil}},
		"/body/list":  {[]any{element}, []any{[]any{}, more(13), more(-13), more(0), nil}},
		"/body/in":    {map[string]any{}, []any{nil}},
	} {
		got, _ := json.Marshal(h.otherThan(e, p, c.v))
		want, _ := json.Marshal(c.want)
		if string(got) != string(want) {
			t.Errorf("others than %s are %s, want %s", p, got, want)
		}
	}
}

// Fields are changed first where a request goes well, never where it breaks down, nor where names were tried that are no
// fields, and only those that are read where that is told.
func TestCourses(t *testing.T) {
	e := Endpoint{"a.example:80", "GET", "/"}
	h := &hunt{known: newKnowledge(), history: newHistory(), tried: map[string]sight{}}
	h.known.fields[e] = []field{{place: "/body/state"}, {place: "/body/in/n"}}
	show := func(status int, body string, json map[string]any) {
		set := setting{e: {Status: 200, JSON: json}}
		out := Outcome{Status: status, Body: []byte(body), Calls: []Call{{Service: e.Service, Method: "GET", Target: "/", Times: 1}},
			Reads: []Read{{Service: e.Service, Method: "GET", Target: "/", Place: "/body/in/n"}}}
		h.history.add(set.key(), set, out, nil, nil)
		h.tried[set.key()] = sightOf(out, set, nil)
	}
	show(404, `{"error": "gone"}`, map[string]any{"state": "gone"})
	show(502, `{"error": "unreadable"}`, map[string]any{"state": 1.0})
	show(200, `{"other": 1}`, map[string]any{"state": "x", "stack": 1.0})
	show(200, `{"n": 1}`, map[string]any{"state": "x", "in": map[string]any{"n": 1.0}})
	s := &searcher{hunts: []*hunt{h}, known: h.known}
	all := s.courses()[0]
	if len(all) != 2 || all[0].sight.status != 200 || all[1].sight.status != 404 {
		t.Fatalf("courses are %v", all)
	}
	for turn, want := range []string{`{"in":null,"state":"x"} {"in":{"n":14},"state":"x"}`, `{"in":{"n":0},"state":"x"}`} {
		var got []string
		for _, one := range all[0].others(turn) {
			raw, _ := json.Marshal(one.setting[e].JSON)
			got = append(got, string(raw))
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("turn %d tries %v, want %s", turn, got, want)
		}
	}
}
