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

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/exchange"
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

// anExpression draws what flaketap says of an answer, in Python's notation.
func anExpression(t *rapid.T) string {
	p := rapid.SampledFrom([]string{`R.json()`, `R.json()["a"]`, `R.json()["a"]["b"]`, `R.json()[0]`, `R.json()[1]["a"]`, `R.json()["odd-key"]`, `R.text`}).Draw(t, "place")
	last := ""
	if i := strings.LastIndex(p, "["); i > 0 {
		last, p = p[i:], p[:i]
	}
	l := p + last
	forms := []string{
		`%s == "x"`, `%s == 3`, `%s == 3.0`, `%s is None`, `%s is True`, `%s != ""`, `isinstance(%s, str)`, `isinstance(%s, int)`,
		`isinstance(%s, list)`, `isinstance(%s, dict)`, `isinstance(%s, (dict, list))`, `isinstance(%s, (int, str))`,
		`isinstance(%s, (bool, dict, str))`, `%s in (1, 2, "x")`, `%s is None or isinstance(%[1]s, str)`,
		`__import__("re").fullmatch(r"\d{4}-\d\d-\d\d", %s)`, `%s is None or __import__("re").fullmatch(r"[0-9a-f]+|x", %[1]s)`,
		`1 <= length(%s) <= 2`, `length(%s) == 2`, `0 <= %s <= 9`, `isinstance(%s, int) and 0 <= %[1]s <= 9`, `%s >= 1`,
		`%s.startswith("x")`, `"x" in %s`, `2 in [e["a"] for e in %s]`, `is_empty(%s)`, `%s.isdigit()`, `not ("x" in %s)`,
		`%s == {}`, `%s == []`, `any(e == 1 for e in %s)`, `%s == float("inf")`,
	}
	x := fmt.Sprintf(rapid.SampledFrom(forms).Draw(t, "form"), l)
	if last != "" && rapid.Bool().Draw(t, "guard") {
		missing := strings.Trim(last, "[]") + " not in " + p
		kind := "dict"
		if strings.Trim(last, "[]01") == "" {
			kind, missing = "list", "length("+p+") <= "+strings.Trim(last, "[]")
		}
		x = "not isinstance(" + p + ", " + kind + ") or " + missing + " or " + x
	}
	switch rapid.IntRange(0, 5).Draw(t, "status") {
	case 0:
		x = "R.status_code != 200 or " + x
	case 1:
		return rapid.SampledFrom([]string{`R.status_code in (200, 201)`, `100 <= R.status_code <= 599`, `"x-a" in R.headers`,
			`"x-a" not in R.headers`, `"x-a" not in R.headers or R.headers["x-a"] == "b"`, `"b" in R.headers["x-a"]`,
			`"b" in R.headers["x-a"] or "json" in R.headers["x-a"]`, `R.headers["x-a"] != ""`}).Draw(t, "other")
	}
	return x
}

// TestWrittenJavaScriptMeansTheSame runs what is written in Node, and holds it against our own evaluation: what holds, holds,
// and what does not, fails.
func TestWrittenJavaScriptMeansTheSame(t *testing.T) {
	var cases []nodeCase
	var want []bool
	var about []string
	rapid.Check(t, func(rt *rapid.T) {
		r := aReply(rt)
		text := strings.ReplaceAll(anExpression(rt), "R.", "res_0.")
		x, err := parseText(text)
		if err != nil {
			rt.Fatalf("%s: %v", text, err)
		}
		a := &answer{response: r, client: superagent}
		if body, _ := r.Payload(); regexp.MustCompile(`int|[<>(]`).MatchString(text) && regexp.MustCompile("true|false").Match(body) {
			return // a boolean is a number in Python; that a number became one is not what is asserted of numbers
		}
		names := scope{"res_0": a}
		ok, err := names.holds(x)
		if _, raises := names.eval(x); err != nil || isRaised(raises) || a.failed() {
			return // JavaScript does not raise everywhere that Python does: what is missing is undefined first
		}
		line, written := newJSWriter(jestDialect(), nil).line(x, false)
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
