package jvm

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
)

// fluent reads the links of AssertJ's behind assertThat(…), each of which asserts something.
func (r *follower) fluent(first java.Call, args []java.Argument, links []java.Call, sends bool) {
	known := slices.ContainsFunc(r.file.module.Imports, func(name string) bool {
		return strings.Contains(name,
			"org.assertj.")
	})
	v, isValue := java.Node(nil), false
	if len(args) == 1 {
		v = args[0].X
		_, isValue = v.(meaning.Value)
	}
	for _, l := range links {
		meets, isPredicate := r.predicate(v, l)
		if !isPredicate {
			l.Args = r.arguments(l)
		}
		if slices.Contains([]string{"as", "describedAs", "withFailMessage", "overridingErrorMessage", "isNotNull"}, l.Name) && l.Name != "isNotNull" {
			continue
		}
		if value, ok := v.(meaning.Value); ok && known && l.Name == "extracting" {
			v = r.extracted(value, l)
			if _, isValue = v.(meaning.Value); isValue {
				continue
			}
		}
		a := r.add(l.From, l.To)
		if a == nil {
			continue
		}
		f := form{fluent: true, names: r.names(), in: r.in}
		if text, _ := v.(meaning.Value); text.Joins != nil {
			f.joined = text.Joins.By
		}
		r.file.forms[a.At.Start] = f
		if sends {
			a.Reason = "it sends a request itself"
			continue
		}
		what, ok := meaning.Said{}, false
		switch {
		case isPredicate:
			what, ok = meaning.Says(meets), known
		case known && isValue:
			what, ok = v.(meaning.Value).Link(l)
		}
		if !ok {
			if a.Reason = unreadable(l.Args); a.Reason == notRead {
				a.Reason = unreadable(args)
			}
			known = known && strings.HasPrefix(l.Name, "is") // any other may go on with another value
			continue
		}
		r.understood(a, what, f, first.Args[0])
	}
}

// predicate is what matches(x -> …) says of a value; false for any other link, and where that sends a request or
// asserts.
func (r *follower) predicate(of java.Node, l java.Call) (expr.Expr, bool) {
	v, isValue := of.(meaning.Value)
	if l.Name != "matches" || len(l.Args) != 1 || !isValue {
		return nil, false
	}
	x, ok := l.Args[0].X.(java.Lambda)
	to := x.To
	if r.file.kotlin && to > x.From && r.file.module.Tokens[to-1].Is(";") {
		to--
	}
	parsed := r.file.module.Parse(x.From, to)
	if !ok || len(x.Params) != 1 || x.Block && !r.file.kotlin || parsed == nil {
		return nil, false
	}
	defer r.hidden(x.Params)()
	r.env[x.Params[0]] = v
	calls, added := len(r.test.Calls), len(r.test.Assertions)
	means := meaning.Of(r.resolve(parsed))
	return means, len(r.test.Calls) == calls && len(r.test.Assertions) == added
}

// extracted is the list of what a member is of the elements of a list that Jackson made; nil where it is another.
func (r *follower) extracted(v meaning.Value, l java.Call) java.Node {
	if !v.Bound || v.Elem == "" || len(l.Args) != 1 {
		return nil
	}
	class, name, ok := strings.Cut(r.file.module.Joined(l.Args[0].From, l.Args[0].To), "::")
	if text, isText := l.Args[0].X.(java.Text); isText {
		name, class, ok = text.Token.Text, v.Elem, true
	}
	const element = "e"
	elem, isValue := r.boundAs(expr.Name{ID: element}, v.Elem, "").(meaning.Value)
	if !ok || class != v.Elem || !isValue {
		return nil
	}
	x, ok := r.memberOf(elem, java.Call{Name: name})
	member, isValue := x.(meaning.Value)
	if !ok || !isValue {
		return nil
	}
	return meaning.Value{X: expr.Each{Elem: meaning.Stripped(member.X), Var: element, List: v.X}, Typ: "List", Bound: true,
		Elem: member.Typ}
}

// link writes a condition as a link of AssertJ's own; false where it has none for it.
func (p *conditionWriter) link(x expr.Expr) (string, bool) {
	q := *p
	args := func(xs []expr.Expr) string {
		all := make([]string, len(xs))
		for i, y := range xs {
			all[i] = q.literal(y, p.s.typ)
		}
		return strings.Join(all, ", ")
	}
	text := ""
	switch x := x.(type) {
	case expr.Match:
		if p.s.is(x.X) && x.Full && p.s.typ == "String" {
			text = ".matches(" + p.links.Literal(x.Pattern) + ")"
		}
	case expr.Compare:
		set, isSet := x.Y.(expr.Set)
		switch piece, isText := x.X.(expr.Str); {
		case isSet && p.s.is(x.X) && p.s.typ != "":
			text = ".isIn(" + args(set.Elems) + ")"
		case isText && x.Op == expr.In && p.s.is(x.Y) && p.s.typ == "String":
			text = ".contains(" + p.links.Literal(piece.Value) + ")"
		}
	case expr.Between:
		if p.s.is(x.X) && meaning.IsNumeric(p.s.typ) {
			text = ".isBetween(" + args([]expr.Expr{x.Low, x.High}) + ")"
		}
	case expr.IsType:
		if p.s.is(x.X) && p.s.typ == "String" && len(x.Types) == 1 && x.Types[0] == expr.TypeString {
			text = ".isNotNull()"
		}
	}
	return text, text != "" && !q.failed
}
