package python

import (
	"github.com/flaketap/flaketap/suite/python/meaning"
	"github.com/flaketap/flaketap/suite/python/syntax"
)

// ordered is what sorted, min and max give by a key, or from the greatest down: a list in order, or its first element;
// false where the key is none that is known.
func (r *follower) ordered(x syntax.Call, st syntax.Statement) (syntax.Node, bool) {
	fn, _ := x.Fn.(syntax.Name)
	if fn.Id != "sorted" && fn.Id != "min" && fn.Id != "max" || len(x.Args) != 1 || len(x.Kw) == 0 {
		return nil, false
	}
	of := meaning.Ordered{Falling: fn.Id == "max"}
	for _, kw := range x.Kw {
		switch {
		case kw.Name == "key":
			var known bool
			if of.Name, of.Key, known = r.keyOf(kw.X, st); !known {
				return nil, false
			}
		case kw.Name == "reverse" && fn.Id == "sorted" && (syntax.IsName(kw.X, "True") || syntax.IsName(kw.X, "False")):
			of.Falling = syntax.IsName(kw.X, "True")
		default:
			return nil, false
		}
	}
	if of.List = r.resolve(x.Args[0], st); fn.Id == "sorted" {
		return of, true
	}
	return syntax.Index{X: of, I: syntax.NumLit{Text: "0"}}, true
}

// keyOf is what a lambda of one parameter gives for an element, or itemgetter("name"), and how it calls the element.
func (r *follower) keyOf(x syntax.Node, st syntax.Statement) (element string, key syntax.Node, known bool) {
	switch x := x.(type) {
	case syntax.Lambda:
		params := parametersIn(x.Params)
		body, err := syntax.ParseExpr(x.Body)
		if err != nil || len(params) != 1 || params[0].value != nil || params[0].rest {
			return "", nil, false
		}
		element = params[0].name
		defer r.shadow(element)()
		r.env[element] = meaning.Element{Name: element}
		return element, r.resolve(body, st), true
	case syntax.Call:
		fn, ofModule := x.Fn.(syntax.Attr)
		if !syntax.IsName(x.Fn, "itemgetter") && !(ofModule && syntax.IsName(fn.X, "operator") && fn.Name == "itemgetter") ||
			len(x.Args) != 1 {
			return "", nil, false
		}
		return "element", syntax.Index{X: meaning.Element{Name: "element"}, I: r.resolve(x.Args[0], st)}, true
	}
	return "", nil, false
}
