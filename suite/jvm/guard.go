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
			guard := meaning.Guard(r.Parser, answer, from, k)
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
