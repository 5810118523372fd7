package golang

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// inLoop is a file with a test of a loop.
func inLoop(loop string) string {
	return `package shop

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

const base = "http://localhost:1"

var ours = []int{200, 404}

func TestIt(t *testing.T) {
	` + loop + `
}
`
}

// asked is a round that asks for a status.
const asked = ` {
		resp, _ := http.Get(base + tc.path)
		if resp.StatusCode != tc.want {
			t.Error(resp.Status)
		}
	}`

// What a loop asserts over values that are written out is one assertion, which holds where it holds in each round; what
// runs with values that are not known is not understood, nor what comes in another order each time where one round may
// be taken for another.
func TestLoops(t *testing.T) {
	const table = `for _, tc := range []struct { path string; want int }{{"/a", 200}, {"/b?c=d", 404}}`
	for _, tt := range []struct{ loop, want string }{
		{table + asked, "GET /a, GET /b?c=d: 200 404 true, 404 404 false, 200 200 false"},
		{"tests := " + strings.TrimPrefix(table, "for _, tc := range ") + "\n\tfor i := range tests {\n\t\ttc := tests[i]" +
			strings.TrimPrefix(asked, " {"), "GET /a, GET /b?c=d: 200 404 true, 404 404 false, 200 200 false"},
		{"tests := " + strings.TrimPrefix(table, "for _, tc := range ") + "\n\ttests[1].want = 200\n\tfor _, tc := range tests" +
			asked, "GET /: not: the test runs with several values"},
		{"ours[1] = 200\n\tresp, _ := http.Get(base + \"/a\")\n\tif resp.StatusCode != ours[1] {\n\t\tt.Error()\n\t}",
			"GET /a: not: an element is not known"},
		{`for i, path := range []string{"/a", "/b"} {
		resp, _ := http.Get(base + path)
		if resp.StatusCode != 200+i {
			t.Error()
		}
	}`, "GET /a, GET /b: 200 404 false, 404 404 false, 200 200 false"},
		{`for _, path := range []string{"/a", "/b"} {
		t.Run(path, func(t *testing.T) {
			resp, err := http.Get(base + path)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { http.Head(base + path) })
			if resp.StatusCode != 200 {
				t.Error()
			}
		})
	}`, "GET /a, HEAD /a, GET /b, HEAD /b: 200 200 true, 404 200 false, 200 404 false"},
		{`for _, path := range []string{"/a", "/b"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			resp, _ := http.Get(base + path)
			if resp.StatusCode != 200 {
				t.Error()
			}
		})
	}`, "GET /: not: the test runs with several values"},
		{`for path, want := range map[string]int{"/a": 200} {
		resp, _ := http.Get(base + path)
		if resp.StatusCode != want {
			t.Error()
		}
	}`, "GET /a: 200 404 true, 404 404 false, 200 200 true"},
		{"for name, tc := range map[string]struct { path string; want int }{\"one\": {\"/a\", 200}, \"two\": {\"/b\", 404}} {\n\t\tt.Run(name, func(t *testing.T)" +
			asked + ")\n\t}", "GET /a, GET /b: 200 404 true, 404 404 false, 200 200 false"},
		{"for path, tc := range map[string]struct { path string; want int }{\"/a\": {\"/a\", 200}, \"/b\": {\"/a\", 404}}" + asked,
			"GET /a, GET /a: not: the rounds of its loop come in any order, and ask for the same"},
		{`for _, body := range map[int]string{1: "{\"a\": 1}", 2: "{\"a\":1.0}"} {
		resp, _ := http.Post(base+"/a", "application/json", strings.NewReader(body))
		if resp.StatusCode != 200 {
			t.Error()
		}
	}`, "POST /a, POST /a: not: the rounds of its loop come in any order, and ask for the same"},
		{`last := ""
	for path, want := range map[string]int{"/a": 200, "/b": 404} {
		resp, _ := http.Get(base + path)
		last = path
		if resp.StatusCode != want {
			t.Error(last)
		}
	}`, "GET /: not: the test runs with several values"},
		{`var v struct{ Code int }
	for path, want := range map[string]int{"/a": 200, "/b": 404} {
		resp, _ := http.Get(base + path)
		json.NewDecoder(resp.Body).Decode(&v)
		if resp.StatusCode != want {
			t.Error()
		}
	}`, "GET /: not: the test runs with several values"},
		{`for _, path := range []string{"/a", "/b"} {
		resp, _ := http.Get(base + path)
		if resp.StatusCode == 404 {
			break
		}
		if resp.StatusCode != 200 {
			t.Error()
		}
	}`, "GET /: not: the test runs with several values"},
	} {
		s := wrote(t, inLoop(tt.loop))
		if got := inRounds(s); got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.loop, got, tt.want)
		}
	}
}

// inRounds are the calls of the first test, and whether its assertion holds of some statuses of the requests that GET.
func inRounds(s *script.Script) string {
	test := s.Tests[0]
	var calls, gets []string
	for _, c := range test.Calls {
		calls = append(calls, c.Method+" "+strings.ReplaceAll(c.Target, script.Unknown, "?"))
		if c.Method == "GET" {
			gets = append(gets, c.Var)
		}
	}
	out := strings.Join(calls, ", ") + ": "
	if len(test.Assertions) != 1 {
		return out + fmt.Sprint(len(test.Assertions), " assertions")
	}
	a := test.Assertions[0]
	if !a.Understood() {
		return out + "not: " + a.Reason
	}
	for i, statuses := range [][2]int{{200, 404}, {404, 404}, {200, 200}} {
		if strings.Contains(a.Text, "!= 200 {") {
			statuses = [][2]int{{200, 200}, {404, 200}, {200, 404}}[i]
		}
		x := a.Meaning
		for n, of := range gets {
			x = expr.Subst(x, expr.Answer{Var: of}, expr.Int(statuses[n]))
		}
		v, err := expr.Scope{}.Eval(x)
		if i > 0 {
			out += ", "
		}
		out += fmt.Sprint(statuses[0], " ", statuses[1], " ", v)
		if err != nil {
			out += err.Error()
		}
	}
	return out
}

// What is said of each round alike is written once; what is said of some of them alone cannot be, nor what is called
// otherwise in each.
func TestLoopsAreWritten(t *testing.T) {
	s := wrote(t, inLoop(`var all []struct{ SKU string }
	list, _ := http.Get(base + "/all")
	json.NewDecoder(list.Body).Decode(&all)
	for i, path := range []string{"/a", "/b"} {
		resp, _ := http.Get(base + path)
		sku := all[i].SKU
		if resp.StatusCode != 200 || sku == "" {
			t.Error()
		}
	}`))
	test := s.Tests[0]
	a := test.Assertions[0]
	status := func(call int) expr.Expr { return expr.Answer{Var: test.Calls[call].Var} }
	sku := func(n int) expr.Expr { return skuOf(test, n) }
	below := func(x expr.Expr) expr.Expr { return expr.Cmp(x, expr.Lt, expr.Int(300)) }
	is := func(x expr.Expr) expr.Expr { return expr.Cmp(x, expr.Eq, expr.Str{Value: "tea"}) }
	for _, tt := range []struct {
		said []expr.Expr
		want string // the condition; "" where none is written
	}{
		{[]expr.Expr{below(status(1)), below(status(2))}, "resp.StatusCode >= 300"},
		{[]expr.Expr{below(status(1)), expr.Cmp(status(2), expr.Eq, expr.Int(200))}, ""},
		{[]expr.Expr{below(status(2))}, ""},
		{[]expr.Expr{below(status(1))}, ""},
		{[]expr.Expr{expr.Cmp(status(1), expr.Eq, status(2))}, ""},
		{[]expr.Expr{below(status(0)), below(status(1)), below(status(2))},
			"list.StatusCode >= 300 || resp.StatusCode >= 300"},
		{[]expr.Expr{is(sku(0)), is(sku(1))}, `all[0].SKU != "tea" || all[1].SKU != "tea"`},
	} {
		got, ok := s.Writer.Assert(s, test, a, expr.AllOf(tt.said...))
		if ok != (tt.want != "") || ok && !strings.HasPrefix(got, "if "+tt.want+" {") {
			t.Errorf("%q, %v; want %q", got, ok, tt.want)
		}
	}
}

// skuOf is the code of an element of the answer to the first call.
func skuOf(test *script.Test, n int) expr.Expr {
	return expr.Index{X: expr.Index{X: expr.Answer{Var: test.Calls[0].Var, Part: expr.JSON}, I: expr.Int(n)},
		I: expr.Str{Value: "sku"}}
}
