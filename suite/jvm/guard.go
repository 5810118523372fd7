package jvm

import (
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/script"
)

// guardedLink reads what [assertWriter.guarded] wrote: a function that looks at an answer where that is what the suite
// expects, r -> { if (r.statusCode() == 200) r.then().body("'a'", equalTo(1)); return anything(); }.
func (r *reader) guardedLink(a *script.Assertion, answer string, arg *java.Argument) (expr.Expr, bool) {
	i := arg.From
	for i < arg.To && !r.Tokens[i].Is("if") {
		i++
	}
	if !a.Ours || i+1 >= arg.To || !r.Tokens[i+1].Is("(") {
		return nil, false
	}
	var or expr.Or
	end := r.Match[i+1]
	for from, k := i+2, i+2; k <= end; k++ {
		switch t := &r.Tokens[k]; {
		case k == end || t.Is("&&"):
			guard := r.guard(answer, from, k)
			if guard == nil {
				return nil, false
			}
			or.Xs = append(or.Xs, guard)
			from = k + 1
		case t.Is("("):
			k = r.Match[k]
		}
	}
	from := end + 1
	if r.Tokens[from].Is("{") {
		from++
	}
	to := from
	for to < arg.To && !r.Tokens[to].Is(";") && !r.Tokens[to].Is("}") {
		if r.Tokens[to].Is("(") {
			to = r.Match[to]
		}
		to++
	}
	_, links := java.Chain(r.Parse(from, to))
	if len(links) != 2 || links[0].Name != "then" {
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
		switch t := &r.Tokens[k]; {
		case t.Is("("):
			k = r.Match[k]
		case t.Is("="), t.Is("=="):
			_, links := java.Chain(r.Parse(from, k))
			status, ok := r.Parse(k+1+len("==")-len(t.Text), to).(java.Number)
			if !ok || len(links) != 1 || links[0].Name != "statusCode" {
				return nil
			}
			return expr.Cmp(expr.Answer{Var: answer}, expr.Ne, expr.Num{Text: status.Text})
		case t.Is("instanceof"), t.Is("is"):
			_, links := java.Chain(r.Parse(from, k))
			if len(links) != 1 || links[0].Name != "path" || len(links[0].Args) != 1 {
				return nil
			}
			text, ok := links[0].Args[0].X.(java.Text)
			if !ok {
				return nil
			}
			p, known := meaning.ParsePath(text.Token.Text, expr.Answer{Var: answer, Part: expr.JSON})
			for ; known && k < to; k++ {
				if kind := map[string]expr.Type{"Map": expr.TypeObject, "List": expr.TypeArray}[r.Tokens[k].Text]; kind != 0 {
					return expr.Not{X: meaning.IsType(p.X, kind)}
				}
			}
			return nil
		}
	}
	return nil
}
