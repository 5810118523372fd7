package search

import (
	"fmt"
	"testing"
)

// Once a word of a table matters, the others are tried: the table stands far from where the field is compared with that
// word, and other words stand near it.
func TestSearchTriesWhatATableLists(t *testing.T) {
	states := []string{"NEW", "SENT", "OUT", "DONE", "HELD", "BACK"}
	text := "STATES = {\n"
	for _, s := range states {
		text += fmt.Sprintf("    %q: 1,\n", s)
	}
	text += "}\n" + apart(60) + "\"/parcels\"\nstatus = read(\"status\")\nif status == \"NEW\":\n"
	for i := range 40 {
		text += fmt.Sprintf("say(\"word%c%c\")\n", 'a'+i/26, 'a'+i%26)
	}
	o := oneRequest("/parcels/4")
	o.Words, o.Trials = wordsOf(text), 100
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		status := at(w.get("a.example:80", "/parcels/4").json, "status")
		if status == nil {
			return 502, `{"error": "sent no status"}`
		}
		for i, s := range states {
			if s == status {
				return 200, fmt.Sprintf(`{"state": "is %c"}`, 'a'+i)
			}
		}
		return 502, `{"error": "odd"}`
	})
	wanted(t, found, `{state: "is a"}`, `{state: "is b"}`, `{state: "is c"}`, `{state: "is d"}`, `{state: "is e"}`, `{state: "is f"}`)
}

// parcelCouriers sends two couriers with what weighs more than 30 kg and less than 40, if it has a status.
func parcelCouriers(w *world, _ Request) (int, string) {
	r := w.get("a.example:80", "/parcels/4")
	grams, _ := at(r.json, "grams").(float64)
	switch {
	case at(r.json, "status") == nil:
		return 502, `{"error": "sent no status"}`
	case grams > 30000 && grams < 40000:
		return 200, `{"couriers": "two"}`
	}
	return 200, `{"couriers": "one"}`
}

// What is read of the same thing as a field that is known is tried as one, with what its name is compared with.
func TestSearchTriesWhatIsReadBesideAField(t *testing.T) {
	o := oneRequest("/parcels/4")
	o.Words = wordsOf("\"/parcels\"\nstatus = s.read(\"status\")\n" + apart(30) + "grams = s.read(\"grams\")\nif grams > 30000:\n")
	o.Trials = 60
	found := searchWorld(t, o, parcelCouriers)
	wanted(t, found, `{couriers: "one"}`, `{couriers: "two"}`)
}

// The body of a failure has what is read where its status is looked at.
func TestSearchTriesWhatAFailureSays(t *testing.T) {
	o := oneRequest("/parcels/4")
	o.Words = wordsOf("\"/parcels\"\nif a.status == 409:\n    if a.read(\"reason\") == \"closed\":\n")
	o.Trials = 60
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		r := w.get("a.example:80", "/parcels/4")
		switch {
		case r.status == 409 && at(r.json, "reason") == "closed":
			return 422, `{"error": "nobody works then"}`
		case r.status == 409:
			return 409, `{"error": "full"}`
		}
		return 502, `{"error": "down"}`
	})
	wanted(t, found, `{error: "full"}`, `{error: "nobody works then"}`)
}

// An object may have what the request asks for as its member.
func TestSearchTriesATableOfWhatIsAskedFor(t *testing.T) {
	o := oneRequest("/quote?currency=USD")
	o.Words, o.Trials = nil, 60
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		r := w.get("a.example:80", "/latest?symbols=USD")
		rates, is := at(r.json, "rates").(map[string]any)
		switch {
		case !is:
			return 502, `{"error": "sent no rates"}`
		case rates["USD"] == nil:
			return 422, `{"error": "currency not supported"}`
		}
		return 200, `{"source": "market"}`
	})
	wanted(t, found, `{source: "market"}`)
}
