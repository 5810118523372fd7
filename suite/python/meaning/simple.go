package meaning

import (
	"slices"
	"strconv"

	"github.com/flaketap/flaketap/suite/python/syntax"
)

// maxNodes bounds of how many nodes a value is made.
const maxNodes = 1 << 14

// Bounded is a value that stands for no more than so many nodes; one that is made of more is not known.
func Bounded(x syntax.Node) syntax.Node {
	if left := maxNodes; !within(x, &left) {
		return Opaque{What: "a value that is made of too many others"}
	}
	return x
}

// within counts the nodes of a value down, and reports whether they are no more than what is left.
func within(x syntax.Node, left *int) bool {
	if *left--; *left < 0 {
		return false
	}
	all := func(xs ...syntax.Node) bool {
		return !slices.ContainsFunc(xs, func(y syntax.Node) bool { return y != nil && !within(y, left) })
	}
	switch x := x.(type) {
	case syntax.Attr:
		return all(x.X)
	case syntax.Index:
		return all(x.X, x.I)
	case syntax.Slice:
		return all(x.From, x.To)
	case syntax.Text:
		return all(x.Parts...)
	case syntax.Unary:
		return all(x.X)
	case syntax.Binary:
		return all(x.X, x.Y)
	case syntax.Compare:
		return all(x.X) && all(x.Ys...)
	case syntax.Logic:
		return all(x.Xs...)
	case syntax.Seq:
		return all(x.Elems...)
	case syntax.Set:
		return all(x.Of)
	case Items:
		return all(x.X)
	case Ordered:
		return all(x.List, x.Key)
	case syntax.Dict:
		return all(x.Keys...) && all(x.Values...)
	case syntax.IfElse:
		return all(x.X, x.Cond, x.Y)
	case syntax.Comp:
		return all(x.Elem, x.List, x.Cond)
	case syntax.ByKey:
		return all(x.Key, x.Value, x.List, x.Cond)
	case syntax.Call:
		return all(x.Fn) && all(x.Args...) &&
			!slices.ContainsFunc(x.Kw, func(k syntax.Keyword) bool { return !within(k.X, left) })
	}
	return true
}

// Listed is the list that list(…) or tuple(…) makes of one that is written out, else the call of that name.
func Listed(call syntax.Call, name string) syntax.Node {
	if name != "list" && name != "tuple" || len(call.Args) != 1 || len(call.Kw) > 0 {
		return call
	}
	if list, ok := call.Args[0].(syntax.Seq); ok {
		return syntax.Seq{Tuple: name == "tuple", Elems: list.Elems}
	}
	return call
}

// WithSpread takes what **other has into an object that is written out.
func WithSpread(d syntax.Dict) syntax.Node {
	var out syntax.Dict
	for i, k := range d.Keys {
		of, written := d.Values[i].(syntax.Dict)
		if _, spread := k.(syntax.Spread); spread && written {
			out.Keys, out.Values = append(out.Keys, of.Keys...), append(out.Values, of.Values...)
			continue
		}
		out.Keys, out.Values = append(out.Keys, k), append(out.Values, d.Values[i])
	}
	return out
}

// United is the object of the members of two that are written out, as a | b has them; any other sum stays.
func United(x syntax.Binary) syntax.Node {
	a, written := x.X.(syntax.Dict)
	b, too := x.Y.(syntax.Dict)
	if x.Op != "|" || !written || !too {
		return syntax.Formatted(x)
	}
	out := syntax.Dict{Keys: slices.Clone(a.Keys), Values: slices.Clone(a.Values)}
	for i, key := range b.Keys {
		at := -1
		if text, ok := key.(syntax.StrLit); ok {
			at = slices.Index(out.Keys, syntax.Node(text))
		}
		if at >= 0 {
			out.Values[at] = b.Values[i]
			continue
		}
		out.Keys, out.Values = append(out.Keys, key), append(out.Values, b.Values[i])
	}
	return out
}

// At is what is at an index: of an object that is written out its member, of a piece of a list an element of the list,
// and of an object that is made of a list a member of that; any other stays.
func At(x syntax.Index) syntax.Node {
	if of, ok := inPiece(x); ok {
		return of
	}
	if of, ok := x.X.(syntax.ByKey); ok && IsLiteral(x.I) {
		return AtKey(of, x.I)
	}
	key, text := x.I.(syntax.StrLit)
	if of, ok := x.X.(syntax.Dict); ok && text {
		for i, k := range of.Keys {
			if k == syntax.Node(key) {
				return of.Values[i]
			}
		}
	}
	return x
}

// inPiece is an element of a list's end, as one of that list: list[1:][0] is list[1].
func inPiece(x syntax.Index) (syntax.Node, bool) {
	of, _ := x.X.(syntax.Index)
	piece, _ := of.I.(syntax.Slice)
	from, _ := piece.From.(syntax.NumLit)
	i, _ := x.I.(syntax.NumLit)
	first, err := strconv.Atoi(from.Text)
	at, notNumber := strconv.Atoi(i.Text)
	if err != nil || notNumber != nil || piece.To != nil {
		return nil, false
	}
	return syntax.Index{X: of.X, I: syntax.NumLit{Text: strconv.Itoa(first + at)}}, true
}

// Chosen is what x if cond else y is where the condition asks whether what is written out is None.
func Chosen(x syntax.IfElse) syntax.Node {
	c, ok := x.Cond.(syntax.Compare)
	if !ok || len(c.Ops) != 1 || c.Ops[0] != "is" && c.Ops[0] != "is not" || !syntax.IsName(c.Ys[0], "None") {
		return x
	}
	isNone := syntax.IsName(c.X, "None")
	switch c.X.(type) {
	case syntax.StrLit, syntax.NumLit, syntax.Text, syntax.Seq, syntax.Dict:
	default:
		if !isNone {
			return x
		}
	}
	if isNone == (c.Ops[0] == "is") {
		return x.X
	}
	return x.Y
}

// AtKey is the member of a name of an object that is made of a list: that of the last element which has it for
// its key, as each takes the place of the one before.
func AtKey(of syntax.ByKey, key syntax.Node) syntax.Node {
	cond := syntax.Node(syntax.Compare{X: of.Key, Ops: []string{"=="}, Ys: []syntax.Node{key}})
	if of.Cond != nil {
		cond = syntax.Logic{Op: "and", Xs: []syntax.Node{of.Cond, cond}}
	}
	found := syntax.Comp{Elem: of.Value, Name: of.Names[0], List: of.List, Cond: cond}
	return syntax.Index{X: found, I: syntax.Unary{Op: "-", X: syntax.NumLit{Text: "1"}}}
}

// SameByKey says of an object that is made of a list that it has the members of one that is written out and no others;
// false where that has others than texts and numbers for its keys.
func SameByKey(of syntax.ByKey, as syntax.Node) (syntax.Node, bool) {
	written, ok := as.(syntax.Dict)
	if !ok || len(written.Keys) == 0 || len(of.Names) != 1 {
		return nil, false
	}
	keys := syntax.Seq{Tuple: true, Elems: written.Keys}
	among := syntax.Compare{X: of.Key, Ops: []string{"in"}, Ys: []syntax.Node{keys}}
	says := []syntax.Node{syntax.Call{Fn: syntax.Name{Id: "all"},
		Args: []syntax.Node{syntax.Comp{Elem: among, Name: of.Names[0], List: of.List, Cond: of.Cond}}}}
	for i, key := range written.Keys {
		switch key.(type) {
		case syntax.StrLit, syntax.NumLit:
		default:
			return nil, false
		}
		says = append(says, syntax.Compare{X: AtKey(of, key), Ops: []string{"=="}, Ys: written.Values[i : i+1]})
	}
	return syntax.Logic{Op: "and", Xs: says}, true
}

// EachOf is all(…) or any(…) of conditions that are written out, as these joined.
func EachOf(call syntax.Call, name string) (syntax.Node, bool) {
	op := map[string]string{"all": "and", "any": "or"}[name]
	if op == "" || len(call.Args) != 1 || len(call.Kw) > 0 {
		return nil, false
	}
	list, ok := call.Args[0].(syntax.Seq)
	return syntax.Logic{Op: op, Xs: list.Elems}, ok && len(list.Elems) > 0
}
