package search

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/mock/search/wordings"
)

// An API that answers the same whatever it does not take, and logs why, is taken on by its log alone, line by line: to a
// list that is the whole answer, and to values in the forms and within the bounds that its parser wants.
func TestLearnFromLogs(t *testing.T) {
	o := oneRequest("/loans")
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		r := w.get("circ.example:80", "/patrons/7/loans")
		if r.status != 200 {
			return 503, `{"error": "down"}`
		}
		var lines []string
		says := func(place, what string) { lines = append(lines, "ERROR loans: "+place+": "+what+"\n") }
		loans, is := r.json.([]any)
		if !is {
			says("", "Input should be a valid array")
		}
		for i, loan := range loans {
			below := fmt.Sprint(i, ".")
			if copies, is := at(loan, "copies").(float64); at(loan, "copies") == nil {
				says(below+"copies", "Field required")
			} else if !is {
				says(below+"copies", "Input should be a valid integer")
			} else if copies < 40 {
				says(below+"copies", "Input should be greater than or equal to 40")
			}
			if isbn, is := at(loan, "isbn").(string); at(loan, "isbn") == nil {
				says(below+"isbn", "Field required")
			} else if !is {
				says(below+"isbn", "Input should be a valid string")
			} else if len(isbn) != 10 || strings.Trim(isbn, "0123456789") != "" {
				says(below+"isbn", `String should match pattern '^\d{10}$'`)
			}
			if state := at(loan, "state"); state == nil {
				says(below+"state", "Field required")
			} else if state != "lent" && state != "lost" {
				says(below+"state", "Input should be 'lent' or 'lost'")
			}
		}
		if w.log = strings.Join(lines, ""); w.log != "" {
			return 502, `{"error": "invalid loans"}`
		}
		for _, loan := range loans {
			return 200, fmt.Sprintf(`{"first": %q}`, at(loan, "state"))
		}
		return 200, `{"first": "none"}`
	})
	wanted(t, found, `{error: "invalid loans"}`, `{first: text given}`)
	kinds := map[exchange.Place]string{}
	for _, f := range found.Fields {
		kinds[f.Place] = fmt.Sprint(f.Kinds, f.Values)
	}
	for p, want := range map[exchange.Place]string{"/body/*/copies": "[number] []", "/body/*/isbn": "[string] []", "/body/*/state": "[string] [lent lost]"} {
		if kinds[p] != want {
			t.Errorf("%s is %s, want %s; known are %v", p, kinds[p], want, kinds)
		}
	}
}

// The type that a parser tells of a known field is the field's, where it lies in one answer alone; what it was known to be
// before, and what plain words say, stays.
func TestTypesFromParsers(t *testing.T) {
	one, two := Endpoint{Service: "circ.example:80", Method: "GET", Path: "/loans"}, Endpoint{Service: "desk.example:80", Method: "GET", Path: "/desk"}
	number := wordings.Told{Place: "/body/copies", From: wordings.Root, Kind: kind.Number}
	plain := number
	plain.Plain = true
	in := func(endpoints ...Endpoint) setting {
		set := setting{}
		for _, e := range endpoints {
			set[e] = Answer{Status: 200, JSON: map[string]any{"copies": "x"}}
		}
		return set
	}
	for _, c := range []struct {
		name string
		was  kind.Kind
		set  setting
		told wordings.Told
		want kind.Kind
	}{
		{"in one answer", kind.Unknown, in(one), number, kind.Number},
		{"in two", kind.Unknown, in(one, two), number, kind.Unknown},
		{"known before", kind.Boolean, in(one), number, kind.Boolean},
		{"by plain words", kind.Unknown, in(one), plain, kind.Unknown},
	} {
		k := newKnowledge()
		k.learn(one, []field{{place: "/body/copies", kind: c.was, source: FromWords}})
		k.typed(c.set, []wordings.Told{c.told})
		if got := k.field(one, "/body/copies").kind; got != c.want {
			t.Errorf("%s: it is of %q, want %q", c.name, got, c.want)
		}
	}
}
