package suite

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// Lists whose order moves are compared in any order, also where they were compared as one text, or by options of go-cmp;
// what a table of tests collects in a loop, in each of its rounds.
func TestListsInAnyOrderGo(t *testing.T) {
	for _, c := range []struct{ says, want string }{
		{`assert.Equal(t, "a, b", strings.Join(names, ", "))`, "assert.ElementsMatch(t, []string{\"a\", \"b\"}, names)\n\t_ = strings.Join\n"},
		{`assert.Equal(t, "a, b", strings.Join(names, ", ")+"")`, ""},
		{`assert.Equal(t, "a, c", strings.Join(names, ", "), "in order")`, "assert.Contains(t, names, \"a\", \"in order\")\n\t_ = strings.Join\n"},
		{"if got := strings.Join(names, \",\"); got != \"a,b\" {\n\t\tt.Error(got)\n\t}",
			"if got := strings.Join(names, \",\"); !slices.Equal(slices.Sorted(slices.Values(names)), []string{\"a\", \"b\"}) {"},
		{"if diff := cmp.Diff([]string{\"a\", \"b\"}, names, cmpopts.EquateEmpty()); diff != \"\" {\n\t\tt.Error(diff)\n\t}",
			"if diff := cmp.Diff([]string{\"a\", \"b\"}, names, cmpopts.EquateEmpty()); !slices.Equal(slices.Sorted(slices.Values(names)), []string{\"a\", \"b\"}) {"},
		{"if diff := cmp.Diff([]string{\"a\", \"b\"}, names, cmpopts.SortSlices(less)); diff != \"\" {\n\t\tt.Error(diff)\n\t}", ""},
	} {
		source := "package a\n\nimport (\n\t\"encoding/json\"\n\t\"net/http\"\n\t\"slices\"\n\t\"strings\"\n\t\"testing\"\n\n" +
			"\t\"github.com/google/go-cmp/cmp\"\n\t\"github.com/google/go-cmp/cmp/cmpopts\"\n\t\"github.com/stretchr/testify/assert\"\n)\n\n" +
			"func TestIt(t *testing.T) {\n\tvar v []struct{ Name string }\n\tresp, _ := http.Get(\"http://127.0.0.1:1/x\")\n" +
			"\t_ = json.NewDecoder(resp.Body).Decode(&v)\n\tvar names []string\n\tfor _, e := range v {\n\t\tnames = append(names, e.Name)\n\t}\n\t" +
			c.says + "\n}\n\nvar _ = cmp.Diff(1, 2, cmpopts.EquateEmpty())\n\nvar less = slices.Contains([]string{}, \"\")\n"
		steps := []exchange.Step{stepOf(1, "/x", replies(`[{"name":"a"},{"name":"b"}]`, `[{"name":"b"},{"name":"a"}]`))}
		p, err := Patch("a_test.go", []byte(source), Source{Steps: steps}, PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got := uncommented(string(p.Data), "// ")
		if c.want == "" && string(p.Data) != source || !strings.Contains(got, c.want) {
			t.Errorf("%s\n got %s\nwant %s", c.says, p.Data, c.want)
		}
	}
}
