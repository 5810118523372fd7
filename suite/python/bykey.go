package python

import (
	"slices"

	"github.com/flaketap/flaketap/suite/python/meaning"
	"github.com/flaketap/flaketap/suite/python/syntax"
)

// byKey is an object that is made of a list: one that is written out, where the list or the names of the members are;
// else what it is made of, of which a member that is named can be found.
func (r *follower) byKey(x syntax.ByKey, st syntax.Statement) syntax.Node {
	if picked, ok := r.picked(x, st); ok {
		return picked
	}
	list := r.resolve(x.List, st)
	if of, ok := list.(syntax.Dict); ok {
		list = syntax.Seq{Elems: of.Keys}
	}
	written, isWritten := list.(syntax.Seq)
	if len(x.Names) != 1 || isWritten && (len(written.Elems) > maxCases || x.Cond != nil) {
		return meaning.Opaque{What: "an object that is made of a list"}
	}
	defer r.shadow(x.Names...)()
	if isWritten {
		var out syntax.Dict
		for _, e := range written.Elems {
			r.env[x.Names[0]] = e
			out.Keys, out.Values = append(out.Keys, r.resolve(x.Key, st)), append(out.Values, r.resolve(x.Value, st))
		}
		return out
	}
	r.env[x.Names[0]] = meaning.Element{Name: x.Names[0]}
	out := syntax.ByKey{Names: x.Names, List: list}
	if of, record, ok := recordsOf(list); ok && of.Cond == nil {
		r.env[x.Names[0]] = record
		out.Names, out.List = []string{of.Name}, of.List
	}
	out.Key, out.Value, out.Cond = r.resolve(x.Key, st), r.resolve(x.Value, st), r.optional(x.Cond, st)
	return out
}

// ofMembers is what a comprehension says of each member of an object that is written out: [f(k, v) for k, v in
// x.items()].
func (r *follower) ofMembers(x syntax.Comp, st syntax.Statement) syntax.Node {
	items, _ := x.List.(syntax.Call)
	fn, _ := items.Fn.(syntax.Attr)
	none := meaning.Opaque{What: "what is made of each member of an object"}
	if fn.Name != "items" || len(items.Args)+len(items.Kw) > 0 || x.Cond != nil {
		return none
	}
	of, written := r.resolve(fn.X, st).(syntax.Dict)
	if !written || len(of.Keys) > maxCases {
		return none
	}
	defer r.shadow(x.Name, x.Value)()
	out := syntax.Seq{}
	for i, key := range of.Keys {
		r.env[x.Name], r.env[x.Value] = key, of.Values[i]
		out.Elems = append(out.Elems, r.resolve(x.Elem, st))
	}
	return out
}

// picked is what {k: v for k, v in object.items() if k in ("a", "b")} takes of an object: members that are named.
func (r *follower) picked(x syntax.ByKey, st syntax.Statement) (syntax.Node, bool) {
	items, _ := x.List.(syntax.Call)
	fn, _ := items.Fn.(syntax.Attr)
	cond, _ := x.Cond.(syntax.Compare)
	if fn.Name != "items" || len(items.Args)+len(items.Kw) > 0 || len(x.Names) != 2 ||
		!syntax.IsName(x.Key, x.Names[0]) || !syntax.IsName(x.Value, x.Names[1]) ||
		!slices.Equal(cond.Ops, []string{"in"}) || !syntax.IsName(cond.X, x.Names[0]) {
		return nil, false
	}
	names := r.resolve(cond.Ys[0], st)
	if set, ok := names.(syntax.Set); ok {
		names = set.Of
	}
	list, written := names.(syntax.Seq)
	of := r.resolve(fn.X, st)
	var out syntax.Dict
	for _, name := range list.Elems {
		if _, isText := name.(syntax.StrLit); !isText {
			return nil, false
		}
		out.Keys, out.Values = append(out.Keys, name), append(out.Values, meaning.At(syntax.Index{X: of, I: name}))
	}
	return out, written && len(list.Elems) > 0 && len(list.Elems) <= maxCases
}
