package oracle

import (
	"strings"
	"testing"
)

// A sleep before reads is covered where waits for them wait for all that happened meanwhile.
func TestCovers(t *testing.T) {
	changed := func(element string, at float64) Mutation {
		text := map[string]string{"#age": "23"}[element] + element
		return Mutation{Browser: 1, Element: element, Property: "text", New: strings.TrimSuffix(text, "#age"), At: at, Later: true, Visible: true}
	}
	read := func(element string, start float64, value string) Command {
		a := Answer{Value: `"` + value + `"`, At: start + 5}
		return Command{Browser: 1, Kind: Reads, Does: "text of " + element, Reads: "text", Start: start, First: a, Given: a,
			Found: []Locator{{Using: "css selector", Value: element}}}
	}
	click := Command{Browser: 1, Kind: Acts, Does: "click", Start: 100}
	age := read("#age", 1100, "23")
	late := Command{Browser: 1, Kind: Reads, Does: "find #age", By: age.Found[0], Start: 1000, First: Answer{Error: "no such element", At: 1010},
		Given: Answer{Value: `"an element"`, At: 1100}}
	hidden := age
	hidden.Unseen = true
	gone := changed("#note", 800)
	gone.Old, gone.New = "x", ""
	back := gone
	back.Old, back.New, back.At = "", "x", 850
	for _, tt := range []struct {
		name string
		run  Run
		want bool
	}{
		{"the one thing that changed", Run{Commands: []Command{click, age}, Mutations: []Mutation{changed("#age", 400)}}, true},
		{"another look at once", Run{Commands: []Command{click, age, read("#error", 1120, "")}, Mutations: []Mutation{changed("#age", 400)}}, false},
		{"another change", Run{Commands: []Command{click, age}, Mutations: []Mutation{changed("#age", 400), changed("#more", 900)}}, false},
		{"another change at once", Run{Commands: []Command{click, age}, Mutations: []Mutation{changed("#age", 400), changed("#more", 410)}}, true},
		{"a change once it was read", Run{Commands: []Command{click, age}, Mutations: []Mutation{changed("#age", 400), changed("#more", 1300)}}, true},
		{"what came and went", Run{Commands: []Command{click, age}, Mutations: []Mutation{changed("#age", 400), gone, back}}, true},
		{"a request that took longer", Run{Commands: []Command{click, age}, Mutations: []Mutation{changed("#age", 400)},
			Requests: []Request{{Browser: 1, Start: 150, End: 950}}}, false},
		{"one that is under way all the time", Run{Commands: []Command{click, age}, Mutations: []Mutation{changed("#age", 400)},
			Requests: []Request{{Browser: 1, Start: 150}}}, true},
		{"an element that came, and its text", Run{Commands: []Command{click, late, read("#age", 1120, "23")}}, true},
		{"an element that came, and the text of another", Run{Commands: []Command{click, late, read("#error", 1120, "")}}, false},
		{"nothing that changed", Run{Commands: []Command{click, age}}, false},
		{"a window that was watched too late", Run{Commands: []Command{click, hidden}, Mutations: []Mutation{changed("#age", 400)}}, false},
		{"no action", Run{Commands: []Command{age}, Mutations: []Mutation{changed("#age", 400)}}, false},
	} {
		m := Learn(&Session{Runs: []Run{tt.run}})
		for _, w := range m.Waits() {
			if w.Command.Kind == Reads && w.Covers != tt.want {
				t.Errorf("%s: %t", tt.name, w.Covers)
			}
		}
	}
	failed := Run{Status: 1, Commands: []Command{click, age}, Mutations: []Mutation{changed("#age", 400), changed("#more", 900)}}
	fine := Run{Commands: []Command{click, age}, Mutations: []Mutation{changed("#age", 400)}}
	more := fine
	more.Mutations = failed.Mutations
	for _, tt := range []struct {
		runs []Run
		want bool
	}{{[]Run{fine, failed}, true}, {[]Run{fine, more}, false}, {[]Run{more, fine}, false}} {
		for _, w := range Learn(&Session{Runs: tt.runs}).Waits() {
			if w.Command.Kind == Reads && w.Covers != tt.want {
				t.Errorf("%d runs: %t, want %t", len(tt.runs), w.Covers, tt.want)
			}
		}
	}
}
