package onecall

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// T is what is needed of a test: a *testing.T or a *rapid.T.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Suite is a suite with one test, which sends one request and asserts one thing besides its status.
type Suite struct {
	Dialect script.Dialect
	File    string // its name
	Text    string // of the suite, with %s in the place of the assertion
	Holder  string // the assertion that statements are written in the place of

	MissingIsNull bool // the dialect's library shows a member that is not there as null
	OneCollection bool // the dialect has one word for arrays and objects
}

// Read reads the suite with an assertion, as it stands in a file, and returns the last assertion of the only test.
func (s Suite) Read(t T, assertion string) (*script.Script, *script.Test, *script.Assertion) {
	t.Helper()
	text := strings.Replace(s.Text, "%s", assertion, 1)
	read, err := script.Read(s.Dialect, s.File, []byte(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if len(read.Tests) != 1 || len(read.Tests[0].Calls) != 1 || len(read.Tests[0].Assertions) == 0 {
		t.Fatalf("there are not one test, one call and assertions: %+v\n%s", read.Tests, text)
	}
	test := read.Tests[0]
	return read, test, test.Assertions[len(test.Assertions)-1]
}

// Write returns what a statement is in the place of the assertion; false where the dialect cannot say it. The answer in
// it is that of [Suite.Answer].
func (s Suite) Write(t T, x expr.Expr) (string, bool) {
	t.Helper()
	read, test, a := s.Read(t, s.Holder)
	return read.Writer.Assert(read, test, a, x)
}

// Call says what the only call sends: method, target and body.
func (s Suite) Call(t T) string {
	t.Helper()
	_, test, _ := s.Read(t, s.Holder)
	c := test.Calls[0]
	return strings.TrimSpace(c.Method + " " + c.Target + " " + c.Body)
}

// Claim reads an assertion, and returns the place, the relation and the value of the claim that it makes, or that it is
// not understood.
func (s Suite) Claim(t T, assertion string) string {
	t.Helper()
	_, _, a := s.Read(t, assertion)
	if !a.Understood() {
		return "not understood"
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", a.Place, a.Relation, a.Value))
}

// Grafted returns what the dialect writes for a set-up that makes an item and takes its id, and for the clean-up that
// takes the item away; and what becomes of a target, a header and a body that have the id. Each line stands behind a
// name of what it is.
func (s Suite) Grafted(t T) (lines []string) {
	t.Helper()
	read, test, _ := s.Read(t, s.Holder)
	g := read.Writer.Graft
	test.Calls[0].SentTarget = "/items/4"
	text := func(s string) script.TextPart { return script.TextPart{Text: s} }
	id := script.TextPart{Variable: "setup_itemId"}
	made := script.SetUpRequest{
		Var: "setup_0", Comment: "/items/4 was made by POST /items", Method: "POST",
		Target:   []script.TextPart{text("/items")},
		Headers:  []script.HeaderField{{Name: "Content-Type", Value: []script.TextPart{text("application/json")}}},
		Body:     []script.TextPart{text(`{"a": "it's"}`)},
		Status:   201,
		Captures: []script.Capture{{Name: id.Variable, Place: "/body/id", Steps: []expr.Expr{expr.Str{Value: "id"}}}},
	}
	clean := script.SetUpRequest{Var: "setup_1", Method: "DELETE", Target: []script.TextPart{text("/items/"), id}}
	open, end := g.SetUp(read, test, []script.SetUpRequest{made}, []script.SetUpRequest{clean})
	say := func(name string, all ...string) {
		for _, line := range all {
			lines = append(lines, strings.TrimRight(name+" "+line, " "))
		}
	}
	say("open", open...)
	say("end", end...)
	say("url", g.URL(read, test.Calls[0], []script.TextPart{text("/items/"), id}))
	say("header", g.Header(read, test.Calls[0], []script.TextPart{text("no "), id}))
	say("body", g.Body(read, test.Calls[0], []script.TextPart{text(`{"id": `), id, text("}")}))
	return lines
}

// Statements are some things to say of the member z of the answer's body, and of its status and a header, by name.
func (s Suite) Statements(t T) map[string]expr.Expr {
	t.Helper()
	z := expr.Index{X: s.Answer(t, expr.JSON), I: expr.Str{Value: "z"}}
	typed, _ := expr.Typed(z, "string")
	list := expr.List{Elems: []expr.Expr{expr.Str{Value: "a"}, expr.Str{Value: "b"}}}
	return map[string]expr.Expr{
		"status":  expr.Cmp(s.Answer(t, expr.Status), expr.Eq, expr.Int(404)),
		"header":  expr.Cmp(expr.Header(s.Answer(t, expr.Status).Var, "etag"), expr.Eq, expr.Str{Value: `"v1"`}),
		"equal":   expr.Same(z, expr.Int(-1)),
		"null":    expr.IsNull(z),
		"one of":  expr.Cmp(z, expr.In, list),
		"type":    typed,
		"count":   expr.Cmp(expr.Len{X: z}, expr.Eq, expr.Int(2)),
		"pattern": expr.Match{X: z, Pattern: `\d+`, Full: true},
	}
}

// Answer is the answer of the only call.
func (s Suite) Answer(t T, part expr.Part) expr.Answer {
	t.Helper()
	_, test, _ := s.Read(t, s.Holder)
	return expr.Answer{Var: test.Calls[0].Var, Part: part}
}

// RoundTrip writes a statement about a member of the answer's body, reads it again, and fails the test where the two
// say different things of any answer. choose returns a number from 0 up to n, exclusively. It reports whether the
// dialect can say the statement.
func (s Suite) RoundTrip(t T, choose func(n int) int) bool {
	t.Helper()
	body := s.Answer(t, expr.JSON)
	member := memberNames[choose(len(memberNames))]
	x := s.statement(expr.Index{X: body, I: expr.Str{Value: member}}, choose)
	read, test, holder := s.Read(t, s.Holder)
	text, ok := read.Writer.Assert(read, test, holder, x)
	if !ok {
		return false
	}
	_, again, _ := s.Read(t, strings.Replace(s.Holder, read.Text[holder.At.Start:holder.At.End], text, 1))
	written := again.Assertions[len(test.Assertions)-1:] // one statement may take several assertions
	compared, _ := x.(expr.Compare)
	_, counts := compared.X.(expr.Len)
	values := memberValues
	if !s.MissingIsNull {
		values = append(values, "")
	}
	for _, value := range values {
		if counts && strings.HasPrefix(value, "{") {
			continue // no language counts members as it counts elements
		}
		answer := exchange.ParseResponse(
			exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"),
				Body: []byte(bodyWith(member, value))})
		scope := expr.Scope{body.Var: expr.NewResponse(answer, test.Calls[0].Client)}
		want, wantErr := scope.Holds(x)
		got, gotErr := hold(scope, written)
		if want != got || (wantErr == nil) != (gotErr == nil) {
			t.Fatalf("%s says %v (%v) of %s, and was written for %v (%v)", text, got, gotErr, bodyWith(member, value),
				want, wantErr)
		}
	}
	return true
}

// hold reports whether assertions hold. One of which nothing could be read is not known; one says nothing where its
// guards do not hold.
func hold(scope expr.Scope, all []*script.Assertion) (bool, error) {
	for _, a := range all {
		if a.Meaning == nil {
			return false, expr.NotKnown("%s", a.Reason)
		}
		for _, x := range append(slices.Clone(a.Guards), a.Meaning) {
			ok, err := scope.Holds(x)
			if err != nil || !ok && expr.Identical(x, a.Meaning) {
				return false, err
			}
			if !ok {
				break
			}
		}
	}
	return true, nil
}

// memberNames are names of members, some of which no language takes for one without quotes.
var memberNames = []string{"id", "odd-key", "b.c", "it's", "ü", "a b", "0"}

// memberValues are values in JSON of all types.
var memberValues = []string{"null", "true", "false", "0", "1", "1.5", "-2", `""`, `"x"`, `"1"`, `"2026-01-02"`, "[]",
	"[1]", `["x","y"]`, "{}", `{"a":1}`}

// bodyWith is a body with a member of a value, or without it where that is "".
func bodyWith(member, value string) string {
	if value == "" {
		return `{"other":1}`
	}
	return fmt.Sprintf(`{"other":1,%q:%s}`, member, value)
}

// statement says one thing of a subject.
func (s Suite) statement(subject expr.Expr, choose func(n int) int) expr.Expr {
	scalars := []expr.Expr{expr.Null{}, expr.Bool{Value: true}, expr.Bool{}, expr.Int(0), expr.Int(1), expr.Int(-2),
		expr.Num{Text: "1.5"},
		expr.Str{}, expr.Str{Value: "x"}, expr.Str{Value: "it's \"x\" \\ ü"}}
	scalar := scalars[choose(len(scalars))]
	switch choose(6) {
	case 0:
		return expr.Same(subject, scalar)
	case 1:
		return expr.Cmp(subject, expr.In, expr.List{Elems: []expr.Expr{expr.Str{Value: "x"}, expr.Str{Value: "1"}}})
	case 2:
		types := []string{"string", "boolean", "number", "integer", "null", "array", "dict"}
		if s.OneCollection {
			types = types[:5]
		}
		typed, _ := expr.Typed(subject, types[choose(len(types))])
		return typed
	case 3:
		return expr.Cmp(expr.Len{X: subject}, expr.Eq, expr.Int(choose(3)))
	case 4:
		return expr.Match{X: subject, Pattern: `\d{4}-\d\d-\d\d`, Full: true}
	}
	return expr.Cmp(expr.Str{Value: "x"}, expr.In, subject)
}
