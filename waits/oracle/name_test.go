package oracle

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// An element keeps the names that it had alone in each run that passed and looked, but for texts that move, or are
// what is asked.
func TestNames(t *testing.T) {
	id, save := Name{By: "id", Locator: Locator{Using: "css selector", Value: "#a"}}, Name{By: "text", Tag: "b", Text: "Save"}
	label := Name{By: "role", Role: "button", Text: "Close"}
	one := func(names ...Name) [][]Name { return [][]Name{names} }
	for _, tt := range []struct {
		name    string
		answer  string
		failed  [][]Name // of a run that failed
		passed  [][][]Name
		changes []Mutation
		want    [][]Name
	}{
		{"in all", "true", nil, [][][]Name{one(id, save), one(id, save)}, nil, one(id, save)},
		{"in one of two", "true", nil, [][][]Name{one(id, label, save), one(label, id)}, nil, one(id, label)},
		{"an id that is drawn anew", "true", nil, [][][]Name{one(id), one()}, nil, one()},
		{"a run that did not look", "true", nil, [][][]Name{nil, one(id), nil}, nil, one(id)},
		{"nobody looked", "true", nil, [][][]Name{nil, nil}, nil, nil},
		{"a run that failed", "true", one(save), [][][]Name{one(id)}, nil, one(id)},
		{"within another root", "true", nil, [][][]Name{one(id), {{id}, {id}}}, nil, [][]Name{}},
		{"a text that moves", "true", nil, [][][]Name{one(save, label)}, []Mutation{{Element: "b", Property: "text", Old: "Wait", New: "Save"}}, one(label)},
		{"one that it was", "true", nil, [][][]Name{one(save)}, []Mutation{{Element: "b", Property: "text", Old: "Save", New: "Done"}}, one()},
		{"a label that moves", "true", nil, [][][]Name{one(label, save)}, []Mutation{{Element: "b", Property: "@aria-label", Old: "Open", New: "Close"}}, one(save)},
		{"what is asked", `"Save"`, nil, [][][]Name{one(id, label, save)}, nil, one(id, label)},
		{"what is asked, with signs that JSON escapes", `"\u003cb\u003e \"c\"\nd"`, nil, [][][]Name{one(Name{By: "text", Tag: "b", Text: `<b> "c" d`}, id)}, nil, one(id)},
		{"one that moves, and is spaced", "true", nil, [][][]Name{one(Name{By: "text", Tag: "b", Text: "Save all"}, id)},
			[]Mutation{{Element: "b", Property: "text", Old: "", New: "Save\n   all"}}, one(id)},
		{"a part of it", `"Save all"`, nil, [][][]Name{one(save)}, nil, one()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &Session{}
			add := func(status int, names [][]Name) {
				s.Runs = append(s.Runs, Run{Status: status, Mutations: tt.changes, Commands: []Command{
					{Browser: 1, Kind: Reads, Does: "read", Reads: "text", Given: Answer{Value: tt.answer}, First: Answer{Value: tt.answer}, Names: names}}})
			}
			if tt.failed != nil {
				add(1, tt.failed)
			}
			for _, names := range tt.passed {
				add(0, names)
			}
			if diff := cmp.Diff(tt.want, Learn(s).Waits()[0].Names, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
	if Rank("id") >= Rank("test id") || Rank("role") >= Rank("text") || Rank("text") >= Rank("") {
		t.Error("names are in another order")
	}
}
