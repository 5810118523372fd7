package script

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
)

// What statements of these tests speak of: the parts of the answer of the second of two calls, and what is within.
var (
	status  = expr.Answer{Var: "r1", Part: expr.Status}
	headers = expr.Answer{Var: "r1", Part: expr.Headers}
	whole   = expr.Answer{Var: "r1", Part: expr.Text}
	body    = expr.Answer{Var: "r1", Part: expr.JSON}
)

func key(x expr.Expr, name string) expr.Index { return expr.Index{X: x, I: expr.Str{Value: name}} }

func text(s string) expr.Expr { return expr.Str{Value: s} }

func list(xs ...expr.Expr) expr.Expr { return expr.List{Elems: xs} }

// asked is a test of two calls, which takes a location and a variable from the second answer.
func asked() *Test {
	return &Test{Calls: []*Call{{Var: "r0"}, {Var: "r1"}}, Extractions: []Extraction{
		{Name: "location", Value: expr.Get{X: headers, Key: text("location")}}, {Name: "of_none", Value: text("x")},
	}}
}

// claimed shows a claim, "none" where a statement makes none.
func claimed(a *Assertion, ok bool) string {
	if !ok {
		return "none"
	}
	return strings.TrimSpace(strings.Join([]string{string(a.Place), string(a.Relation), a.Value}, " "))
}

// TestClaims: what a statement claims of one place, as those of generators do, and as those of people do besides.
func TestClaims(t *testing.T) {
	ids := expr.Each{Elem: key(expr.Name{ID: "e"}, "id"), Var: "e", List: key(body, "l")}
	odd := expr.Each{Elem: expr.Arith{X: expr.Name{ID: "e"}, Y: text("x")}, Var: "e", List: key(body, "l")}
	in := func(x, y expr.Expr) expr.Expr { return expr.Cmp(x, expr.In, y) }
	both := func(xs ...expr.Expr) expr.Expr { return expr.And{Xs: xs} }
	for _, tt := range []struct {
		name           string
		x              expr.Expr
		generated, any string // "" is as written
	}{
		{"status", expr.Cmp(status, expr.Eq, expr.Int(200)), "/status equal 200", ""},
		{"status of another test", expr.Cmp(expr.Answer{Var: "r2"}, expr.Eq, expr.Int(200)), "none", ""},
		{"order", expr.Cmp(status, expr.Ge, expr.Int(200)), "none", ""},
		{"what differs", expr.Cmp(status, expr.Ne, expr.Int(200)), "none", ""},
		{"header", expr.Cmp(key(headers, "etag"), expr.Eq, text("v")), `/header/etag equal "v"`, ""},
		{"a piece of a header", in(text("json"), key(headers, "content-type")), `/header/content-type contains "json"`, ""},
		{"a header is there", in(text("ETag"), headers), "/header/etag present", ""},
		{"a header is not there", expr.Cmp(text("ETag"), expr.NotIn, headers), "/header/etag absent", ""},
		{"member", expr.Same(key(key(body, "a"), "b/c"), expr.Null{}), "/body/a/b~1c equal null", ""},
		{"element", expr.Cmp(expr.Index{X: body, I: expr.Num{Text: "3"}}, expr.Eq, expr.Int(-1)), "/body/3 equal -1", ""},
		{"a variable index", expr.Cmp(expr.Index{X: body, I: expr.Name{ID: "i"}}, expr.Eq, expr.Int(1)), "none", ""},
		{"within a status", expr.Cmp(key(status, "a"), expr.Eq, expr.Int(1)), "none", ""},
		{"no literal", expr.Cmp(body, expr.Eq, key(body, "a")), "none", ""},
		{"characters", expr.Cmp(expr.Len{X: key(body, "l")}, expr.Eq, expr.Int(2)), "/body/l length 2", ""},
		{"length", expr.Cmp(expr.Length{X: key(body, "l")}, expr.Eq, expr.Int(2)), "none", "/body/l length 2"},
		{"empty text", expr.Cmp(whole, expr.Eq, text("")), "/body empty", ""},
		{"text", expr.Cmp(whole, expr.Eq, text("x")), `/body equal "x"`, ""},
		{"a piece of the text", in(text("x"), whole), `/body contains "x"`, ""},
		{"no piece of the text", expr.Cmp(text("x"), expr.NotIn, whole), "none", ""},
		{"a piece of a member", in(text("x"), key(body, "a")), `/body/a contains "x"`, ""},
		{"location", expr.IsURI{X: expr.Name{ID: "location"}}, "/header/location uri", ""},
		{"a variable of no answer", expr.IsURI{X: expr.Name{ID: "of_none"}}, "none", ""},
		{"an unknown variable", expr.IsURI{X: expr.Name{ID: "other"}}, "none", ""},
		{"empty", expr.IsEmpty{X: body}, "none", "/body empty"},
		{"prefix", expr.HasPrefix{X: key(body, "a"), Prefix: text("x")}, "none", `/body/a contains "x"`},
		{"array", expr.Cmp(key(body, "l"), expr.Eq, list(expr.Int(1), text("x"))), "none", `/body/l equal [1,"x"]`},
		{"array in any order", expr.SameItems{X: key(body, "l"), Y: list(expr.Int(1))}, "none", "/body/l equal [1]"},
		{"array of no literals", expr.SameItems{X: key(body, "l"), Y: list(expr.Name{ID: "x"})}, "none", ""},
		{"object", expr.Cmp(body, expr.Eq, expr.Object{Keys: []string{"a"}, Values: []expr.Expr{expr.Int(1)}}), "none", `/body equal {"a":1}`},
		{"members of elements", expr.Cmp(ids, expr.Eq, list(expr.Int(1))), "none", "/body/l/*/id equal [1]"},
		{"members of elements in any order", expr.SameItems{X: ids, Y: list(expr.Int(1))}, "none", "/body/l/*/id equal [1]"},
		{"what is made of elements", expr.Cmp(odd, expr.Eq, list(expr.Int(1))), "none", ""},
		{"some of an array", both(in(expr.Int(1), key(body, "l")), in(text("x"), key(body, "l"))), "none", "/body/l contains 1"},
		{"some of two arrays", both(in(expr.Int(1), key(body, "l")), in(expr.Int(1), key(body, "m"))), "none", ""},
		{"a name and no array", both(in(text("x"), headers)), "none", ""},
		{"what no array is", both(expr.Not{X: expr.IsType{X: body}}, expr.Cmp(body, expr.Eq, list(expr.Int(1)))), "none", "/body equal [1]"},
		{"alternatives", expr.Or{Xs: []expr.Expr{expr.IsEmpty{X: body}, expr.IsEmpty{X: body}}}, "none", ""},
		{"no condition", expr.Int(1), "none", ""},
		{"nothing", nil, "none", ""},
	} {
		for name, read := range map[string]func(Claims, *Assertion, expr.Expr) bool{"generated": Claims.Generated, "any": Claims.Any} {
			want := tt.generated
			if name == "any" && tt.any != "" {
				want = tt.any
			}
			a := &Assertion{}
			got := claimed(a, read(Claims{asked()}, a, tt.x))
			if got != want {
				t.Errorf("%s, %s: claims %q, want %q", tt.name, name, got, want)
			}
			if got != "none" && a.Call != 1 {
				t.Errorf("%s, %s: it is about call %d", tt.name, name, a.Call)
			}
		}
	}
}

// TestMembers: where a dialect says that a member is there, "in" speaks of a name and not of a piece of text.
func TestMembers(t *testing.T) {
	for _, tt := range []struct {
		x    expr.Expr
		want string
	}{
		{expr.Cmp(text("a"), expr.In, key(body, "b")), "/body/b/a present"},
		{expr.Cmp(text("a"), expr.NotIn, key(body, "b")), "/body/b/a absent"},
		{expr.Cmp(text("ETag"), expr.In, headers), "/header/etag present"},
		{expr.Cmp(text("a"), expr.In, status), "none"},
	} {
		a := &Assertion{}
		a.Relation = exchange.Present
		if got := claimed(a, (Claims{asked()}).Any(a, tt.x)); got != tt.want {
			t.Errorf("%v claims %q, want %q", tt.x, got, tt.want)
		}
	}
}

// TestSubjects: what an assertion compares, behind its guards too.
func TestSubjects(t *testing.T) {
	a := key(body, "a")
	guard := expr.Cmp(status, expr.Ne, expr.Int(200))
	for name, tt := range map[string]struct {
		relation exchange.Relation
		x, want  expr.Expr
	}{
		"equal":        {exchange.Equal, expr.Cmp(a, expr.Eq, expr.Int(1)), a},
		"guarded":      {exchange.Equal, expr.Or{Xs: []expr.Expr{guard, expr.Cmp(a, expr.Eq, expr.Int(1))}}, a},
		"contains":     {exchange.Contains, expr.Cmp(text("x"), expr.In, a), a},
		"length":       {exchange.Length, expr.Cmp(expr.Length{X: a}, expr.Eq, expr.Int(1)), a},
		"in any order": {exchange.Equal, expr.SameItems{X: a, Y: list()}, a},
		"uri":          {exchange.URI, expr.IsURI{X: a}, a},
		"empty":        {exchange.Empty, expr.IsEmpty{X: a}, a},
		"prefix":       {exchange.Contains, expr.HasPrefix{X: a, Prefix: text("x")}, a},
		"suffix":       {"", expr.HasSuffix{X: a, Suffix: text("x")}, a},
		"type":         {"", expr.IsType{X: a}, a},
		"pattern":      {"", expr.Match{X: a}, a},
		"digits":       {"", expr.IsDigits{X: a}, a},
		"none":         {"", expr.Any{X: a}, nil},
		"unread":       {"", nil, nil},
	} {
		assertion := &Assertion{Meaning: tt.x}
		assertion.Relation = tt.relation
		if got := assertion.Subject(); !expr.Identical(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
	prior := &Assertion{Meaning: guard, Prior: &PriorWeakening{Subject: a}}
	if got := prior.Subject(); !expr.Identical(got, a) {
		t.Errorf("weakened before: %v", got)
	}
}

// TestExtractions: the place that a variable is taken from is the last of its expression; a header is told by its name.
func TestExtractions(t *testing.T) {
	for _, tt := range []struct {
		x             expr.Expr
		place, header exchange.Place
	}{
		{key(headers, "location"), "/header/location", "/header/location"},
		{expr.Get{X: body, Key: text("id")}, "/body/id", ""},
		{expr.ToText{X: key(body, "id")}, "/body/id", ""},
		{expr.Sum(text("/items/"), expr.ToText{X: key(body, "id")}), "/body/id", ""},
		{expr.Sum(key(body, "base"), text("/x")), "/body/base", ""},
		{text("x"), "", ""},
	} {
		a := &Assertion{}
		if ok := (Claims{asked()}).ExtractionPlace(a, tt.x); ok != (tt.place != "") || ok && a.Place != tt.place {
			t.Errorf("%v is taken from %s (%t), want %s", tt.x, a.Place, ok, tt.place)
		}
		if got := ExtractedHeader(tt.x); got != tt.header {
			t.Errorf("%v is the header %q, want %q", tt.x, got, tt.header)
		}
	}
}
