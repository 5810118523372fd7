package search

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/mock/search/typical"
)

// surfaced is where fields surface for a request, as texts.
func surfaced(found Result) map[exchange.Place]string {
	out := map[exchange.Place]string{}
	for _, s := range found.Surfacings {
		out[s.Field] += fmt.Sprint(s.Answer, s.Calls)
	}
	return out
}

// shipping copies a name, decides by a state and a weight, asks another service with an id, sends a note on, counts
// events, and gives back what varies by itself.
func shipping(w *world, _ Request) (int, string) {
	const service, target = "parcels.example:443", "/parcel"
	r := w.get(service, target)
	if r.status != 200 || r.gone || r.json == nil {
		return 502, `{"error": "down"}`
	}
	read := func(name string, k kind.Kind) any {
		p := exchange.PlaceBody.Key(name)
		v := w.read(service, target, r, p, Read{Kind: k})
		if !k.Takes(v) {
			return nil
		}
		return v
	}
	name, state, weight := read("name", kind.String), read("state", kind.String), read("weight", kind.Number)
	id, note, ignored, events := read("id", kind.String), read("note", kind.String), read("ignored", kind.String), read("events", kind.List)
	if name == nil || state == nil || weight == nil || id == nil || id == "" || note == nil || ignored == nil || events == nil {
		return 502, `{"error": "unreadable"}`
	}
	if weight.(float64) > 10 {
		return 422, `{"error": "heavy"}`
	}
	if w.get("doors.example:80", "/door/"+fmt.Sprint(id)); note != "" {
		w.calls = append(w.calls, Call{Service: "notes.example:80", Method: "POST", Target: "/notes", Status: 200, Times: 1, Sent: fmt.Sprint(note)})
	}
	label := "moving"
	if state == "x" {
		label = "held"
	}
	out, _ := json.Marshal(map[string]any{"name": name, "label": label, "count": len(events.([]any)), "trial": w.trials})
	return 200, string(out)
}

// Where a field surfaces is told by trials that differ in it alone: in the status, in places of the answer, in calls.
func TestSurfacings(t *testing.T) {
	o := oneRequest("/parcel")
	o.Trials = 300
	got := surfaced(searchWorld(t, o, shipping))
	const door, notes = "GET doors.example:80/door/{}", "POST notes.example:80/notes"
	for field, want := range map[exchange.Place]string{
		"/body/name":    "[/body/name] []",
		"/body/state":   "[/body/label] []",
		"/body/weight":  "[/status] [" + door + " " + notes + "]",
		"/body/id":      "[/status] [" + door + " " + notes + "]",
		"/body/note":    "[] [" + notes + "]",
		"/body/events":  "[/body/count] []", // what breaks down without it does so for what it holds
		"/body/ignored": "",
	} {
		if got[field] != want {
			t.Errorf("%s surfaces at %s, want %s", field, got[field], want)
		}
	}
}

// One trial that did otherwise proves nothing, nor does what differs by itself; a second one does, and so do three values.
func TestSurfacingsAreProven(t *testing.T) {
	e := Endpoint{"a.example:80", "GET", "/"}
	h := &hunt{known: newKnowledge(), history: newHistory()}
	s := &searcher{hunts: []*hunt{h}}
	turn := 0
	show := func(id string, x int, want string) {
		t.Helper()
		set := setting{e: {Status: 200, JSON: map[string]any{"id": id}}}
		turn++
		h.history.add(set.key(), set, Outcome{Status: 200, Body: []byte(fmt.Sprintf(`{"x": %d, "turn": %d}`, x, turn))}, nil, nil)
		if got := surfaced(Result{Surfacings: s.surfacings()})["/body/id"]; got != want {
			t.Errorf("turn %d proves %q, want %q", turn, got, want)
		}
	}
	const proven = "[/body/x] []"
	show("a", 1, "")
	show("a", 1, "")
	show("b", 2, "")
	show("c", 2, "")
	show("b", 1, "") // it was the machine
	show("c", 2, proven)
	h.history = newHistory()
	show("a", 1, "")
	show("a", 1, "")
	show("b", 2, "")
	show("c", 3, "")
	show("d", 3, proven)
}

// What fails for want of a field, or of something within it, or of an answer to a call that it has made, does not follow
// from it; a refusal does, whatever its words, and what fails where a list is empty.
func TestDifferingWants(t *testing.T) {
	e := Endpoint{"a.example:80", "GET", "/"}
	pay := Call{Service: "b.example:80", Method: "POST", Target: "/charges", Times: 1}
	type seen struct {
		status    int
		body, log string
		calls     []Call
	}
	good := seen{status: 200, body: `{"done": true}`}
	for name, c := range map[string]struct {
		field string
		a, b  any
		other seen
		want  string
	}{
		"no list":        {"rooms", []any{}, nil, seen{status: 500, body: `{"error": "internal error"}`}, ""},
		"no elements":    {"hours", []any{1.0}, []any{}, seen{status: 500, body: `{"error": "internal error"}`}, "[/status] []"},
		"other elements": {"hours", nil, []any{map[string]any{}}, seen{200, `{"done": false}`, "json: cannot unmarshal object into Go struct field day.hours of type string", nil}, ""},
		"none":           {"fee", 1.0, nil, seen{200, `{"done": false}`, "shop sent no fee", nil}, ""},
		"a new call":     {"active", true, false, seen{503, `{"error": "down"}`, "", []Call{pay}}, "[] [POST b.example:80/charges]"},
		"a refusal":      {"accepting", true, false, seen{409, `{"error": "no patients"}`, "", nil}, "[/status] []"},
		"another way":    {"until", "x", nil, seen{200, `{"done": false}`, "", nil}, "[/body/done] []"},
		"no answer":      {"pages", 1.0, 1e12, seen{}, ""},
	} {
		h := &hunt{known: newKnowledge(), history: newHistory()}
		show := func(v any, does seen) {
			set := setting{e: {Status: 200, JSON: map[string]any{c.field: v}}}
			for range proofs {
				out := Outcome{Status: does.status, Body: []byte(does.body), Log: does.log, Calls: does.calls}
				if out.Status == 0 {
					out.End = Hung
				}
				h.history.add(set.key(), set, out, sightOf(out, set, nil).told, nil)
			}
		}
		show(c.a, good)
		show(c.b, c.other)
		s := &searcher{hunts: []*hunt{h}}
		if got := surfaced(Result{Surfacings: s.surfacings()})[exchange.PlaceBody.Key(c.field)]; got != c.want {
			t.Errorf("%s: it surfaces at %q, want %q", name, got, c.want)
		}
	}
}

// What fails for want of another field does not follow from the one that has it read, nor does what comes of a call
// that nobody answers.
func TestDifferingFailures(t *testing.T) {
	e, door := Endpoint{"a.example:80", "GET", "/"}, Endpoint{"b.example:80", "GET", "/door/a"}
	ask := func(target string) Call {
		return Call{Service: "b.example:80", Method: "GET", Target: target, Times: 1}
	}
	h := &hunt{known: newKnowledge(), history: newHistory()}
	show := func(json map[string]any, status int, body string, calls ...Call) {
		set := setting{e: {Status: 200, JSON: json}, door: ok()}
		for range proofs {
			out := Outcome{Status: status, Body: []byte(body), Calls: calls}
			h.history.add(set.key(), set, out, sightOf(out, set, nil).told, nil)
		}
	}
	show(map[string]any{"active": false}, 200, `{"covered": false}`)
	show(map[string]any{"active": true}, 502, `{"error": "insurer sent no plan"}`)
	show(map[string]any{"id": "a"}, 200, `{"open": true}`, ask("/door/a"))
	show(map[string]any{"id": "x"}, 502, `{"error": "closed"}`, ask("/door/x"))
	s := &searcher{hunts: []*hunt{h}}
	if got := surfaced(Result{Surfacings: s.surfacings()}); len(got) != 1 || got["/body/id"] != "[] [GET b.example:80/door/a GET b.example:80/door/x]" {
		t.Errorf("differences prove %v", got)
	}
}

// Two trials prove something where they differ in one value of one type alone.
func TestDiffering(t *testing.T) {
	e := Endpoint{"a.example:80", "GET", "/"}
	h := &hunt{known: newKnowledge(), history: newHistory()}
	h.known.fields[e] = []field{{place: "/body/list", kind: kind.List}}
	show := func(json map[string]any, body string) {
		set := setting{e: {Status: 200, JSON: json}}
		for range proofs {
			h.history.add(set.key(), set, Outcome{Status: 200, Body: []byte(body)}, nil, nil)
		}
	}
	show(map[string]any{"a": 1.0, "list": []any{}}, `{"x": 1}`)
	show(map[string]any{"a": 2.0, "list": []any{}}, `{"x": 2}`)
	show(map[string]any{"a": "text", "list": []any{}}, `{"y": 2}`)
	show(map[string]any{"a": 3.0, "list": []any{1.0}}, `{"z": 2}`)
	show(map[string]any{"a": 1.0}, `{"x": 1, "none": true}`)
	show(map[string]any{"in": map[string]any{"b": true}}, `{"z": 1}`)
	show(map[string]any{"in": map[string]any{"b": false}}, `{"z": 2}`)
	show(map[string]any{"in": map[string]any{"b": nil}}, `{"z": 2, "absent": true}`)
	s := &searcher{hunts: []*hunt{h}}
	got := surfaced(Result{Surfacings: s.surfacings()})
	for field, want := range map[exchange.Place]string{
		"/body/a":    "[/body/x] []",
		"/body/list": "[/body/none] []",
		"/body/in/b": "[/body/absent /body/z] []",
		"/body/in":   "[/body/absent /body/z] []", // since its member does
	} {
		if got[field] != want {
			t.Errorf("%s surfaces at %q, want %q", field, got[field], want)
		}
	}
	if len(got) != 4 {
		t.Errorf("differences prove %v", got)
	}
}

// Another time is found for one that is written longer than any that is tried.
func TestOtherTimes(t *testing.T) {
	h := &hunt{known: newKnowledge()}
	if others := h.otherThan(Endpoint{}, "/body/until", typical.Future[:10]+"T00:00:00.000000Z"); len(others) == 0 || others[0] != typical.Past {
		t.Errorf("other values are %q", others)
	}
}

// Of answers to one request, no more is kept than is compared.
func TestShownIsBounded(t *testing.T) {
	h := newHistory()
	h.bytes = maxShownAll - 10
	for i := range 5 {
		h.add(fmt.Sprint(i), setting{}, Outcome{Status: 200, Body: []byte(`"12345"`)}, nil, nil)
	}
	if len(h.order) != 1 {
		t.Errorf("%d answers are kept, want 1", len(h.order))
	}
}
