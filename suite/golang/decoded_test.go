package golang

import (
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// helping are functions that suites send by: the body is decoded where there is one.
const helping = `
func sent(t *testing.T, path string, out any) int {
	t.Helper()
	resp, err := http.Get(base + path)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	if out != nil && len(body) > 0 {
		require.NoError(t, json.Unmarshal(body, out), string(body))
	}
	return resp.StatusCode
}

func parsed(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, s)
	require.NoError(t, err)
	return at
}

type plane struct {
	Reg string
	At  time.Time
	Was *time.Time
	N   float64
	M   float64
}
`

// What a function decodes for the test that calls it is followed: behind a check for a body, in loops that count, with
// times and differences.
func TestDecodedByHelpers(t *testing.T) {
	for _, tt := range []struct{ body, want string }{
		{`assert.Equal(t, "x", v.Reg)`, `GET /a: equal /body/reg "x"`},
		{`assert.InDelta(t, 0.87, v.N, 1e-9)`, "GET /a: equal /body/n 0.87"},
		{`assert.InDelta(t, v.N, 0.87, 1e-9)`, "GET /a: equal /body/n 0.87"},
		{`assert.InDelta(t, v.M+1, v.N, 0.5)`, "GET /a:   "},
		{`assert.InEpsilon(t, 200, v.N, 0.01)`, "GET /a: equal /body/n 200"},
		{`assert.InEpsilon(t, v.M, v.N, 0.01)`, "GET /a: not: such a difference is not known"},
		{`assert.WithinDuration(t, parsed(t, "2026-11-27T09:33:20Z"), v.At, time.Second)`,
			`GET /a: equal /body/at "2026-11-27T09:33:20Z"`},
		{`assert.WithinDuration(t, time.Now(), v.At, time.Second)`, "GET /a: not: such a time is not known"},
		{`assert.Equal(t, parsed(t, "2026-11-27T09:33:20Z"), v.At)`, `GET /a: equal /body/at "2026-11-27T09:33:20Z"`},
		{`assert.Nil(t, v.Was)`, "GET /a: equal /body/was null"},
		{"sent(t, \"/b\", nil)\n\tassert.NotNil(t, v.Was)", "GET /a: GET /b:   "},
		{"for i := 1; i <= 2; i++ {\n\t\tsent(t, \"/a\", &v)\n\t\tassert.Equal(t, float64(i), v.N)\n\t}",
			"GET /a: GET /a: GET /a:   "},
		{"for i := 0; i < 2; i++ {\n\t\tsent(t, \"/b\", &v)\n\t\tassert.Equal(t, float64(i), v.N)\n\t}",
			"GET /a: GET /b: GET /b: not: the field N is not known"},
	} {
		s := wrote(t, header+helping+"\nfunc TestIt(t *testing.T) {\n\tvar v plane\n\tsent(t, \"/a\", &v)\n\t"+tt.body+"\n}\n")
		if got := outline(s.Tests[0]); got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.body, got, tt.want)
		}
	}
}

// What testify says of numbers that are near and of lists that hold others is what it asserts.
func TestTestifyOfNearAndHeld(t *testing.T) {
	for said, bodies := range map[string]map[string]bool{
		`assert.InEpsilon(t, 200, v["n"], 0.01)`:                  {`{"n": 199}`: true, `{"n": 202}`: true, `{"n": 203}`: false},
		`assert.InEpsilon(t, -200, v["n"], 0.01)`:                 {`{"n": -201}`: true, `{"n": -203}`: false},
		`assert.Subset(t, v["l"], []string{"a", "b"})`:            {`{"l": ["b", "c", "a"]}`: true, `{"l": ["a", "c"]}`: false},
		`assert.NotSubset(t, v["l"], []string{"a", "b"}, "text")`: {`{"l": ["b", "c", "a"]}`: false, `{"l": ["a"]}`: true},
	} {
		s := wrote(t, header+helping+"\nfunc TestIt(t *testing.T) {\n\tvar v map[string]any\n\tsent(t, \"/a\", &v)\n\t"+said+"\n}\n")
		holds(t, said, s.Tests[0], bodies)
	}
}

// holds wants a test's last assertion to hold or not of answers with these bodies.
func holds(t *testing.T, said string, test *script.Test, bodies map[string]bool) {
	t.Helper()
	a := test.Assertions[len(test.Assertions)-1]
	for body, want := range bodies {
		answer := exchange.ParseResponse(exchange.Message{Body: []byte(body),
			Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")})
		got, err := expr.Scope{test.Calls[0].Var: expr.NewResponse(answer, nil)}.Holds(a.Meaning)
		if (got && err == nil) != want {
			t.Errorf("%s of %s: %t, %v", said, body, got, err)
		}
	}
}

// A list that is null has no elements, and is as long as an empty one.
func TestNullIsAnEmptyList(t *testing.T) {
	for said, bodies := range map[string]map[string]bool{
		`assert.Len(t, v, 0)`: {`null`: true, `[]`: true, `[{"Reg": "x"}]`: false},
		`assert.Len(t, v, 1)`: {`null`: false, `[]`: false, `[{"Reg": "x"}]`: true},
		`assert.Empty(t, v)`:  {`null`: true, `[]`: true, `[{"Reg": "x"}]`: false},
	} {
		s := wrote(t, header+helping+"\nfunc TestIt(t *testing.T) {\n\tvar v []plane\n\tsent(t, \"/a\", &v)\n\t"+said+"\n}\n")
		holds(t, said, s.Tests[0], bodies)
	}
}

// A moment that moves is one that was put there; and what one condition has no words for becomes several.
func TestMomentsAreSaid(t *testing.T) {
	s := wrote(t, header+helping+"\nfunc TestIt(t *testing.T) {\n\tvar v plane\n\tsent(t, \"/a\", &v)\n\t"+
		`assert.Equal(t, parsed(t, "2026-11-27T09:33:20Z"), v.At)`+"\n}\n")
	a := s.Tests[0].Assertions[0]
	for x, want := range map[expr.Expr]string{
		expr.Cmp(a.Subject(), expr.Ne, expr.Str{}):               "assert.True(t, !v.At.IsZero())",
		expr.Cmp(a.Subject(), expr.Eq, expr.Str{Value: "other"}): "",
	} {
		if got, ok := s.Writer.Assert(s, s.Tests[0], a, x); ok != (want != "") || ok && got != want {
			t.Errorf("%v: %s, %t, want %s", x, got, ok, want)
		}
	}
}
