package search

import (
	"fmt"
	"slices"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// An error that the API only logs, or answers beside a success, is mended in the answer of the service that it is told of,
// though another was asked after it.
func TestClimbMendsWhatIsPassedOver(t *testing.T) {
	o := oneRequest("/orders/7")
	o.Words = wordsOf("\"/stock\"\nread(\"left\")\n" + apart(60) + "\"/prices\"\nread(\"price\")\n")
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		left, is := at(w.get("a.example:80", "/stock").json, "left").(float64)
		r := w.get("b.example:80", "/prices")
		if at(r.json, "price") == nil {
			return 502, `{"error": "sent no price"}`
		}
		switch {
		case !is:
			return 200, `{"stock": "unknown", "why": "sent no left"}`
		case left <= 0:
			return 200, `{"stock": "none"}`
		}
		return 200, `{"stock": "some"}`
	})
	wanted(t, found, `{stock: "unknown", why: "sent no left"}`, `{stock: "some"}`, `{stock: "none"}`)
	for _, f := range found.Fields {
		if f.Place == exchange.PlaceBody.Key("left") && f.Endpoint.Service != "a.example:80" {
			t.Errorf("the field is known of %v", f.Endpoint)
		}
	}
}

// A value that the API looks up, and does not find, is one to be replaced.
func TestClimbReplacesWhatIsLookedUp(t *testing.T) {
	o := oneRequest("/orders/7")
	o.Words = wordsOf("\"/orders\"\nif read(\"state\") == \"sent\"\n")
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		switch state := at(w.get("a.example:80", "/orders/7").json, "state"); state {
		case nil:
			return 500, `{"error": "KeyError: 'state'"}`
		case "sent":
			return 200, `{"state": "under way"}`
		default:
			return 500, fmt.Sprintf(`{"error": "KeyError: '%v'"}`, state)
		}
	})
	wanted(t, found, `{state: "under way"}`)
}

// Bodies of failures have fields, too, and tables have keys that are values of the request.
func TestProbesOfFailuresAndTables(t *testing.T) {
	o := oneRequest("/quote?currency=EUR")
	o.Words = wordsOf("\"/rates\"\nif read(\"reason\") == \"closed\"\n")
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		r := w.get("a.example:80", "/rates")
		switch {
		case r.status == 409 && at(r.json, "reason") == "closed":
			return 409, `{"error": "not on that day"}`
		case r.status == 409:
			return 409, `{"error": "refused"}`
		case r.status != 200 || at(r.json, "EUR") == nil:
			return 502, `{"error": "down"}`
		}
		return 200, `{"rate": 1}`
	})
	wanted(t, found, `{error: "not on that day"}`, `{error: "refused"}`, `{rate: number}`)
}

// What the API says by itself is not taken for given where a service is made to say it too: no field is known of an answer
// that is not looked at, and few trials go to it.
func TestUnreadAnswersHaveNoFields(t *testing.T) {
	o := oneRequest("/cancel/7")
	o.Words = wordsOf("\"/orders\"\nif read(\"status\") == \"cancelled\"\n\"status\" \"other\"")
	api := &world{handle: func(w *world, _ Request) (int, string) {
		if r := w.get("a.example:80", "/orders/7"); r.gone || r.status >= 500 {
			return 502, `{"error": "down"}`
		}
		return 200, `{"status": "cancelled"}`
	}}
	found, err := Run(t.Context(), api, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Fields) > 0 || len(found.Behaviors) > 4 {
		t.Errorf("fields %v, behaviors %q", found.Fields, outline(found.Behaviors))
	}
}

// Requests of one service begin with what the first learned of it.
func TestRequestsShareWhatTheyLearn(t *testing.T) {
	o := oneRequest("/a")
	o.Requests = append(o.Requests, Request{Method: "GET", Target: "/b"})
	o.Words = wordsOf("\"/item\"\nread(\"id\")\nread(\"count\")\n")
	first := map[string]int{}
	trials := map[string]int{}
	_, err := Run(t.Context(), &world{handle: func(w *world, r Request) (int, string) {
		trials[r.Target]++
		v := w.get("a.example:80", "/item")
		for _, name := range []string{"id", "count"} {
			if at(v.json, name) == nil {
				return 502, fmt.Sprintf(`{"error": "sent no %s"}`, name)
			}
		}
		if first[r.Target] == 0 {
			first[r.Target] = trials[r.Target]
		}
		return 200, `{"ok": true}`
	}}, o)
	if err != nil {
		t.Fatal(err)
	}
	if first["/b"] == 0 || first["/b"] >= first["/a"] {
		t.Errorf("went well after so many of its trials: %v", first)
	}
}

// apart are empty lines, which put what stands around them apart.
func apart(n int) string { return string(slices.Repeat([]byte("\n"), n)) }

// Values that the files compare a name with come first, then those that stand near it, and near the path of the call.
func TestWordsNear(t *testing.T) {
	w := wordsOf("call(\"/v2/shipments/{n}\")\nstatus = read(\"status\")\nif status == \"LOST\":\n    log(\"gone\")\nif weight > 30000:\n" + apart(40) +
		"call(\"/charges\")\nif read(\"status\") == 'paid in full':\n" + apart(40) + "type T struct {\n\tWind float64 `json:\"wind_ms\"`\n}\nif wind > 12 {\n")
	shipments, charges := Endpoint{Path: "/v2/shipments/{}"}, Endpoint{Path: "/charges"}
	for _, c := range []struct {
		of     Endpoint
		name   string
		text   string
		number float64
	}{{shipments, "status", "LOST", 30000}, {charges, "status", "paid in full", 0}, {shipments, "weight", "", 30000}, {charges, "wind_ms", "", 12}} {
		texts, numbers := w.near(c.of, c.name, 3)
		if c.text != "" && (len(texts) == 0 || texts[0] != c.text) {
			t.Errorf("near %s of %s: %q", c.name, c.of.Path, texts)
		}
		if c.number != 0 && (len(numbers) == 0 || numbers[0] != c.number) {
			t.Errorf("near %s of %s: %v", c.name, c.of.Path, numbers)
		}
	}
	if around := w.around(charges, nil); len(around) == 0 || around[0] != "status" {
		t.Errorf("around the charges: %q", around)
	}
}
