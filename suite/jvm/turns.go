package jvm

import (
	"maps"
	"slices"
	"strconv"

	"github.com/flaketap/flaketap/suite/java"
)

// maxTurns bounds how many values a loop is followed with.
const maxTurns = 32

// loop follows a loop from its parentheses to where its body ends, with each of the values that it goes over where
// these are written out; false for any other loop.
func (r *follower) loop(open, to int, all java.Node) (end int, ok bool) {
	tokens, match := r.file.module.Tokens, r.file.module.Match
	at, each := r.variableOf(open)
	body := match[open] + 1
	if !each || body >= to || !tokens[body].Is("{") || !r.turning(body+1, match[body]) {
		return 0, false
	}
	over, written := all.(java.Array)
	if !written || len(over.Elems) == 0 || len(over.Elems) > maxTurns {
		return 0, false
	}
	name := java.Parameter{Name: tokens[at].Text, Typ: r.file.module.TypeBefore(open+1, at)}
	r.turns(name, over.Elems, func() { r.block(body+1, match[body]) })
	return match[body] + 1, true
}

// variableOf is the token of the variable that a loop gives each element of a list, as its parentheses say; false where
// they say something else.
func (r *follower) variableOf(open int) (at int, ok bool) {
	tokens, end := r.file.module.Tokens, r.file.module.Match[open]
	for at = open + 1; at+1 < end; at++ {
		if tokens[at+1].Is(":") {
			return at, tokens[at].Kind == java.NameToken
		}
	}
	return 0, false
}

// forEach follows what a list that is written out hands each of its elements to; false for any other call.
func (r *follower) forEach(of java.Node, c java.Call) bool {
	over, written := of.(java.Array)
	if c.Name != "forEach" || !written || len(c.Args) != 1 || len(over.Elems) > maxTurns {
		return false
	}
	x, ok := c.Args[0].X.(java.Lambda)
	if !ok || len(x.Params) > 1 || !r.turning(x.From, x.To) {
		return false
	}
	name := java.Parameter{Name: "it"}
	if len(x.Params) == 1 {
		name.Name = x.Params[0]
	}
	r.turns(name, over.Elems, func() { r.runs(x) })
	return true
}

// repeated follows a lambda of Kotlin's that runs as often as a number says; false where it may end before.
func (r *follower) repeated(times java.Node, x java.Lambda) bool {
	n, err := strconv.Atoi(java.WrittenText(r.resolve(times)))
	if err != nil || n < 1 || n > maxTurns || !r.turning(x.From, x.To) {
		return false
	}
	var all []java.Node
	for i := range n {
		all = append(all, java.Number{Text: strconv.Itoa(i)})
	}
	r.turns(java.Parameter{Name: "it"}, all, func() { r.runs(x) })
	return true
}

// turning reports whether a loop that begins here comes to each of its turns, and each of these to its end.
func (r *follower) turning(from, to int) bool {
	return r.own && r.rows == nil && r.said == nil && !r.in.condition && !r.in.lambda &&
		!slices.ContainsFunc(r.file.module.Tokens[from:to], func(t java.Token) bool {
			return t.Is("break") || t.Is("continue") || t.Is("return") || t.Is("throw") || t.Is("yield")
		})
}

// turns follows the turns of a loop, with a value for its variable in each.
func (r *follower) turns(of java.Parameter, values []java.Node, body func()) {
	known, moved := r.env, r.moved
	r.rows = &rows{said: map[int]*rounds{}}
	for _, x := range values {
		r.rows.from = len(r.test.Calls)
		r.env, r.moved = map[string]java.Node{}, map[string]bool{}
		maps.Copy(r.env, known)
		maps.Copy(r.moved, moved)
		r.rows.takes(r, []java.Parameter{of}, []java.Node{x})
		body()
		for name, is := range r.env { // what it declares is gone
			if _, outer := known[name]; outer && name != of.Name || ofFields(name) {
				known[name] = is
			}
		}
		for name := range r.moved {
			if _, outer := known[name]; outer {
				moved[name] = true
			}
		}
	}
	r.rows.ends()
	r.env, r.moved, r.rows = known, moved, nil
}
