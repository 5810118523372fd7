package suite

import (
	"math/big"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// earlier is what a statement of flaketap's has said until now, where more has been seen since than it admits.
type earlier struct {
	subject expr  // what it looks at
	values  []any // values that it admits: those that it lists, or one of each type that it speaks of
}

// reclaim reads what a statement of flaketap's says behind its guards, so that it can be weakened further: where an execution
// came to it at last, as what it said until then was guessed from what the suite expected, and where another value has been
// seen than it admits.
func (p *patcher) reclaim(t *Test, a *Assertion) {
	if !a.ours {
		return
	}
	guards := orParts(a.x)
	last := len(guards) - 1
	x, guards := guards[last], guards[:last]
	r := &testReader{script: p.script, test: t}
	said := Assertion{Claim: a.Claim}
	subject, values := admitted(x)
	switch {
	case values != nil && r.place(&said, subject):
		said.Relation = exchange.Equal
		for n := len(guards) - 1; n >= 0; n-- { // x is None or isinstance(x, str)
			too, more := admitted(guards[n])
			if more == nil || !sameExpr(too, subject) {
				break
			}
			guards, values = guards[:n], append(values, more...)
		}
		a.earlier = &earlier{subject, values}
	case len(guards) > 0 && r.claim(&said, x):
		a.earlier = nil
	default:
		return
	}
	a.Claim, a.guards = said.Claim, guards
	a.File, a.Line, a.Test = p.script.File, a.at.first, t.Name
}

// orParts takes an "or" apart, and those that it is one of: guards stand before what a matcher such as anyOf says.
func orParts(x expr) []expr {
	or, ok := x.(pyBool)
	if !ok || or.op != "or" {
		return []expr{x}
	}
	var out []expr
	for _, x := range or.xs {
		out = append(out, orParts(x)...)
	}
	return out
}

// admitted reads the statements that [weakening] makes of a value's type, range, spelling, or set of values: it returns what
// they are about, and values of each type that they admit; nil where the expression is another.
func admitted(x expr) (subject expr, values []any) {
	switch x := x.(type) {
	case pyBool: // isinstance(x, int) and 1 <= x <= 9, isinstance(x, int) and not isinstance(x, bool)
		for _, part := range slices.Backward(x.xs) {
			if subject, values = admitted(part); values != nil && x.op == "and" {
				return subject, values
			}
		}
		return nil, nil
	case pyCall:
		return admittedTypes(x)
	case pyCompare:
		if sameExpr(x.ys[0], pyName{"True"}) { // pm.expect(Number.isInteger(x)).to.be.true
			if subject, values = admitted(x.x); values != nil {
				return subject, values
			}
		}
		switch {
		case len(x.ops) == 2: // 1 <= x <= 9
			return x.ys[0], constants(x.x, x.ys[1])
		case x.ops[0] == ">=", x.ops[0] == "is":
			return x.x, constants(x.ys[0])
		case x.ops[0] == "in":
			if set, ok := x.ys[0].(pySeq); ok && set.tuple {
				return x.x, constants(set.elems...)
			}
		}
	}
	return nil, nil
}

// admittedTypes reads isinstance(x, (str, int)), re.fullmatch("[a-z]+", x) and x.isdigit().
func admittedTypes(x pyCall) (subject expr, values []any) {
	attr, isMethod := x.fn.(pyAttr)
	pattern, _, matches := matchOf(x)
	switch {
	case isMethod && attr.name == "isdigit" && len(x.args) == 0:
		return attr.x, []any{""}
	case matches:
		if number, ok := x.args[1].(pyCall); ok && isName(number.fn, "str") && len(number.args) == 1 {
			return number.args[0], constants(numbersIn(pattern)...) // as Hurl says one of some
		}
		return x.args[1], []any{""}
	case !isName(x.fn, "isinstance") || len(x.args) != 2:
		return nil, nil
	}
	samples := map[string]any{"bool": false, "int": new(big.Int), "float": 0.0, "str": "", "list": pyItems{}, "dict": map[string]any{}}
	for _, name := range typesOf(x) {
		sample, ok := samples[name]
		if !ok {
			return nil, nil
		}
		values = append(values, sample)
	}
	return x.args[0], values
}

// numbersIn reads the regular expression of one of some numbers, ^(?:200|404)$; nil where it is another.
func numbersIn(pattern string) []expr {
	inner, ok := strings.CutPrefix(pattern, "^(?:")
	inner, ends := strings.CutSuffix(inner, ")$")
	if !ok || !ends || strings.Trim(inner, "0123456789|") != "" {
		return nil
	}
	var out []expr
	for _, n := range strings.Split(inner, "|") {
		out = append(out, pyNum{n})
	}
	return out
}

// constants evaluates literals; nil where one is none.
func constants(xs ...expr) []any {
	var out []any
	for _, x := range xs {
		v, err := scope{}.eval(x)
		if err != nil {
			return nil
		}
		out = append(out, v)
	}
	return out
}

// widened gives what can be said of the subject l of a statement that was narrower: what the map says, where that admits what
// the statement did, and else the types.
func (w *weakening) widened(l string) []string {
	seen, _ := w.samples()
	var out []string
	if w.field != nil && w.field.Place.Matches(w.a.Place) && len(w.active) > 0 {
		out = w.learnedOf(l, w.a.earlier.values...)
	}
	return append(out, shapes(l, append(seen, w.a.earlier.values...))...)
}
