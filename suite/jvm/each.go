package jvm

import (
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
)

// ofEach is what a lambda, or a method that is named, makes of each element of a list, or says of all or some; false
// where a call does something else.
func (r *follower) ofEach(of java.Node, c java.Call) (java.Node, bool) {
	v, ok := of.(meaning.Value)
	switch {
	case !ok || len(c.Args) != 1 || c.Safe:
		return nil, false
	case c.Name == "joinToString":
		return meaning.Join(v, c.Args[0].X)
	case c.Name == "collect":
		if by, ok := c.Args[0].X.(java.Call); ok && by.Name == "joining" && len(by.Args) == 1 {
			return meaning.Join(v, by.Args[0].X)
		}
		to := r.file.module.Joined(c.Args[0].From, c.Args[0].To)
		return v, slices.Contains([]string{"toList()", "Collectors.toList()", "Collectors.toUnmodifiableList()"}, to)
	case !meaning.HandsEach(c.Name):
		return nil, false
	}
	name := "e" // what an element is called: those of lists within lists differ
	if r.in.elements > 0 {
		name += strconv.Itoa(r.in.elements + 1)
	}
	elem, ok := r.elementOf(v, expr.Name{ID: name})
	if !ok {
		return nil, false
	}
	calls, added := len(r.test.Calls), len(r.test.Assertions)
	outer := r.in
	r.in.condition = true
	r.in.elements++
	gives := r.madeOf(elem, c.Args[0])
	r.in = outer
	one := meaning.Of(gives)
	if expr.UnknownIn(one) != "" || len(r.test.Calls) != calls || len(r.test.Assertions) != added {
		return java.Opaque{What: "what a lambda gives"}, true
	}
	if !meaning.IsTree(v.Typ) {
		one = meaning.OfElement(name, one)
	}
	x := v.Each(c.Name, name, one)
	if at, isValue := x.(meaning.Value); isValue && v.Bound && at.Typ == "" {
		return r.boundAs(at.X, v.Elem, ""), true
	}
	return x, true
}

// elementOf is an element of a list; false where a value is none.
func (r *follower) elementOf(v meaning.Value, x expr.Expr) (java.Node, bool) {
	switch {
	case v.Bound && (v.Typ == "List" || v.Typ == "array") && v.Elem != "":
		return r.boundAs(x, v.Elem, ""), true
	case v.Bound:
	case meaning.IsTree(v.Typ):
		return meaning.Value{X: x, Typ: v.Typ}, true
	case v.Typ == "List", v.Typ == "":
		return meaning.Value{X: x, Typ: v.Elem, Null: true}, true
	}
	return nil, false
}

// madeOf is what an argument makes of a value: a lambda, or a method or a property that is named by its class.
func (r *follower) madeOf(x java.Node, a java.Argument) java.Node {
	if lambda, ok := a.X.(java.Lambda); ok && len(lambda.Params) <= 1 {
		gives, _ := r.inside(lambda, x, nil)
		return gives
	}
	name, ok := a.X.(java.Field)
	if ok && strings.HasSuffix(r.file.module.Joined(a.From, a.To), "::"+name.Name) {
		if r.file.kotlin {
			return r.property(x, name.Name)
		}
		return r.method(x, java.Call{Name: name.Name})
	}
	return java.Opaque{What: "what a function gives"}
}
