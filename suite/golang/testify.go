package golang

import (
	"go/ast"
	"go/types"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/lenient"
	"github.com/flaketap/flaketap/suite/golang/logic"
	"github.com/flaketap/flaketap/suite/golang/typing"
)

// The packages of testify whose assertions are read.
const (
	testifyAssert  = "github.com/stretchr/testify/assert"
	testifyRequire = "github.com/stretchr/testify/require"
)

// checked reads a statement that calls an assertion of testify's; false where it is none.
func (r *follower) checked(s ast.Stmt, call *ast.CallExpr) bool {
	method, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f := form{node: &ast.ExprStmt{X: call}, receiver: method.X, from: call.Pos(), to: call.End()}
	if _, inHead := r.heads[s]; inHead {
		f.head = s
	}
	args := call.Args
	if pkg := r.PkgOf(method.X); (pkg == testifyAssert || pkg == testifyRequire) && len(args) > 0 {
		f.test, args = args[0], args[1:]
	} else if pkg != "" {
		return false
	} else if !r.asserts(method) {
		return false
	}
	name := strings.TrimSuffix(method.Sel.Name, "f")
	if slices.Contains([]string{"NoError", "Error", "ErrorIs", "ErrorAs", "ErrorContains", "EqualError"}, name) {
		r.all(args)
		return true
	}
	word, ok := testifyWords()[name]
	values, sends, sure := r.allSent(args)
	f.sends = sends
	switch {
	case !ok || len(values) < word.args || len(values) != len(args):
		r.note(s, "the assertion "+method.Sel.Name+" is not known")
	case !sure, sends != nil && f.head != nil:
		r.note(s, "it sends a request itself")
	case aboutNil(values[:word.args]):
	default:
		f.message = args[word.args:]
		r.assertion(s, f, word.says(values))
	}
	return true
}

// asserts reports whether a method is one of testify's: of what New returned, or of a suite.
func (r *follower) asserts(method *ast.SelectorExpr) bool {
	switch v := r.receiver(method.X).(type) {
	case asserter:
		return true
	case *fixture:
		_, own := r.method(method, v)
		return !own && !slices.Contains([]string{"Require", "Assert", "T", "SetT", "SetS", "Run"}, method.Sel.Name)
	}
	return false
}

// aboutNil reports whether an assertion is about an answer or an error itself, not about what is in it.
func aboutNil(values []value) bool {
	switch values[len(values)-1].(type) {
	case failure, failureTest, answer, pointer, client:
		return len(values) == 1
	}
	return false
}

// word is an assertion of testify's: how many arguments it has beside the test, and what it says of them.
type word struct {
	args int
	says func(v []value) expr.Expr
}

// testifyWords are the assertions that are understood, by name.
func testifyWords() map[string]word {
	comparison := func(op expr.Op) word {
		return word{2, func(v []value) expr.Expr { return compared(v[0], op, v[1]) }}
	}
	not := func(w word) word { return word{w.args, func(v []value) expr.Expr { return logic.Opposite(w.says(v)) }} }
	same := word{2, func(v []value) expr.Expr { return equal(deeply(v[1]), deeply(v[0])) }}
	values := word{2, func(v []value) expr.Expr { return equal(deeply(v[1]), loose(deeply(v[0]))) }}
	null := word{1, func(v []value) expr.Expr { return equal(v[0], plain{x: expr.Null{}}) }}
	truth := word{1, func(v []value) expr.Expr { return meaningOf(v[0]) }}
	contains := word{2, func(v []value) expr.Expr { return contained(v[1], v[0]) }}
	match := word{2, func(v []value) expr.Expr { return matched(v[0], v[1]) }}
	empty := word{1, func(v []value) expr.Expr { return isEmpty(v[0]) }}
	subset := word{2, func(v []value) expr.Expr { return containsAll(v[0], v[1]) }}
	zero := word{1, func(v []value) expr.Expr { return isZero(v[0]) }}
	return map[string]word{
		"Equal": same, "Exactly": same, "EqualValues": values, "NotEqual": not(same), "NotEqualValues": not(values),
		"Nil": null, "NotNil": not(null), "True": truth, "False": not(truth),
		"Contains": contains, "NotContains": not(contains), "Regexp": match, "NotRegexp": not(match),
		"Empty": empty, "NotEmpty": not(empty), "Zero": zero, "NotZero": not(zero),
		"Greater": comparison(expr.Gt), "GreaterOrEqual": comparison(expr.Ge), "Less": comparison(expr.Lt),
		"LessOrEqual": comparison(expr.Le),
		"Positive":    {1, func(v []value) expr.Expr { return expr.Cmp(meaningOf(v[0]), expr.Gt, expr.Int(0)) }},
		"Negative":    {1, func(v []value) expr.Expr { return expr.Cmp(meaningOf(v[0]), expr.Lt, expr.Int(0)) }},
		"Len": {2, func(v []value) expr.Expr {
			of := meaningOf(v[0])
			if isText(v[0]) {
				of = expr.Bytes{X: of}
			}
			return expr.Cmp(expr.Len{X: of}, expr.Eq, meaningOf(v[1]))
		}},
		"InDelta":        {3, func(v []value) expr.Expr { return near(v[1], v[0], v[2]) }},
		"InEpsilon":      {3, func(v []value) expr.Expr { return nearPart(v[0], v[1], v[2]) }},
		"WithinDuration": {3, func(v []value) expr.Expr { return sameMoment(v[1], v[0]) }},
		"ElementsMatch": {2, func(v []value) expr.Expr {
			return sameItems(v[0], v[1])
		}},
		"Subset": subset, "NotSubset": not(subset),
		"IsType": {2, func(v []value) expr.Expr { return ofTypeOf(v[0], v[1]) }},
		"JSONEq": {2, func(v []value) expr.Expr { return sameJSON(v[0], v[1]) }},
	}
}

// loose is a value that texts and numbers of any type are equal to.
func loose(v value) value {
	if p, ok := v.(plain); ok && typing.BasicInfo(p.typ) != 0 {
		return plain{x: p.x}
	}
	return v
}

// near says that a number is another, give or take a third that is written out.
func near(v, about, delta value) expr.Expr {
	if isWritten(v) && !isWritten(about) {
		v, about = about, v
	}
	x, middle, most := meaningOf(v), meaningOf(about), meaningOf(delta)
	if close, ok := expr.Near(x, middle, most); ok {
		return expr.Or{Xs: []expr.Expr{close, expr.Cmp(x, expr.Eq, middle)}}
	}
	if close, ok := expr.Near(expr.Arith{Op: expr.Subtract, X: x, Y: middle}, expr.Int(0), most); ok {
		return close
	}
	return expr.Unknown{What: "such a difference"}
}

// nearPart says that a number is one that is written out, give or take a part of that one: what testify calls the
// relative error.
func nearPart(about, v, part value) expr.Expr {
	of, ok := expr.Token(meaningOf(about))
	share, too := expr.Token(meaningOf(part))
	middle, isNumber := new(big.Rat).SetString(of)
	epsilon, isShare := new(big.Rat).SetString(share)
	if !ok || !too || !isNumber || !isShare || !isWritten(about) || isWritten(v) {
		return expr.Unknown{What: "such a difference"}
	}
	delta := middle.Mul(middle.Abs(middle), epsilon).FloatString(deltaDigits)
	return near(v, about, plain{x: expr.Numeral(strings.TrimSuffix(strings.TrimRight(delta, "0"), "."))})
}

// deltaDigits are the digits behind the point of a difference that is worked out.
const deltaDigits = 12

// containsAll says that a list has each element of one that is written out.
func containsAll(list, some value) expr.Expr {
	written, _ := some.(plain)
	of, ok := written.x.(expr.List)
	if !ok || !isWritten(some) || isWritten(list) || len(of.Elems) == 0 {
		return expr.Unknown{What: "such a list"}
	}
	elements := make([]expr.Expr, len(of.Elems))
	for i, e := range of.Elems {
		elements[i] = contained(plain{x: e, typ: typing.ElementOf(written.typ)}, list)
	}
	return expr.AllOf(elements...)
}

// sameMoment says that a moment of an answer is one that is written out; that it may be a little earlier or later
// makes no difference for one that stays the same.
func sameMoment(a, b value) expr.Expr {
	if isWritten(a) {
		a, b = b, a
	}
	if p, ok := a.(plain); ok && typing.IsMoment(p.typ) && isWritten(b) {
		return equal(a, b)
	}
	return expr.Unknown{What: "such a time"}
}

// sameItems says that two lists have the same elements, of which the one that is written out stands behind.
func sameItems(a, b value) expr.Expr {
	if isWritten(a) && !isWritten(b) {
		a, b = b, a
	}
	x, ok := a.(plain)
	y, too := b.(plain)
	if ok && too && hasNone(y, typing.ElementOf(x.typ)) {
		return expr.Unknown{What: "a list of another type"}
	}
	return expr.SameItems{X: meaningOf(a), Y: meaningOf(b)}
}

// matched says that a text has a piece that a regular expression matches.
func matched(pattern, text value) expr.Expr {
	switch p := pattern.(type) {
	case regex:
		return expr.Match{X: meaningOf(text), Pattern: p.pattern}
	case plain:
		if s, ok := p.x.(expr.Str); ok {
			return expr.Match{X: meaningOf(text), Pattern: s.Value}
		}
	}
	return expr.Unknown{What: "the pattern"}
}

// isEmpty says that a value is the zero value of its type, or has nothing in it, or points to such a value.
func isEmpty(v value) expr.Expr {
	p, _ := v.(plain)
	switch t := typing.Under(p.typ).(type) {
	case *types.Pointer:
		return expr.AnyOf(expr.IsNull(p.x), isEmpty(plain{x: p.x, typ: t.Elem()}))
	case *types.Slice, *types.Map:
		if typing.IsBytes(t) {
			return expr.Cmp(p.x, expr.Eq, expr.Str{})
		}
		return expr.Cmp(expr.Len{X: p.x}, expr.Eq, expr.Int(0))
	}
	return isZero(v)
}

// isZero says that a value is the zero value of its type.
func isZero(v value) expr.Expr {
	p, _ := v.(plain)
	switch t := typing.Under(p.typ).(type) {
	case *types.Basic, *types.Pointer:
		if zero := typing.ZeroOf(t); zero != nil {
			return expr.Same(p.x, zero)
		}
	case *types.Slice, *types.Map:
		if typing.ZeroOf(t) != nil {
			return expr.IsNull(lenient.OrNil(p.x))
		}
	}
	return expr.Unknown{What: "whether a value is empty"}
}

// ofTypeOf says that a value is of the type of another.
func ofTypeOf(sample, v value) expr.Expr {
	p, _ := sample.(plain)
	is, ok := expr.Typed(meaningOf(v), typing.JSONType(p.typ))
	if !ok {
		return expr.Unknown{What: "a type"}
	}
	return is
}

// sameJSON says that the text of an answer is the same JSON as one that is written out.
func sameJSON(want, got value) expr.Expr {
	text, ok := meaningOf(want).(expr.Str)
	x := jsonOf(got)
	if !ok || x == nil {
		return expr.Unknown{What: "such JSON"}
	}
	v, err := expr.ParseJSON([]byte(text.Value))
	if err != nil {
		return expr.Unknown{What: "what is no JSON"}
	}
	return expr.Same(x, literalOf(v))
}

// literalOf writes a value of JSON out.
func literalOf(v any) expr.Expr {
	switch v := v.(type) {
	case expr.Items:
		out := expr.List{Elems: []expr.Expr{}}
		for _, e := range v {
			out.Elems = append(out.Elems, literalOf(e))
		}
		return out
	case map[string]any:
		var out expr.Object
		for _, k := range slices.Sorted(maps.Keys(v)) {
			out.Keys, out.Values = append(out.Keys, k), append(out.Values, literalOf(v[k]))
		}
		return out
	}
	x, ok := expr.Literal(v)
	if !ok {
		return expr.Unknown{What: "such a number"}
	}
	return x
}
