package python

import (
	"maps"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/meaning"
	"github.com/flaketap/flaketap/suite/python/syntax"
	"github.com/flaketap/flaketap/suite/script"
)

// pyFunc is a function that stands in another, and what names stand for in that.
type pyFunc struct {
	f     *function
	outer map[string]syntax.Node
}

// pyInstance is an object of a class of the files that are read, and what it was given so far.
type pyInstance struct {
	module *module // of the class
	class  string
	attrs  map[string]syntax.Node // by "self.NAME"
	fields bool                   // they are the fields of a record
	json   syntax.Node            // what a record is made of as a whole; nil for any other
}

// frame is what the body of a function sees beside its parameters.
type frame struct {
	outer map[string]syntax.Node // the names of the function that it stands in
	self  *pyInstance            // whose method it is; nil for one of the test case, or of none
}

// nested has a name stand for the function that a statement within another defines, with the statements behind it.
func (r *follower) nested(st syntax.Statement, behind []syntax.Statement) {
	f := newFunction(st, "", nil)
	f.module = r.module
	for _, s := range behind {
		if len(s.Indent) <= len(st.Indent) {
			break
		}
		f.body = append(f.body, s)
	}
	r.env[f.name] = &pyFunc{f, r.env}
}

// closure is a lambda, as a function that returns its body.
func (r *follower) closure(x syntax.Lambda, st syntax.Statement) *pyFunc {
	word := func(text string) syntax.Token { return syntax.Token{Kind: syntax.TokenName, Text: text} }
	st.Tokens = append([]syntax.Token{word("return")}, x.Body...)
	return &pyFunc{&function{module: r.module, params: parametersIn(x.Params), body: []syntax.Statement{st}}, r.env}
}

// instance is the object that a call makes of a class of the files that are read; nil where it is no such call.
func (r *follower) instance(x syntax.Call, st syntax.Statement) *pyInstance {
	name, ok := x.Fn.(syntax.Name)
	if _, variable := r.env[name.Id]; !ok || variable {
		return nil
	}
	if name.Id == "cls" && r.self != nil && r.self.module == r.module {
		name.Id = r.self.class
	}
	from := r.module.named(name.Id)
	if from.module.bases[from.name] == nil {
		return nil
	}
	of := &pyInstance{module: from.module, class: from.name, attrs: map[string]syntax.Node{}}
	if r.ofFields(of, x, st) {
		return of
	}
	if f := from.module.method(from.name, "__init__"); f != nil {
		r.inlineIn(f, r.arguments(f, x.Args, x.Kw, st), frame{self: of})
	}
	return of
}

// sentThrough follows a method of an object; false where its class has none of that name, or that does nothing known.
func (r *follower) sentThrough(of *pyInstance, name string, x syntax.Call, st syntax.Statement) (syntax.Node, bool) {
	f := of.module.method(of.class, name)
	if f == nil {
		return nil, false
	}
	calls := len(r.test.Calls)
	out := r.inlineIn(f, r.arguments(f, x.Args, x.Kw, st), frame{self: of})
	_, unknown := out.(meaning.Opaque)
	return out, len(r.test.Calls) > calls || !unknown && expr.FromAnswer(meaning.Of(out))
}

// attr is an attribute of an object.
func (r *follower) attr(of *pyInstance, name string) syntax.Node {
	if x, ok := of.attrs["self."+name]; ok {
		return x
	}
	if x := r.property(of, name); x != nil {
		return x
	}
	for _, c := range of.module.lineage(of.class, maxBases) {
		if x, ok := r.constant(c.module, "self."+name); ok {
			return x
		}
	}
	return meaning.Opaque{What: "the attribute " + name}
}

// enter gives a follower what it sees, and leave returns what it changed to where that belongs.
func (r *follower) enter(in *follower, fr frame) {
	maps.Copy(in.env, fr.outer)
	if fr.self == nil {
		for name, x := range r.env {
			if ofTestCase(name) {
				in.env[name] = x
			}
		}
		return
	}
	in.class, in.home, in.self = fr.self.class, fr.self.module, fr.self
	maps.DeleteFunc(in.env, func(name string, _ syntax.Node) bool { return ofTestCase(name) })
	maps.Copy(in.env, fr.self.attrs)
}

func (r *follower) leave(in *follower, fr frame) {
	maps.DeleteFunc(in.env, func(name string, _ syntax.Node) bool { return !ofTestCase(name) })
	if fr.self != nil {
		maps.Copy(fr.self.attrs, in.env)
	} else {
		maps.Copy(r.env, in.env)
	}
}

// statusNamed is the status that http.HTTPStatus, requests.codes or starlette.status calls by a name.
func (r *follower) statusNamed(x syntax.Attr) (syntax.Node, bool) {
	group := ""
	switch of := x.X.(type) {
	case syntax.Name:
		_, variable := r.env[of.Id]
		if _, constant := r.module.constants[of.Id]; !variable && !constant {
			group = of.Id
		}
	case syntax.Attr:
		if _, named := of.X.(syntax.Name); named {
			group = of.Name
		}
	}
	switch group {
	case "HTTPStatus", "codes":
		if code, ok := script.StatusNamed(x.Name); ok {
			return syntax.NumLit{Text: code}, true
		}
	case "status":
		rest, ok := strings.CutPrefix(x.Name, "HTTP_")
		digits := rest[:min(3, len(rest))]
		if _, err := strconv.ParseUint(digits, 10, 16); ok && err == nil && strings.HasPrefix(rest[len(digits):], "_") {
			return syntax.NumLit{Text: digits}, true
		}
	}
	return nil, false
}

// likely is the part of x if cond else y that a path is made of where the condition asks whether what an answer gave is
// None.
func likely(x syntax.IfElse) (syntax.Node, bool) {
	c, ok := x.Cond.(syntax.Compare)
	if !ok || len(c.Ops) != 1 || !syntax.IsName(c.Ys[0], "None") || !expr.FromAnswer(meaning.Of(c.X)) {
		return nil, false
	}
	switch c.Ops[0] {
	case "is":
		return x.Y, true
	case "is not":
		return x.X, true
	}
	return nil, false
}
