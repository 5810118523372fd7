package search

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// A field that may be missing is known where something else has its name, by what the parser says of a value that it does
// not take: all at once or one after the other, in elements of lists too; a name that the parser does not know is no field.
func TestBorrowedNames(t *testing.T) {
	for name, most := range map[string]int{"all errors": 10, "the first one": 1} {
		o := oneRequest("/renewals?counter=4")
		o.Requests = append([]Request{{Method: "GET", Target: "/loans"}}, o.Requests...)
		found := searchWorld(t, o, func(w *world, r Request) (int, string) {
			path, fields := "/loans", []string{"fee!", "title!"}
			if strings.HasPrefix(r.Target, "/renewals") {
				path, fields = "/renewed", []string{"id!", "fee", "title", "counter"}
			}
			a := w.get("circ.example:80", path)
			if a.status != 200 || a.gone {
				return 503, `{"error": "down"}`
			}
			list, _ := at(a.json, "items").([]any)
			if len(list) == 0 {
				return 502, `{"error": "items: Input should be a valid list"}`
			}
			var said []string
			for _, f := range fields {
				f, needed := strings.CutSuffix(f, "!")
				_, is := at(list[0], f).(float64)
				switch v := at(list[0], f); {
				case v == nil && needed:
					said = append(said, fmt.Sprintf("items.0.%s: Field required", f))
				case v != nil && !is:
					said = append(said, fmt.Sprintf("items.0.%s: Input should be a valid number", f))
				}
			}
			if len(said) > 0 {
				w.log = strings.Join(said[:min(most, len(said))], "\n")
				return 502, `{"error": "odd"}`
			}
			return 200, `{"state": "fine", "renewed": true}`
		})
		known := map[exchange.Place]string{}
		for _, f := range found.Fields {
			if f.Endpoint.Path == "/renewed" {
				known[f.Place] = fmt.Sprint(f.Kinds)
			}
		}
		for p, want := range map[exchange.Place]string{"fee": "[number]", "title": "[number]", "counter": "[number]", "state": "", "renewed": ""} {
			if got := known["/body/items/*/"+p]; got != want {
				t.Errorf("%s: %s is %q, want %q; known are %v", name, p, got, want, known)
			}
		}
	}
}

// Where no parser says what it wants, names are not tried: there is nothing to learn from.
func TestNothingBorrowedWithoutParser(t *testing.T) {
	o := oneRequest("/renewals?counter=4")
	tried := 0
	searchWorld(t, o, func(w *world, _ Request) (int, string) {
		a := w.get("circ.example:80", "/renewed")
		if a.status != 200 || a.gone {
			return 503, `{"error": "down"}`
		}
		if at(a.json, "counter") != nil {
			tried++
		}
		return 200, `{"state": "fine", "renewed": true}`
	})
	if tried > 0 {
		t.Errorf("a name of the request is tried %d times", tried)
	}
}
