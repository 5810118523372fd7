package search

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/flaketap/flaketap/exchange"
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
	read := func(name string, kind Kind) any {
		p := exchange.PlaceBody.Key(name)
		v := w.read(service, target, r, p, Read{Kind: kind})
		if !kind.takes(v) {
			return nil
		}
		return v
	}
	name, state, weight := read("name", String), read("state", String), read("weight", Number)
	id, note, ignored, events := read("id", String), read("note", String), read("ignored", String), read("events", List)
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
			h.history.add(set.key(), set, out, sightOf(out, nil).told, nil)
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
	h.known.fields[e] = []field{{place: "/body/list", kind: List}}
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
	show(map[string]any{"list": []any{}}, `{"absent": true}`)
	s := &searcher{hunts: []*hunt{h}}
	got := surfaced(Result{Surfacings: s.surfacings()})
	if got["/body/a"] != "[/body/x] []" || got["/body/list"] != "[/body/none] []" || len(got) != 2 {
		t.Errorf("differences prove %v", got)
	}
}

// Another time is found for one that is written longer than any that is tried.
func TestOtherTimes(t *testing.T) {
	h := &hunt{known: newKnowledge()}
	if others := h.otherThan(Endpoint{}, "/body/until", future[:10]+"T00:00:00.000000Z"); len(others) == 0 || others[0] != past {
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
