package snapshot

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/suite/expr"
)

// What is scrubbed of an approved text is said by a pattern, which read again says the same.
func TestScrubs(t *testing.T) {
	const text = "{\n  \"a\": [{\"at\": \"x\", \"n\": 1}, {\"at\": \"y\", \"n\": 2}],\n  \"k.k\": 1\n}\n"
	at, n := expr.Name{ID: "at"}, expr.Name{ID: "n"}
	hex := expr.Match{X: at, Pattern: "[0-9a-f]{8}", Full: true}
	for _, tt := range []struct {
		name string
		says map[string]expr.Expr // by the members, of each element
		want []Scrub
	}{
		{"a pattern", map[string]expr.Expr{"at": hex}, []Scrub{{`"at": "[0-9a-f]{8}"`, `"at": "<at>"`}}},
		{"types", map[string]expr.Expr{"at": expr.IsType{X: at, Types: []expr.Type{expr.TypeString}}, "n": expr.IsType{X: n, Types: []expr.Type{expr.TypeInt}}},
			[]Scrub{{`"at": ` + anyText, `"at": "<at>"`}, {`"n": ` + anyInteger, `"n": "<n>"`}}},
		{"a pattern of what has to be escaped in JSON", map[string]expr.Expr{"at": expr.Match{X: at, Pattern: "[^a]+", Full: true}}, nil},
		{"alternatives", map[string]expr.Expr{"at": expr.Match{X: at, Pattern: "a|b", Full: true}}, nil},
		{"a range", map[string]expr.Expr{"n": expr.Between{Low: expr.Int(1), X: n, High: expr.Int(2)}}, nil},
		{"a name with a point", map[string]expr.Expr{"k.k": expr.IsType{X: n, Types: []expr.Type{expr.TypeInt}}}, nil},
		{"one of two of a name", map[string]expr.Expr{"first at": hex}, nil},
	} {
		root, err := JSON(text)
		if err != nil {
			t.Fatal(err)
		}
		said := map[*Node][]expr.Expr{}
		note := func(of *Node, first bool) {
			for i, key := range of.Keys {
				if x := tt.says[key]; x != nil {
					said[of.Kids[i]] = []expr.Expr{x}
				} else if x := tt.says["first "+key]; x != nil && first {
					said[of.Kids[i]] = []expr.Expr{x}
				}
			}
		}
		note(root, false)
		note(root.Kids[0].Kids[0], true)
		note(root.Kids[0].Kids[1], false)
		got, ok := Scrubs(text, root, said)
		if !ok {
			got = nil
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || ok != (tt.want != nil) {
			t.Errorf("%s: -want +got\n%s", tt.name, diff)
		}
		if !ok {
			continue
		}
		again, err := JSON(Scrubbed(text, said, root))
		if err != nil || !ReadScrubbed(again, got) {
			t.Fatalf("%s: it is not read again: %v", tt.name, err)
		}
		for i, element := range again.Kids[0].Kids {
			for j, kid := range element.Kids {
				if x := said[root.Kids[0].Kids[i].Kids[j]]; x != nil && !expr.Identical(kid.Means(expr.Name{ID: element.Keys[j]}), x[0]) {
					t.Errorf("%s: it means %v", tt.name, kid.Means(at))
				}
			}
		}
		if ReadScrubbed(again, []Scrub{{`"at": .*`, `"at": "x"`}}) || ReadScrubbed(root, got) {
			t.Errorf("%s: scrubs are read that are none of the text", tt.name)
		}
	}
}

func FuzzReadApproved(f *testing.F) {
	for _, text := range []string{"{}", `{"a": [1, "x", null, {"b": true}]}`, `{"a": "<a>", "a": 1}`, "[", strings.Repeat("[", 200), `"a" "b"`} {
		f.Add(text, `"a": .+`, `"a": "<a>"`)
	}
	f.Fuzz(func(t *testing.T, text, pattern, instead string) {
		root, err := JSON(text)
		if err != nil {
			return
		}
		root.Walk(func(n *Node) {
			if n.Start < 0 || n.Start > n.End || n.End > len(text) || n.Kind == Object && len(n.Keys) != len(n.Kids) {
				t.Fatalf("%+v", n)
			}
		})
		ReadScrubbed(root, []Scrub{{pattern, instead}})
	})
}
