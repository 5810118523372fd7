package suite

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// tableTest is a file with a table test.
func tableTest(loop string) string {
	return `package a

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestIt(t *testing.T) {
	tests := []struct {
		name, path string
		want       string
	}{
		{"one", "/a", "tea"},
		{"two", "/b", "cup 4711"},
		{"three", "/c", "pot"},
	}
	` + loop + ` {
		res, err := http.Get("http://localhost:1" + tt.path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		MARK
	}
}
`
}

// One row of a table test that moves is told apart, and the others are asserted as they were; where nothing tells rows
// apart, or all of them move, what is left is said of all, if anything is.
func TestOneRowMoves(t *testing.T) {
	const plain = "if got := string(body); got != tt.want {\n\t\t\tt.Error(got)\n\t\t}"
	const ranged = "for _, tt := range tests"
	for _, tt := range []struct{ name, loop, assertion, moves, want string }{
		{"a condition", ranged, plain, "/b", "if got := string(body); got != tt.want && (tt.name != \"two\" || got == \"\") {\n"},
		{"testify", ranged, "assert.Equal(t, tt.want, string(body))", "/b",
			"if tt.name != \"two\" || string(body) == \"\" {\n\t\t\tassert.Equal(t, tt.want, string(body))\n\t\t}\n"},
		{"by the number", "for i := range tests", "tt := tests[i]\n\t\t_ = tt\n\t\tassert.Equal(t, tt.want, string(body))", "/b", ""},
		{"all", ranged, plain, "/a /b /c", "if got := string(body); got == \"\" {\n"},
		{"two", ranged, plain, "/a /b", "if got := string(body); got != tt.want && (tt.name != \"one\" || got == \"\") && (tt.name != \"two\" || got == \"\") {\n"},
		{"a variable that changes", ranged, "tt.name = \"x\"\n\t\t" + plain, "/b", "\t\tif got := string(body); got != tt.want {\n"},
		{"another of its name", ranged, "{\n\t\t\ttt := tests[0]\n\t\t\tassert.Equal(t, tt.want, string(body))\n\t\t}", "/b", "if false {\n\t\t\t\tassert.Equal("},
	} {
		text := strings.Replace(tableTest(tt.loop), "MARK", tt.assertion, 1)
		if strings.HasPrefix(tt.loop, "for i") {
			text = strings.Replace(text, "http.Get(\"http://localhost:1\" + tt.path)", "http.Get(\"http://localhost:1\" + tests[i].path)", 1)
			tt.want = "if i != 1 || string(body) == \"\" {\n\t\t\tassert.Equal(t, tt.want, string(body))\n\t\t}\n"
		}
		var steps []exchange.Step
		for i, row := range []string{"/a tea", "/b cup 4711", "/c pot"} {
			path, body, _ := strings.Cut(row, " ")
			other := body
			if strings.Contains(tt.moves, path) {
				other = "x 1"
			}
			steps = append(steps, stepOf(uint64(i+1), path, []*exchange.Response{reply(200, "", body), reply(200, "", other)}))
		}
		p, err := Patch("a_test.go", []byte(text), Source{Steps: steps}, PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(p.Data), tt.want) {
			t.Errorf("%s:\n%s", tt.name, p.Data)
		}
		if again, err := Patch("a_test.go", p.Data, Source{Steps: steps}, PatchOptions{}); err != nil || string(again.Data) != string(p.Data) {
			t.Errorf("%s: patched again it is (%v)\n%s", tt.name, err, again.Data)
		}
	}
}
