package jvm

import (
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// guardedLink reads what [assertWriter.guarded] wrote: a function that looks at an answer where that is what the suite
// expects, r -> { if (r.statusCode() == 200) r.then().body("'a'", equalTo(1)); return anything(); }.
func (r *reader) guardedLink(a *script.Assertion, answer string, arg *callArg) (expr.Expr, bool) {
	i := arg.from
	for i < arg.to && !r.tokens[i].is("if") {
		i++
	}
	if !a.Ours || i+1 >= arg.to || !r.tokens[i+1].is("(") {
		return nil, false
	}
	var or expr.Or
	end := r.match[i+1]
	for from, k := i+2, i+2; k <= end; k++ {
		switch t := &r.tokens[k]; {
		case k == end || t.is("&&"):
			guard := r.guard(answer, from, k)
			if guard == nil {
				return nil, false
			}
			or.Xs = append(or.Xs, guard)
			from = k + 1
		case t.is("("):
			k = r.match[k]
		}
	}
	from := end + 1
	if r.tokens[from].is("{") {
		from++
	}
	to := from
	for to < arg.to && !r.tokens[to].is(";") && !r.tokens[to].is("}") {
		if r.tokens[to].is("(") {
			to = r.match[to]
		}
		to++
	}
	_, links := chain(r.parse(from, to))
	if len(links) != 2 || links[0].name != "then" {
		return nil, false
	}
	inner := *a
	x, _ := r.link(answer, &links[1], &inner)
	if x == nil {
		return nil, false
	}
	if said, ok := x.(expr.Or); ok {
		or.Xs = append(or.Xs, said.Xs...)
	} else {
		or.Xs = append(or.Xs, x)
	}
	return or, true
}

// guard reads one condition, r.statusCode() == 200 or r.path("'a'") instanceof java.util.Map, and returns its opposite;
// nil where it is another.
func (r *reader) guard(answer string, from, to int) expr.Expr {
	for k := from; k < to; k++ {
		switch t := &r.tokens[k]; {
		case t.is("("):
			k = r.match[k]
		case t.is("="), t.is("=="):
			_, links := chain(r.parse(from, k))
			status, ok := r.parse(k+1+len("==")-len(t.text), to).(num)
			if !ok || len(links) != 1 || links[0].name != "statusCode" {
				return nil
			}
			return expr.Cmp(expr.Answer{Var: answer}, expr.Ne, expr.Num{Text: status.text})
		case t.is("instanceof"), t.is("is"):
			_, links := chain(r.parse(from, k))
			if len(links) != 1 || links[0].name != "path" || len(links[0].args) != 1 {
				return nil
			}
			text, ok := links[0].args[0].x.(textNode)
			if !ok {
				return nil
			}
			p, known := parseGPath(text.token.text, expr.Answer{Var: answer, Part: expr.JSON})
			for ; known && k < to; k++ {
				if kind := map[string]expr.Type{"Map": expr.TypeObject, "List": expr.TypeArray}[r.tokens[k].text]; kind != 0 {
					return expr.Not{X: isType(p.x, kind)}
				}
			}
			return nil
		}
	}
	return nil
}
