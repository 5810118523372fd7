package search

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
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
