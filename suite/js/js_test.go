package js

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"pgregory.net/rapid"
)

// parsed reads the only statement of a source.
func parsed(t *testing.T, source string) *Node {
	t.Helper()
	tokens, err := Tokens("t.js", source)
	if err != nil {
		t.Fatal(err)
	}
	p := &Parser{Tokens: tokens, End: len(tokens)}
	s := p.Statement()
	if s.X == nil || p.Pos != p.End {
		t.Fatalf("%s is read to %+v, and then there is more", source, s)
	}
	return s.X
}

// reading knows body, the body of an answer.
func reading() *Reading {
	return &Reading{Aliases: map[string]expr.Expr{}, Own: func(n *Node) (expr.Expr, bool) {
		return expr.Answer{Var: "r", Part: expr.JSON}, n.Is("body")
	}}
}

// scope has an answer with a body.
func scope(body string) expr.Scope {
	r := exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"), Body: []byte(body)})
	return expr.Scope{"r": expr.NewResponse(r, &expr.Client{Text: expr.UTF8, JSON: ParseJSON})}
}

// TestTruth: a condition is true of those answers of which it is in JavaScript.
func TestTruth(t *testing.T) {
	for _, c := range []struct {
		source     string
		yes, no    []string // bodies
		unreadable bool
	}{
		{source: `body.a === 1`, yes: []string{`{"a":1}`, `{"a":1.0}`}, no: []string{`{"a":"1"}`, `{}`}},
		{source: `body.a !== 1`, yes: []string{`{"a":2}`, `{"a":null}`, `{}`, `{"a":true}`}, no: []string{`{"a":1}`}},
		{source: `body.a !== 0`, yes: []string{`{"a":false}`, `{"a":"0"}`, `{}`}, no: []string{`{"a":0}`}},
		{source: `body.a.b !== 1`, yes: []string{`{"a":{}}`, `{"a":{"b":"1"}}`}, no: []string{`{"a":{"b":1}}`, `{}`, `{"a":null}`}},
		{source: `body[1] !== 1`, yes: []string{`[1]`, `[1,2]`}, no: []string{`[2,1]`}},
		{source: `body.a != "x"`, yes: []string{`{}`, `{"a":"y"}`}, no: []string{`{"a":"x"}`}},
		{source: `body.a == 5`, yes: []string{`{"a":5}`, `{"a":"5"}`}, no: []string{`{"a":"6"}`, `{}`, `{"a":null}`}},
		{source: `body.a == true`, yes: []string{`{"a":true}`, `{"a":1}`, `{"a":"1"}`}, no: []string{`{"a":2}`, `{}`, `{"a":"true"}`}},
		{source: `body.a != "5"`, yes: []string{`{"a":6}`, `{}`}, no: []string{`{"a":5}`, `{"a":"5"}`}},
		{source: `(body.a ?? 0) === 1`, yes: []string{`{"a":1}`}, no: []string{`{"a":2}`, `{}`, `{"a":null}`}},
		{source: `(body.a?.b ?? 0) === 0`, yes: []string{`{}`, `{"a":null}`, `{"a":{}}`, `{"a":{"b":null}}`, `{"a":{"b":0}}`}, no: []string{`{"a":{"b":1}}`}},
		{source: `(body.a?.length ?? 0) === 0`, yes: []string{`{}`, `{"a":[]}`}, no: []string{`{"a":[1]}`}},
		{source: `(body.a ?? "") !== ""`, yes: []string{`{"a":"x"}`}, no: []string{`{}`, `{"a":""}`, `{"a":null}`}},
		{source: `(body.a ?? body.b) === 0`, unreadable: true},
		{source: `!(body.a === 1)`, yes: []string{`{"a":2}`, `{}`}, no: []string{`{"a":1}`}},
		{source: `!(body.a !== 1)`, yes: []string{`{"a":1}`}, no: []string{`{"a":2}`, `{}`}},
		{source: `!(body.a < 5)`, yes: []string{`{"a":5}`, `{}`}, no: []string{`{"a":4}`}},
		{source: `!body.a || body.b === 1`, yes: []string{`{}`, `{"a":0}`, `{"a":1,"b":1}`}, no: []string{`{"a":1}`}},
		{source: `body.a === 1 || body.b === 2`, yes: []string{`{"a":1}`, `{"b":2}`}, no: []string{`{}`, `{"a":2,"b":1}`}},
		{source: `body.a || body.b`, yes: []string{`{"a":1}`, `{"b":"x"}`}, no: []string{`{}`, `{"a":0,"b":""}`}},
		{source: `!(body.a && body.b)`, yes: []string{`{}`, `{"a":1}`, `{"a":1,"b":0}`}, no: []string{`{"a":1,"b":1}`}},
		{source: `(body.a && body.b) === 1`, unreadable: true},
		{source: `!!body.a`, yes: []string{`{"a":1}`}, no: []string{`{"a":0}`, `{}`}},
		{source: `typeof body.a !== "string"`, yes: []string{`{"a":1}`, `{}`}, no: []string{`{"a":""}`}},
		{source: `typeof body.a === "string" || body.a === undefined`, yes: []string{`{"a":""}`, `{}`}, no: []string{`{"a":1}`}},
		{source: `!Array.isArray(body.a)`, yes: []string{`{"a":1}`, `{}`}, no: []string{`{"a":[]}`}},
		{source: `body.a !== undefined`, yes: []string{`{"a":null}`}, no: []string{`{}`}},
		{source: `body.a !== null`, yes: []string{`{"a":1}`, `{}`}, no: []string{`{"a":null}`}},
		{source: `body.a !== null && body.a !== undefined`, yes: []string{`{"a":1}`}, no: []string{`{"a":null}`, `{}`}},
		{source: `typeof body.a === "number" || body.b`, yes: []string{`{"a":1}`, `{"b":1}`}, no: []string{`{}`, `{"a":""}`}},
		{source: `body.a == null`, yes: []string{`{}`, `{"a":null}`}, no: []string{`{"a":0}`, `{"a":""}`}},
		{source: `body.a === null`, yes: []string{`{"a":null}`}, no: []string{`{}`, `{"a":0}`}},
		{source: `!body.a`, yes: []string{`{"a":0}`, `{"a":""}`, `{"a":null}`, `{"a":false}`, `{}`}, no: []string{`{"a":"0"}`, `{"a":[]}`, `{"a":{}}`}},
		{source: `body.a`, yes: []string{`{"a":"0"}`, `{"a":[]}`}, no: []string{`{}`, `{"a":0}`, `{"a":""}`}},
		{source: `typeof body.a === "string"`, yes: []string{`{"a":""}`}, no: []string{`{"a":1}`, `{}`}},
		{source: `Array.isArray(body.a)`, yes: []string{`{"a":[]}`}, no: []string{`{"a":{}}`, `{"a":"[]"}`}},
		{source: `body.a.length >= 2`, yes: []string{`{"a":[1,2]}`, `{"a":"ab"}`, `{"a":"😀"}`}, no: []string{`{"a":[1]}`, `{"a":"é"}`}},
		{source: "body['odd key'][0] === `x`", yes: []string{`{"odd key":["x"]}`}, no: []string{`{"odd key":["y"]}`}},
		{source: `body.a > 1 && (body.b === 2 || body.b === 3)`, yes: []string{`{"a":2,"b":3}`}, no: []string{`{"a":1,"b":3}`, `{"a":2,"b":4}`}},
		{source: `body.a === "it's" + " \u00e9"`, yes: []string{`{"a":"it's é"}`}, no: []string{`{"a":"it's"}`}},
		{source: `fetched(body.a)`, unreadable: true},
	} {
		x, ok := reading().Truth(parsed(t, c.source))
		if ok == c.unreadable {
			t.Errorf("%s: read is %v: %v", c.source, ok, x)
		}
		if !ok {
			continue
		}
		for want, bodies := range map[bool][]string{true: c.yes, false: c.no} {
			for _, body := range bodies {
				if got, err := scope(body).Holds(x); got != want || expr.IsRaised(err) != (err != nil) {
					t.Errorf("%s is %v (%v) of %s", c.source, got, err, body)
				}
			}
		}
	}
}

// What nothing is known of is neither true nor false.
func TestUnknown(t *testing.T) {
	x, ok := reading().Truth(parsed(t, `other.a === 1`))
	if !ok {
		t.Fatal("a comparison is not read")
	}
	if got, err := scope(`{"a":1}`).Holds(x); got || err == nil || expr.IsRaised(err) {
		t.Errorf("it is %v, %v", got, err)
	}
}

// TestStatements: statements are told apart, and one that is not read is stepped over to its end.
func TestStatements(t *testing.T) {
	tokens, err := Tokens("t.js", `const a = 1, b = f();
if (a) { g() } else h();
class C { m() { return ";" } }
try { i() } catch (e) { j() }
k()`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for p := (&Parser{Tokens: tokens, End: len(tokens)}); p.Pos < p.End; {
		s := p.Statement()
		got = append(got, s.Keyword+strings.Repeat("+", len(s.Blocks))+strings.Join(s.Names, ","))
	}
	if want := "consta,b if++ classC try+++ "; strings.Join(got, " ") != want {
		t.Errorf("the statements are %q, want %q", strings.Join(got, " "), want)
	}
}

// TestTokens: tokens stand in the order of the source, apart from each other, each within a line that it names; strings
// have the values that were written.
func TestTokens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(rapid.SampledFrom([]string{"a", "1.5e3", `"x\n"`, "'it'", "`t${b}u`", "(c)", "[1]", "=>", "===", "?.", "// c\n", "/* d */", "\n", " ", "é"})).Draw(t, "pieces")
		source := strings.Join(pieces, " ")
		tokens, err := Tokens("t.js", source)
		if err != nil {
			return // a place where no operator may stand
		}
		end := 0
		for _, tok := range tokens {
			if tok.Start < end || tok.End <= tok.Start || tok.End > len(source) || strings.Count(source[:tok.Start], "\n")+1 != tok.Line {
				t.Fatalf("%+v after byte %d of %q", tok, end, source)
			}
			end = tok.End
			if text := source[tok.Start:tok.End]; text == `"x\n"` && tok.Text != "x\n" || tok.Kind == Word && tok.Text != text {
				t.Fatalf("%q is read as %q", text, tok.Text)
			}
		}
	})
}
