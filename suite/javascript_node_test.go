package suite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/suite/expr"
)

// nodeProgram is the path of Node; the test is skipped where it is missing, unless it must not be.
func nodeProgram(t testing.TB) string {
	t.Helper()
	return needs.Program(t, "node")
}

// nodeCase is a piece of JavaScript, and the answers that it speaks of.
type nodeCase struct {
	Code    string                `json:"code"`
	Answers map[string]nodeAnswer `json:"answers"`
}

type nodeAnswer struct {
	Status int               `json:"status"`
	Header map[string]string `json:"header"`
	Text   string            `json:"text"`
}

func nodeAnswerOf(r *exchange.Response) nodeAnswer {
	body, _ := r.Payload()
	a := nodeAnswer{Status: r.Status, Header: map[string]string{}, Text: string(body)}
	for _, f := range r.Header {
		a.Header[strings.ToLower(f.Name)] = f.Value
	}
	return a
}

// runNode runs all cases in one process, and returns for each "" where it went through, or why it did not.
func runNode(t testing.TB, program string, cases []nodeCase) []string {
	t.Helper()
	if len(cases) == 0 { // all others were left out by -run
		return nil
	}
	dir := t.TempDir()
	data, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join("testdata", "javascript", program)
	input := filepath.Join(dir, "cases.json")
	if err := os.WriteFile(input, data, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(nodeProgram(t), script, input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, stderr.String())
	}
	var results []string
	if err := json.Unmarshal(out, &results); err != nil || len(results) != len(cases) {
		t.Fatalf("node: %v, %d results of %d\n%s", err, len(results), len(cases), out)
	}
	return results
}

// aValue draws a JSON value that the expressions below look at.
func aValue(t *rapid.T, depth int) any {
	kinds := 8
	if depth == 0 {
		kinds = 6
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return nil
	case 1:
		return rapid.SampledFrom([]any{true, false, nil, "true"}).Draw(t, "bool")
	case 2:
		return rapid.IntRange(-3, 12).Draw(t, "int")
	case 3:
		return rapid.SampledFrom([]float64{0.5, -2.25, 1e21, 3.0}).Draw(t, "float")
	case 4, 5:
		return rapid.SampledFrom([]string{"", "x", "12", "2026-01-02", "it's \"a\\b\"", "é\n😀", "/x/1", "a.b"}).Draw(t, "text")
	case 6:
		out := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "elements") {
			out = append(out, aValue(t, depth-1))
		}
		return out
	}
	out := map[string]any{}
	for range rapid.IntRange(0, 3).Draw(t, "members") {
		out[rapid.SampledFrom([]string{"a", "b", "odd-key", "length", "0"}).Draw(t, "key")] = aValue(t, depth-1)
	}
	return out
}

func aReply(t *rapid.T) *exchange.Response {
	body, err := json.Marshal(aValue(t, 3))
	if err != nil {
		t.Fatal(err)
	}
	headers := rapid.SampledFrom([]string{jsonType, jsonType, jsonType, "Content-Type: text/html\r\n", ""}).Draw(t, "type")
	headers += rapid.SampledFrom([]string{"", "X-A: b\r\n"}).Draw(t, "header")
	if rapid.IntRange(0, 9).Draw(t, "empty") == 0 {
		body = nil
	}
	return reply(rapid.SampledFrom([]int{200, 404}).Draw(t, "status"), headers, string(body))
}

// anExpression draws what flaketap says of an answer.
func anExpression(t *rapid.T) expr.Expr {
	const r = "res_0"
	json := expr.Answer{Var: r, Part: expr.JSON}
	step := func(x expr.Expr, i expr.Expr) expr.Expr { return expr.Index{X: x, I: i} }
	str := func(s string) expr.Expr { return expr.Str{Value: s} }
	l := rapid.SampledFrom([]expr.Expr{json, step(json, str("a")), step(step(json, str("a")), str("b")), step(json, expr.Int(0)),
		step(step(json, expr.Int(1)), str("a")), step(json, str("odd-key")), expr.Answer{Var: r, Part: expr.Text}}).Draw(t, "place")
	x := rapid.SampledFrom(forms(l)).Draw(t, "form")
	if last, ok := l.(expr.Index); ok && rapid.Bool().Draw(t, "guard") {
		kind, missing := expr.TypeObject, expr.Cmp(last.I, expr.NotIn, last.X)
		if _, ok := last.I.(expr.Num); ok {
			kind, missing = expr.TypeArray, expr.Cmp(expr.Length{X: last.X}, expr.Le, last.I)
		}
		x = expr.AnyOf(expr.Not{X: expr.IsType{X: last.X, Types: []expr.Type{kind}}}, missing, x)
	}
	status, headers, header := expr.Answer{Var: r}, expr.Answer{Var: r, Part: expr.Headers}, expr.Header(r, "x-a")
	switch rapid.IntRange(0, 5).Draw(t, "status") {
	case 0:
		x = expr.AnyOf(expr.Cmp(status, expr.Ne, expr.Int(200)), x)
	case 1:
		return rapid.SampledFrom([]expr.Expr{
			expr.Cmp(status, expr.In, expr.Set{Elems: []expr.Expr{expr.Int(200), expr.Int(201)}}),
			expr.Between{Low: expr.Int(100), X: status, High: expr.Int(599)},
			expr.Cmp(str("x-a"), expr.In, headers),
			expr.Cmp(str("x-a"), expr.NotIn, headers),
			expr.AnyOf(expr.Cmp(str("x-a"), expr.NotIn, headers), expr.Cmp(header, expr.Eq, str("b"))),
			expr.Cmp(str("b"), expr.In, header),
			expr.AnyOf(expr.Cmp(str("b"), expr.In, header), expr.Cmp(str("json"), expr.In, header)),
			expr.Cmp(header, expr.Ne, str("")),
		}).Draw(t, "other")
	}
	return x
}

// forms are the statements that are made of a value.
func forms(l expr.Expr) []expr.Expr {
	str := func(s string) expr.Expr { return expr.Str{Value: s} }
	is := func(types ...expr.Type) expr.Expr { return expr.IsType{X: l, Types: types} }
	upTo9 := expr.Between{Low: expr.Int(0), X: l, High: expr.Int(9)}
	element := func(x expr.Expr) expr.Each { return expr.Each{Elem: x, Var: "e", List: l} }
	return []expr.Expr{
		expr.Cmp(l, expr.Eq, str("x")), expr.Cmp(l, expr.Eq, expr.Int(3)), expr.Cmp(l, expr.Eq, expr.Num{Text: "3.0"}), expr.IsNull(l),
		expr.Same(l, expr.Bool{Value: true}), expr.Cmp(l, expr.Ne, str("")), is(expr.TypeString), is(expr.TypeInt),
		is(expr.TypeArray), is(expr.TypeObject), is(expr.TypeObject, expr.TypeArray), is(expr.TypeInt, expr.TypeString),
		is(expr.TypeBool, expr.TypeObject, expr.TypeString), expr.Cmp(l, expr.In, expr.Set{Elems: []expr.Expr{expr.Int(1), expr.Int(2), str("x")}}),
		expr.AnyOf(expr.IsNull(l), is(expr.TypeString)),
		expr.Match{X: l, Pattern: `\d{4}-\d\d-\d\d`, Full: true}, expr.AnyOf(expr.IsNull(l), expr.Match{X: l, Pattern: `[0-9a-f]+|x`, Full: true}),
		expr.Between{Low: expr.Int(1), X: expr.Length{X: l}, High: expr.Int(2)}, expr.Cmp(expr.Length{X: l}, expr.Eq, expr.Int(2)),
		upTo9, expr.And{Xs: []expr.Expr{is(expr.TypeInt), upTo9}}, expr.Cmp(l, expr.Ge, expr.Int(1)),
		expr.HasPrefix{X: l, Prefix: str("x")}, expr.Cmp(str("x"), expr.In, l),
		expr.Cmp(expr.Int(2), expr.In, element(expr.Index{X: expr.Name{ID: "e"}, I: str("a")})), expr.IsEmpty{X: l}, expr.IsDigits{X: l},
		expr.Not{X: expr.Cmp(str("x"), expr.In, l)}, expr.Cmp(l, expr.Eq, expr.Object{}), expr.Cmp(l, expr.Eq, expr.List{}),
		expr.Any{X: element(expr.Cmp(expr.Name{ID: "e"}, expr.Eq, expr.Int(1)))}, expr.Cmp(l, expr.Eq, expr.Inf{}),
	}
}

// tellsNumbers reports whether an expression may tell numbers from what are none.
func tellsNumbers(x expr.Expr) bool {
	found := false
	expr.Walk(x, func(x expr.Expr) {
		switch x := x.(type) {
		case expr.Answer:
			found = found || x.Part == expr.JSON
		case expr.IsType, expr.Between, expr.Length, expr.Match, expr.Set, expr.Any, expr.IsEmpty, expr.HasPrefix, expr.IsDigits, expr.Inf, expr.Not:
			found = true
		case expr.Compare:
			found = found || x.Op == expr.Le || x.Op == expr.Ge
		}
	})
	return found
}

// TestWrittenJavaScriptMeansTheSame runs what is written in Node, and holds it against our own evaluation: what holds, holds,
// and what does not, fails.
func TestWrittenJavaScriptMeansTheSame(t *testing.T) {
	var cases []nodeCase
	var want []bool
	var about []string
	empty, err := Read("t.js", []byte("const superagent = require(\"superagent\");\nconst baseUrlOfSut = \"http://localhost:1\";\ntest(\"a\", async () => {\n    expect(1).toBe(2);\n});\n"))
	if err != nil {
		t.Fatal(err)
	}
	client := jestClient(t)
	rapid.Check(t, func(rt *rapid.T) {
		r := aReply(rt)
		x := anExpression(rt)
		text := fmt.Sprintf("%+v", x)
		if body, _ := r.Payload(); tellsNumbers(x) && regexp.MustCompile("true|false").Match(body) {
			return // a boolean is a number in Python; that a number became one is not what is asserted of numbers
		}
		names := expr.Scope{"res_0": expr.NewResponse(r, client)}
		_, failed := names.Eval(expr.Name{ID: "res_0"})
		ok, err := names.Holds(x)
		if _, raises := names.Eval(x); err != nil || expr.IsRaised(raises) || failed != nil {
			return // JavaScript does not raise everywhere that Python does: what is missing is undefined first
		}
		line, written := empty.Writer.Assert(empty, empty.Tests[0], empty.Tests[0].Assertions[0], x)
		if !written {
			rt.Fatalf("%s is not written", text)
		}
		cases = append(cases, nodeCase{Code: line, Answers: map[string]nodeAnswer{"res_0": nodeAnswerOf(r)}})
		body, _ := r.Payload()
		want, about = append(want, ok), append(about, fmt.Sprintf("%s of %s %s", text, r.Header.Get("Content-Type"), body))
	})
	wrong := 0
	for i, result := range runNode(t, "expect.js", cases) {
		if (result == "") != want[i] && wrong < 30 {
			wrong++
			t.Errorf("%s\n  %s\n  holds: %v; in Node: %q", about[i], cases[i].Code, want[i], result)
		}
	}
}

// jestClient is the client of suites for Jest.
func jestClient(t testing.TB) *expr.Client {
	t.Helper()
	s, err := Read("t.js", []byte(jestOf([]string{})))
	if err != nil {
		t.Fatal(err)
	}
	return s.Tests[0].Calls[0].Client
}
