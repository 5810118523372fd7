package jvm

import (
	"slices"

	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
)

// A loop over a list of an answer that adds to a list which was empty before, and a lambda that does and is handed each
// element, fill that list: it has what they add, for each element.

// filling are the lists that a loop fills: what they have when it has ended.
type filling map[string]meaning.Value

// filled reads the loop whose variable and list stand in parentheses, and whose body begins behind them; nil where it
// fills none, or is not followed.
func (r *follower) filled(open, to int, over java.Node) filling {
	tokens, match := r.file.module.Tokens, r.file.module.Match
	body := match[open] + 1
	list, ok := over.(meaning.Value)
	at, each := r.variableOf(open)
	if !ok || !each || body >= to {
		return nil
	}
	variable := tokens[at].Text
	if !tokens[body].Is("{") {
		end := body
		for end < to && !tokens[end].Is(";") {
			end++
		}
		return r.fillings(list, variable, body, end)
	}
	return r.fillings(list, variable, body+1, match[body])
}

// filledBy reads a call that hands each element of a list to a lambda; nil where this fills no list.
func (r *follower) filledBy(of java.Node, c java.Call) filling {
	list, ok := of.(meaning.Value)
	if !ok || c.Name != "forEach" || len(c.Args) != 1 {
		return nil
	}
	x, ok := c.Args[0].X.(java.Lambda)
	if !ok || len(x.Params) > 1 {
		return nil
	}
	return r.fillings(list, append(slices.Clone(x.Params), "it")[0], x.From, x.To)
}

// fillings reads the statements that are run with each element of a list, where each of them runs each time.
func (r *follower) fillings(list meaning.Value, variable string, from, to int) filling {
	tokens, match := r.file.module.Tokens, r.file.module.Match
	out := filling{}
	for i := from; r.own && r.turning(from, to) && i < to; i++ {
		end := i
		for end < to && !tokens[end].Is(";") {
			if t := &tokens[end]; t.Is("(") || t.Is("[") || t.Is("{") {
				end = match[end]
			}
			end++
		}
		if add := i + 3; add < end && tokens[i].Kind == java.NameToken && tokens[i+1].Is(".") && tokens[i+2].Is("add") &&
			tokens[add].Is("(") && match[add] == end-1 {
			name := tokens[i].Text
			v, ok := r.addedOf(list, variable, add+1, end-1)
			if !isEmptyList(r.env[name]) || !ok || r.again(name, from, to) {
				return nil
			}
			out[name] = v
		}
		i = end
	}
	return out
}

// isEmptyList reports whether a value is a list that waits to be filled.
func isEmptyList(x java.Node) bool {
	written, ok := x.(java.Array)
	waits, _ := x.(java.Opaque)
	return ok && len(written.Elems) == 0 || waits.What == meaning.EmptyList
}

// again reports whether a name stands several times among some tokens.
func (r *follower) again(name string, from, to int) bool {
	times := 0
	for _, t := range r.file.module.Tokens[from:to] {
		if t.Kind == java.NameToken && t.Text == name {
			times++
		}
	}
	return times > 1
}

// addedOf is the list of what an expression makes of each element of a list; false where that is not known.
func (r *follower) addedOf(list meaning.Value, variable string, from, to int) (meaning.Value, bool) {
	added := java.Argument{X: java.Lambda{Params: []string{variable}, From: from, To: to}}
	made, _ := r.ofEach(list, java.Call{Name: "map", Args: []java.Argument{added}})
	v, ok := made.(meaning.Value)
	return v, ok
}

// put gives the lists that were filled what they have.
func (f filling) put(r *follower) {
	for name, v := range f {
		r.env[name] = v
		delete(r.moved, name)
	}
}

// reordered has lists stand for something that is not known that a function of class Collections changes.
func (r *follower) reordered(class string, args []java.Argument) {
	for _, a := range args {
		if n, ok := a.X.(java.Name); ok && class == "Collections" {
			if _, known := r.known(n.ID); known {
				r.forget(n.ID)
			}
		}
	}
}
