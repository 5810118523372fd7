package golang

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// sendingTest is a file with a test whose assertion sends a request.
func sendingTest(assertion string) string {
	return `package shop

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
)

const base = "http://localhost:1"

func truth(t *testing.T) { assert.True(t, true) }

func get(path string) *http.Response {
	resp, _ := http.Get(base + path)
	return resp
}

func wantStatus(t *testing.T, resp *http.Response, want int) {
	t.Helper()
	if resp.StatusCode != want {
		t.Fatal(resp.Status)
	}
}

func TestIt(t *testing.T) {
	` + assertion + `
}
`
}

// An assertion that sends a request itself is understood; whatever is said in its place sends the request too, once,
// and so does what is left where nothing is.
func TestAssertionsThatSend(t *testing.T) {
	status := expr.Answer{Var: "call 0"}
	below := expr.Cmp(status, expr.Lt, expr.Int(300))
	for _, tt := range []struct {
		assertion, read string
		x               expr.Expr
		said, disabled  string
	}{
		{`assert.Equal(t, http.StatusNoContent, get("/a").StatusCode)`, `equal /status 204`, below,
			`assert.Less(t, get("/a").StatusCode, 300)`,
			"_ = get(\"/a\").StatusCode\n\t// assert.Equal(t, http.StatusNoContent, get(\"/a\").StatusCode)"},
		{`assert.Equal(t, 204, get("/a").StatusCode)`, `equal /status 204`,
			expr.Cmp(status, expr.In, expr.Set{Elems: []expr.Expr{expr.Int(204), expr.Int(404)}}),
			`assert.Contains(t, []int{204, 404}, get("/a").StatusCode)`,
			"_ = get(\"/a\").StatusCode\n\t// assert.Equal(t, 204, get(\"/a\").StatusCode)"},
		{`assert.Equal(t, 204, get("/a").StatusCode)`, `equal /status 204`, expr.Or{Xs: []expr.Expr{below, expr.Cmp(status, expr.Eq, expr.Int(304))}}, "",
			"_ = get(\"/a\").StatusCode\n\t// assert.Equal(t, 204, get(\"/a\").StatusCode)"},
		{`wantStatus(t, get("/a"), 204)`, `equal /status 204`, below,
			`if get("/a").StatusCode >= 300 {` + "\n\t\tt.Fatal(\"not as in wantStatus(t, get(\\\"/a\\\"), 204)\")\n\t}",
			"_ = get(\"/a\")\n\t// wantStatus(t, get(\"/a\"), 204)"},
		{"if get(\"/a\").StatusCode != 204 {\n\t\tt.Error(\"no\")\n\t}", `equal /status 204`, below,
			"if get(\"/a\").StatusCode >= 300 {\n\t\tt.Error(\"no\")\n\t}",
			"_ = get(\"/a\").StatusCode\n\t// if get(\"/a\").StatusCode != 204 {\n\t// \tt.Error(\"no\")\n\t// }"},
		{"if get(\"/a\").StatusCode != 204 {\n\t\tt.Error(\"no\")\n\t}", `equal /status 204`,
			expr.Or{Xs: []expr.Expr{below, expr.Cmp(status, expr.Eq, expr.Int(304))}}, "",
			"_ = get(\"/a\").StatusCode\n\t// if get(\"/a\").StatusCode != 204 {\n\t// \tt.Error(\"no\")\n\t// }"},
		{"if at := \"/a\"; get(at).StatusCode != 204 {\n\t\tt.Error(at)\n\t}", `not: it sends a request itself`, nil, "", ""},
		{"if get(\"/a\").StatusCode != get(\"/b\").StatusCode {\n\t\tt.Error(\"no\")\n\t}", `not: it sends a request itself`, nil, "", ""},
		{`assert.Equal(t, get("/b").StatusCode, get("/a").StatusCode)`, `not: it sends a request itself`, nil, "", ""},
		{`assert.True(t, get("/a").StatusCode == 204)`, `not: it sends a request itself`, nil, "", ""},
	} {
		s := wrote(t, sendingTest(tt.assertion))
		test := s.Tests[0]
		a := test.Assertions[len(test.Assertions)-1]
		read := strings.Join([]string{string(a.Relation), string(a.Place), a.Value}, " ")
		if !a.Understood() {
			read = "not: " + a.Reason
		}
		if read != tt.read {
			t.Errorf("%s: %s, want %s", tt.assertion, read, tt.read)
		}
		if tt.x == nil || !a.Understood() {
			continue
		}
		said, ok := s.Writer.Assert(s, test, a, tt.x)
		if said != tt.said || ok != (tt.said != "") {
			t.Errorf("%s: %q, want %q", tt.assertion, said, tt.said)
		}
		disabled := script.Apply(s.Text, s.Writer.Disable(s, a))
		if !strings.Contains(disabled, tt.disabled) {
			t.Errorf("%s: %s", tt.assertion, disabled)
		}
		texts := []string{disabled}
		if ok {
			texts = append(texts, script.Apply(s.Text, []script.Edit{{Start: a.At.Start, End: a.At.End, Text: said}}))
		}
		for _, text := range texts {
			if _, err := parser.ParseFile(token.NewFileSet(), "it_test.go", text, 0); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
		}
	}
}
