package python

import (
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/polling"
	"github.com/flaketap/flaketap/suite/python/source"
	"github.com/flaketap/flaketap/suite/python/syntax"
)

// given is what a call in a statement of a test gives, which sends one request: its answer, or something made of that.
type given struct {
	start, end int // of the call, in bytes
	value      syntax.Node
	raises     bool // the function looks into the answer, and may raise an error
}

// givenAt is what an expression that a test gives a name stands for. The first call in it is evaluated by itself, and
// once: if it sends a request, it is noted with what it gives. Among the rest its text stands for it, as a name that no
// name of the file is.
func (r *follower) givenAt(st syntax.Statement, tokens []syntax.Token) syntax.Node {
	if !r.own || r.file.said != nil || r.inside(repeated) || len(tokens) > maxHoisted || !plain(tokens) {
		return r.valueAt(st, tokens)
	}
	all := calls(tokens, 0)
	if len(all) == 0 {
		return r.valueAt(st, tokens)
	}
	first, before := all[0], len(r.test.Calls)
	x := r.valueAt(st, tokens[first.begin:first.end])
	if len(r.test.Calls) > before {
		r.handsOn(tokens[first.begin:first.end], x, before)
	}
	name := r.file.source(tokens[first.begin:first.end])
	defer delete(r.env, name)
	return r.valueAt(st, r.standIn(tokens, first, name, x))
}

// maxHoisted bounds the tokens among which a call is looked for.
const maxHoisted = 200

// handsOn notes what a call gives, if it sent the one request from a number on.
func (r *follower) handsOn(call []syntax.Token, x syntax.Node, from int) {
	if len(r.test.Calls) != from+1 || call[0].Text == "await" {
		return
	}
	c := r.test.Calls[from]
	g := given{start: call[0].Start, end: call[len(call)-1].End, value: x}
	node, err := syntax.ParseExpr(call)
	if sends, ok := node.(syntax.Call); err == nil && ok && c.At.Start <= g.start && g.end <= c.At.End {
		g.raises = r.raising(sends.Fn)
		r.file.given[c] = g
	}
}

// raising reports whether a function of the suite may raise an error of its own.
func (r *follower) raising(fn syntax.Node) bool {
	name, method := fn.(syntax.Name)
	attr, isAttr := fn.(syntax.Attr)
	method = isAttr && !method
	return slices.ContainsFunc(r.home.functions, func(f *function) bool {
		if method != (f.class != "") || f.name != name.Id && f.name != attr.Name {
			return false
		}
		return slices.ContainsFunc(f.body, func(st syntax.Statement) bool {
			return slices.ContainsFunc(st.Tokens, func(t syntax.Token) bool {
				return slices.Contains([]string{"assert", "raise", "raise_for_status"}, t.Text) && t.Kind == syntax.TokenName
			})
		})
	})
}

// own is how a value is called that can be asked of what is given, by the name of that.
func (g given) own(x expr.Expr, name string, spelled source.Spelling) (string, bool) {
	return polling.PartOf(g.value, x, name, spelled)
}
