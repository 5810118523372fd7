package expr_test

import (
	"encoding/json"
	"math"
	"math/big"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// answered makes the scope of a call "r" with an answer.
func answered(body string) expr.Scope {
	r := exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-A: b\r\n\r\n"), Body: []byte(body)})
	return expr.Scope{"r": expr.NewResponse(r, nil)}
}

var (
	body   = expr.Answer{Var: "r", Part: expr.JSON}
	status = expr.Answer{Var: "r", Part: expr.Status}
)

func at(x expr.Expr, steps ...any) expr.Expr {
	for _, s := range steps {
		switch s := s.(type) {
		case string:
			x = expr.Index{X: x, I: expr.Str{Value: s}}
		case int:
			x = expr.Index{X: x, I: expr.Int(s)}
		}
	}
	return x
}

func TestHolds(t *testing.T) {
	s := answered(`{"n": 9007199254740993, "f": 1.0, "t": true, "z": null, "s": "abc", "l": [1, {"a": "x"}], "d": {"length": 3}}`)
	str := func(v string) expr.Expr { return expr.Str{Value: v} }
	for name, tt := range map[string]struct {
		x    expr.Expr
		want string // "true", "false", "unknown"
	}{
		"exact integers":            {expr.Cmp(at(body, "n"), expr.Eq, expr.Num{Text: "9007199254740992"}), "false"},
		"an integer and a float":    {expr.Cmp(at(body, "f"), expr.Eq, expr.Int(1)), "true"},
		"a boolean and a number":    {expr.Cmp(at(body, "t"), expr.Eq, expr.Int(1)), "true"},
		"a boolean is itself":       {expr.Same(at(body, "t"), expr.Bool{Value: true}), "true"},
		"a number is no boolean":    {expr.Same(at(body, "f"), expr.Bool{Value: true}), "false"},
		"null":                      {expr.IsNull(at(body, "z")), "true"},
		"what is missing is false":  {expr.IsNull(at(body, "none")), "false"},
		"an index beyond the end":   {expr.Cmp(at(body, "l", 7), expr.Ne, expr.Null{}), "false"},
		"behind a guard":            {expr.AnyOf(expr.Cmp(str("none"), expr.NotIn, body), expr.IsNull(at(body, "none"))), "true"},
		"an unknown name":           {expr.Cmp(expr.Name{ID: "x"}, expr.Eq, expr.Int(1)), "unknown"},
		"an unknown name, guarded":  {expr.AnyOf(expr.Cmp(status, expr.Eq, expr.Int(200)), expr.Name{ID: "x"}), "true"},
		"an undefined name":         {expr.Cmp(at(body, "n"), expr.Eq, expr.Undefined{ID: "NaN"}), "false"},
		"an error before unknown":   {expr.Unknown{What: "sorted", Operands: []expr.Expr{at(body, "none")}}, "false"},
		"a header":                  {expr.Cmp(expr.Header("r", "x-a"), expr.Eq, str("b")), "true"},
		"a length":                  {expr.Cmp(expr.Len{X: at(body, "l")}, expr.Eq, expr.Int(2)), "true"},
		"JavaScript's length":       {expr.Cmp(expr.Length{X: at(body, "d")}, expr.Eq, expr.Int(3)), "true"},
		"members of elements":       {expr.Cmp(str("x"), expr.In, expr.Each{Elem: expr.Index{X: expr.Name{ID: "e"}, I: str("a")}, Var: "e", List: expr.List{Elems: []expr.Expr{at(body, "l", 1)}}}), "true"},
		"a range":                   {expr.Between{Low: expr.Int(0), X: at(body, "f"), High: expr.Int(1)}, "true"},
		"a range of a text":         {expr.Between{Low: expr.Int(0), X: at(body, "s"), High: expr.Int(1)}, "false"},
		"a piece of a text":         {expr.Match{X: at(body, "s"), Pattern: "b"}, "true"},
		"all of a text":             {expr.Match{X: at(body, "s"), Pattern: "b", Full: true}, "false"},
		"no regular expression":     {expr.Match{X: at(body, "s"), Pattern: "("}, "unknown"},
		"a prefix of a number":      {expr.HasPrefix{X: at(body, "n"), Prefix: str("9")}, "false"},
		"a prefix of an object":     {expr.HasPrefix{X: at(body, "d"), Prefix: str("9")}, "unknown"},
		"a boolean is whole":        {expr.IsType{X: at(body, "t"), Types: []expr.Type{expr.TypeInt}}, "true"},
		"null is of no type":        {expr.IsType{X: at(body, "z"), Types: []expr.Type{expr.TypeInt, expr.TypeObject}}, "false"},
		"a member that is optional": {expr.Cmp(expr.Get{X: body, Key: str("none"), Default: str("-")}, expr.Eq, str("-")), "true"},
		"a conditional value":       {expr.Cmp(expr.If{Cond: expr.Cmp(status, expr.Ne, expr.Int(200)), Then: str("a"), Else: str("b")}, expr.Eq, str("b")), "true"},
	} {
		t.Run(name, func(t *testing.T) {
			got := "unknown"
			if ok, err := s.Holds(tt.x); err == nil {
				got = map[bool]string{true: "true", false: "false"}[ok]
			}
			if got != tt.want {
				t.Errorf("%+v is %s, want %s", tt.x, got, tt.want)
			}
		})
	}
}

func TestFailedCalls(t *testing.T) {
	s := expr.Scope{"r": expr.NewResponse(nil, nil)}
	if ok, err := s.Holds(expr.Cmp(status, expr.Eq, expr.Int(200))); ok || err != nil {
		t.Errorf("a call that failed: %v, %v", ok, err)
	}
	s.Take("x", at(body, "a"), 7)
	if f, ok := s["x"].(expr.Failure); !ok || f.Line != 7 || !expr.IsRaised(f.Err) {
		t.Errorf("what is taken from it: %+v", s["x"])
	}
}

func TestNegate(t *testing.T) {
	s := answered(`{"a": [1, 2]}`)
	for _, x := range []expr.Expr{
		expr.Cmp(expr.Int(1), expr.In, at(body, "a")), expr.Cmp(status, expr.Ge, expr.Int(500)), expr.IsNull(at(body, "a")),
		expr.Not{X: expr.Cmp(status, expr.Eq, expr.Int(200))}, expr.AllOf(expr.Cmp(status, expr.Eq, expr.Int(200)), expr.Cmp(status, expr.Lt, expr.Int(1))),
	} {
		was, _ := s.Holds(x)
		is, err := s.Holds(expr.Negate(x))
		if err != nil || was == is {
			t.Errorf("%+v: %v, and its opposite %v, %v", x, was, is, err)
		}
	}
}

func TestSubst(t *testing.T) {
	x := expr.AnyOf(expr.IsNull(at(body, "a")), expr.Match{X: at(body, "a"), Pattern: "x"}, expr.Cmp(at(body, "a", "b"), expr.Eq, expr.Int(1)))
	v := expr.Name{ID: "v"}
	want := expr.AnyOf(expr.IsNull(v), expr.Match{X: v, Pattern: "x"}, expr.Cmp(at(v, "b"), expr.Eq, expr.Int(1)))
	if diff := cmp.Diff(want, expr.Subst(x, at(body, "a"), v)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLearned(t *testing.T) {
	l := at(body, "a")
	set := expr.Set{Elems: []expr.Expr{expr.Str{Value: "a"}, expr.Neg{X: expr.Num{Text: "1"}}}}
	got := expr.Learned(l, mapfile.Holds{Type: "integer", OneOf: []json.RawMessage{[]byte(`-1`), []byte(`"a"`)}, Pattern: "^x+$", Min: "1", Max: "9"}, nil)
	match := expr.Match{X: l, Pattern: "x+", Full: true}
	want := []expr.Expr{expr.Cmp(l, expr.In, set), match, expr.AnyOf(expr.IsNull(l), match),
		expr.And{Xs: []expr.Expr{expr.IsType{X: l, Types: []expr.Type{expr.TypeInt}}, expr.Between{Low: expr.Int(1), X: l, High: expr.Int(9)}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMemberOf(t *testing.T) {
	list := at(body, "l")
	array := expr.Index{X: list, I: expr.Int(0)}
	for _, tt := range []struct{ subject, want expr.Expr }{
		{array, expr.Cmp(expr.Int(1), expr.In, list)},
		{at(array, "a", "b"), expr.Cmp(expr.Int(1), expr.In, expr.Each{Elem: at(expr.Name{ID: "e"}, "a", "b"), Var: "e", List: list})},
	} {
		if diff := cmp.Diff(tt.want, expr.MemberOf(array, tt.subject, expr.Int(1))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// aValue draws a value of JSON.
func aValue(t *rapid.T, depth int) any {
	switch kind := rapid.IntRange(0, 7).Draw(t, "kind"); {
	case kind == 0:
		return nil
	case kind == 1:
		return rapid.Bool().Draw(t, "bool")
	case kind == 2:
		return big.NewInt(rapid.Int64().Draw(t, "int"))
	case kind == 3:
		return rapid.SampledFrom([]float64{0, 1.5, -2, 1e300, math.Inf(1)}).Draw(t, "float")
	case kind < 6 || depth == 0:
		return rapid.SampledFrom([]string{"", "12", "2026-01-02", "2026-01-02T03:04:05Z", "0d9c6e0c-7c3c-4a0e-9a43-6f2f0b3f6c11", "a\"\\b\n"}).Draw(t, "text")
	case kind == 6:
		return expr.Items{aValue(t, depth-1)}
	}
	return map[string]any{"a": aValue(t, depth-1)}
}

// TestShapesHold draws values: all that is said of them is true of each, and what is read back admits values of their types.
func TestShapesHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := at(body, "a")
		var values []any
		for range rapid.IntRange(0, 4).Draw(t, "values") {
			values = append(values, aValue(t, 2))
		}
		for _, x := range expr.Shapes(l, values) {
			for _, v := range values {
				if !expr.HoldsOf(x, l, v) {
					t.Fatalf("%+v is not true of %v", x, v)
				}
			}
			if or, ok := x.(expr.Or); ok {
				x = or.Xs[len(or.Xs)-1]
			}
			subject, admitted := expr.Admitted(x)
			if !expr.Identical(subject, l) || len(admitted) == 0 {
				t.Fatalf("%+v admits %v of %+v", x, admitted, subject)
			}
		}
	})
}

// TestAdmittedOfSeveral sees that nothing is admitted by what is said of several values, or of a part of a token alone.
func TestAdmittedOfSeveral(t *testing.T) {
	text := func(x expr.Expr) expr.Expr { return expr.IsType{X: x, Types: []expr.Type{expr.TypeString}} }
	a, b := expr.Name{ID: "a"}, expr.Name{ID: "b"}
	claim := text(expr.TokenPart{X: a, Nth: 1})
	for _, tt := range []struct {
		says  []expr.Expr
		about expr.Expr // nil: nothing is admitted
	}{
		{[]expr.Expr{text(a), claim}, a},
		{[]expr.Expr{claim, claim}, nil},
		{[]expr.Expr{text(a), text(b)}, nil},
	} {
		if of, values := expr.Admitted(expr.And{Xs: tt.says}); of != tt.about || (values != nil) != (tt.about != nil) {
			t.Errorf("%+v admits %v of %+v", tt.says, values, of)
		}
	}
}

// TestPathsLeadToValues draws a body: each path that is found leads to the value.
func TestPathsLeadToValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root, v := aValue(t, 3), aValue(t, 0)
		tries := 100
		for _, path := range expr.Paths(root, v, expr.Name{ID: "root"}, &tries) {
			if got, err := (expr.Scope{"root": root}).Eval(path); err != nil || !expr.Equal(got, v) {
				t.Fatalf("%+v leads to %v, %v, and not to %v", path, got, err, v)
			}
		}
	})
}

func TestLiteral(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := aValue(t, 0)
		x, ok := expr.Literal(v)
		if f, isFloat := v.(float64); ok == (isFloat && math.IsInf(f, 0)) {
			t.Fatalf("%v is written as %+v, %v", v, x, ok)
		}
		if got, err := (expr.Scope{}).Eval(x); ok && (err != nil || !expr.Equal(got, v)) {
			t.Fatalf("%v is written as %+v, which is %v, %v", v, x, got, err)
		}
	})
}

func TestJSONText(t *testing.T) {
	x := expr.Object{Keys: []string{"a", "b"}, Values: []expr.Expr{expr.List{Elems: []expr.Expr{expr.Int(-1), expr.Null{}}}, expr.Bool{Value: true}}}
	if got, ok := expr.JSONText(x); !ok || got != `{"a":[-1,null],"b":true}` {
		t.Errorf("got %s, %v", got, ok)
	}
	if got, ok := expr.JSONText(expr.List{Elems: []expr.Expr{expr.Name{ID: "x"}}}); ok {
		t.Errorf("a name is written as %s", got)
	}
}

func FuzzParseJSON(f *testing.F) {
	for _, seed := range []string{`{"a": [1, 2.5, "x", null, true]}`, `1e999`, "\xef\xbb\xbf1", `{"a": 1, "a": 2}`, `[1] 2`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := expr.ParseJSON(data)
		if err == nil && !json.Valid(data[len(data)-len(trimmed(data)):]) {
			t.Errorf("%q is read as %v", data, v)
		}
	})
}

// trimmed is a text without its byte-order mark.
func trimmed(data []byte) []byte {
	if len(data) >= 3 && string(data[:3]) == "\xef\xbb\xbf" {
		return data[3:]
	}
	return data
}
