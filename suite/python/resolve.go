package python

import (
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/meaning"
	"github.com/flaketap/flaketap/suite/python/source"
	"github.com/flaketap/flaketap/suite/python/syntax"
)

// resolve is an expression with the values of its names in their place: what is left are literals, answers by the
// variables of their calls, and what is not known. Requests in it are noted as sent by the statement, functions of the
// file are followed.
func (r *follower) resolve(x syntax.Node, st syntax.Statement) syntax.Node {
	return meaning.Bounded(r.substitute(x, st))
}

// substitute is resolve without a bound on what comes of it.
func (r *follower) substitute(x syntax.Node, st syntax.Statement) syntax.Node {
	if r.nodes++; r.nodes > maxNodes {
		return meaning.Opaque{What: "too many expressions"}
	}
	value := func(y syntax.Node) syntax.Node { return r.resolve(y, st) }
	switch x := x.(type) {
	case syntax.Name:
		return r.named(x)
	case syntax.Attr:
		return r.attribute(x, st)
	case syntax.Call:
		return r.call(x, st)
	case syntax.Index:
		return r.element(syntax.Index{X: value(x.X), I: value(x.I)})
	case syntax.Slice:
		return syntax.Slice{From: r.optional(x.From, st), To: r.optional(x.To, st)}
	case syntax.Text:
		return syntax.Text{Parts: r.all(x.Parts, st)}
	case syntax.Unary:
		return syntax.Unary{Op: x.Op, X: value(x.X)}
	case syntax.Binary:
		return meaning.United(syntax.Binary{Op: x.Op, X: value(x.X), Y: value(x.Y)})
	case syntax.Compare:
		return compared(syntax.Compare{X: value(x.X), Ops: x.Ops, Ys: r.all(x.Ys, st)})
	case syntax.Logic:
		return syntax.Logic{Op: x.Op, Xs: r.all(x.Xs, st)}
	case syntax.Seq:
		return syntax.Seq{Tuple: x.Tuple, Elems: r.all(x.Elems, st)}
	case syntax.Set:
		return syntax.Set{Of: value(x.Of)}
	case meaning.Items:
		return meaning.Items{X: value(x.X)}
	case syntax.Dict:
		return meaning.WithSpread(syntax.Dict{Keys: r.all(x.Keys, st), Values: r.all(x.Values, st)})
	case syntax.ByKey:
		return r.byKey(x, st)
	case syntax.IfElse:
		return meaning.Chosen(syntax.IfElse{X: value(x.X), Cond: value(x.Cond), Y: value(x.Y)})
	case syntax.Lambda:
		return r.closure(x, st)
	case syntax.Named:
		r.env[x.Name] = value(x.X)
		return r.env[x.Name]
	case syntax.Comp:
		return r.comprehension(x, st)
	}
	return x
}

// shadow returns what gives names back what they stand for now: those of a comprehension are its own.
func (r *follower) shadow(names ...string) (restore func()) {
	outer := map[string]syntax.Node{}
	for _, name := range names {
		if value, known := r.env[name]; known {
			outer[name] = value
		}
	}
	return func() {
		for _, name := range names {
			delete(r.env, name)
		}
		maps.Copy(r.env, outer)
	}
}

func (r *follower) optional(x syntax.Node, st syntax.Statement) syntax.Node {
	if x == nil {
		return nil
	}
	return r.resolve(x, st)
}

func (r *follower) all(xs []syntax.Node, st syntax.Statement) []syntax.Node {
	out := make([]syntax.Node, len(xs))
	for i, x := range xs {
		out[i] = r.resolve(x, st)
	}
	return out
}

// named is what a name stands for.
func (r *follower) named(x syntax.Name) syntax.Node {
	if slices.Contains([]string{"True", "False", "None"}, x.Id) || r.callOf(x.Id) != nil {
		return x
	}
	if value, known := r.env[x.Id]; known {
		return value
	}
	if value, known := r.constant(r.module, x.Id); known {
		return value
	}
	return meaning.Opaque{What: "the name " + x.Id}
}

// constant is what a file assigns to a name at its top level, or imports from another.
func (r *follower) constant(m *module, name string) (syntax.Node, bool) {
	value, known := m.constants[name]
	if from, ok := m.imports[name]; ok && !known && from.name != "" {
		m = from.module
		value, known = m.constants[from.name]
	}
	if !known {
		return nil, false
	}
	outer := r.module
	r.module = m
	defer func() { r.module = outer }()
	return r.resolve(value, syntax.Statement{}), true
}

// moduleNamed is the file that a name stands for, where it is imported as a whole.
func (r *follower) moduleNamed(x syntax.Node) (*module, bool) {
	name, ok := x.(syntax.Name)
	if _, variable := r.env[name.Id]; !ok || variable {
		return nil, false
	}
	from, ok := r.module.imports[name.Id]
	return from.module, ok && from.name == ""
}

// attribute is an attribute of an answer, or of the test case.
func (r *follower) attribute(x syntax.Attr, st syntax.Statement) syntax.Node {
	if syntax.IsName(x.X, "self") || syntax.IsName(x.X, "cls") {
		name := "self." + x.Name
		if value, known := r.env[name]; known {
			return value
		}
		for _, c := range r.home.lineage(r.class, maxBases) {
			if value, known := r.constant(c.module, name); known {
				return value
			}
		}
		return meaning.Opaque{What: "the name " + name}
	}
	if of, ok := r.moduleNamed(x.X); ok {
		if value, known := r.constant(of, x.Name); known {
			return value
		}
	}
	if status, ok := r.statusNamed(x); ok {
		return status
	}
	of := r.resolve(x.X, st)
	if object, ok := of.(*pyInstance); ok {
		return r.attr(object, x.Name)
	}
	if _, ok := of.(syntax.NumLit); ok && x.Name == "value" {
		return of // of an enumeration of statuses
	}
	if c := r.answerRaised(of); c != nil && x.Name == "response" {
		return syntax.Name{Id: c.Var}
	}
	answer, ok := of.(syntax.Name)
	if !ok || r.callOf(answer.Id) == nil {
		return syntax.Attr{X: of, Name: x.Name}
	}
	status := syntax.Attr{X: answer, Name: "status_code"}
	switch x.Name {
	case "status_code", "status":
		r.spell(answer.Id, expr.Status, source.Attribute(x.Name))
		return status
	case "ok":
		return syntax.Compare{X: status, Ops: []string{"<"}, Ys: []syntax.Node{syntax.NumLit{Text: "400"}}}
	case "is_success":
		return syntax.Compare{X: status, Ops: []string{"<"}, Ys: []syntax.Node{syntax.NumLit{Text: "300"}}}
	case "text":
		r.spell(answer.Id, expr.Text, source.Attribute(x.Name))
	case "links":
		if strings.Contains(r.file.script.Text, "aiohttp") {
			return meaning.Opaque{What: "the links of aiohttp"} // whose URLs are no texts
		}
	case "json":
		r.spell(answer.Id, expr.JSON, source.Attribute(x.Name))
		return syntax.Call{Fn: syntax.Attr{X: answer, Name: "json"}}
	}
	return syntax.Attr{X: answer, Name: x.Name}
}

// call is a call of a function of the file, of a client that sends a request, or of anything else.
func (r *follower) call(x syntax.Call, st syntax.Statement) syntax.Node {
	if fn, ok := x.Fn.(syntax.Attr); ok {
		if of, ok := r.moduleNamed(fn.X); ok {
			if f := of.called(fn.Name); f != nil {
				return r.inline(f, r.arguments(f, x.Args, x.Kw, st))
			}
		}
	}
	if object := r.instance(x, st); object != nil {
		return object
	}
	for _, by := range []func(syntax.Call, syntax.Statement) syntax.Node{r.madeBy, r.validated} {
		if made := by(x, st); made != nil {
			return made
		}
	}
	if fn, ok := x.Fn.(syntax.Attr); ok && !syntax.IsName(fn.X, "self") {
		if name, ok := fn.X.(syntax.Name); ok {
			if object, ok := r.named(name).(*pyInstance); ok {
				if out, ok := r.sentThrough(object, fn.Name, x, st); ok {
					return out
				}
			}
		}
	}
	if f, args, fr := r.local(x); f != nil {
		return r.inlineIn(f, r.arguments(f, args, x.Kw, st), fr)
	}
	if sent, ok := r.request(x, st); ok {
		return sent
	}
	if sent, ok := r.opened(x, st); ok {
		return sent
	}
	if inOrder, ok := r.ordered(x, st); ok {
		return inOrder
	}
	out := syntax.Call{Fn: x.Fn, Args: r.all(x.Args, st)}
	for _, kw := range x.Kw {
		out.Kw = append(out.Kw, syntax.Keyword{Name: kw.Name, X: r.resolve(kw.X, st)})
	}
	if name, ok := x.Fn.(syntax.Name); ok {
		return builtIn(out, name.Id, x.Args)
	}
	fn, ok := x.Fn.(syntax.Attr)
	switch {
	case !ok:
		return meaning.Opaque{What: "what is called"}
	case fn.Name == "loads" && syntax.IsName(fn.X, "json") && len(out.Args) == 1:
		return r.parsed(out.Args[0])
	case fn.Name == "load" && syntax.IsName(fn.X, "json") && len(out.Args) == 1:
		return r.parsed(syntax.Attr{X: out.Args[0], Name: "content"})
	case syntax.IsName(fn.X, "re"), syntax.IsName(fn.X, "pytest") && fn.Name == "approx", syntax.IsName(fn.X, "uuid") && fn.Name == "UUID":
		return out
	}
	return r.method(out, fn, r.resolve(fn.X, st), x.Awaited)
}

// builtIn is a call of a function of Python's own, given what its arguments are and how they are written.
func builtIn(out syntax.Call, name string, written []syntax.Node) syntax.Node {
	switch {
	case name == "len" && len(written) == 1:
		out.Args[0] = unmade(out.Args[0])
	case name == "isinstance" && len(written) == 2:
		out.Args[1] = written[1] // the names of types
	}
	if object, ok := dumpedRecord(out, name, nil); ok {
		return object
	}
	if each, ok := meaning.EachOf(out, name); ok {
		return each
	}
	return meaning.Listed(out, name)
}

// method is a call of a method of a value; out is the call with its arguments.
func (r *follower) method(out syntax.Call, fn syntax.Attr, of syntax.Node, awaited bool) syntax.Node {
	if object, ok := dumpedRecord(out, fn.Name, of); ok {
		return object
	}
	if pattern, ok := compiled(of); ok && len(out.Args) == 1 {
		return syntax.Call{Fn: syntax.Attr{X: syntax.Name{Id: "re"}, Name: fn.Name}, Args: []syntax.Node{pattern, out.Args[0]}}
	}
	if answer, ok := of.(syntax.Name); ok && r.callOf(answer.Id) != nil {
		switch fn.Name {
		case "text": // as aiohttp has it
			r.spell(answer.Id, expr.Text, source.Method("text", awaited))
			return syntax.Attr{X: of, Name: "text"}
		case "json", "get_json":
			r.spell(answer.Id, expr.JSON, source.Method(fn.Name, awaited))
			fn.Name = "json"
		case "read":
			return syntax.Attr{X: of, Name: "content"}
		}
	}
	if content, ok := of.(syntax.Attr); ok && content.Name == "content" && fn.Name == "decode" {
		return syntax.Attr{X: content.X, Name: "text"}
	}
	out.Fn = syntax.Attr{X: of, Name: fn.Name}
	return syntax.Formatted(out)
}

// parsed is what json.loads makes of the text of an answer.
func (r *follower) parsed(text syntax.Node) syntax.Node {
	of, ok := text.(syntax.Attr)
	answer, named := of.X.(syntax.Name)
	if !ok || !named || of.Name != "text" && of.Name != "content" {
		return meaning.Opaque{What: "the function loads"}
	}
	said := [2]string{"", "." + of.Name}
	if of.Name == "text" {
		said = r.file.spelling(r.file.spelled[r.test], answer.Id)[expr.Text]
	}
	r.spell(answer.Id, expr.JSON, [2]string{"json.loads(" + said[0], said[1] + ")"})
	return syntax.Call{Fn: syntax.Attr{X: answer, Name: "json"}}
}

// compiled is the pattern of re.compile(pattern).
func compiled(x syntax.Node) (syntax.Node, bool) {
	call, _ := x.(syntax.Call)
	fn, ok := call.Fn.(syntax.Attr)
	if !ok || fn.Name != "compile" || !syntax.IsName(fn.X, "re") || len(call.Args) != 1 || len(call.Kw) > 0 {
		return nil, false
	}
	return call.Args[0], true
}

// local returns the function of the file that a call is of, its arguments, and what it sees; nil where it is of none.
func (r *follower) local(x syntax.Call) (*function, []syntax.Node, frame) {
	switch fn := x.Fn.(type) {
	case syntax.Name:
		value, variable := r.env[fn.Id]
		if inner, ok := value.(*pyFunc); ok {
			return inner.f, x.Args, frame{outer: inner.outer}
		}
		if !variable {
			return r.module.called(fn.Id), x.Args, frame{}
		}
	case syntax.Attr:
		if syntax.IsName(fn.X, "self") || syntax.IsName(fn.X, "cls") {
			return r.home.method(r.class, fn.Name), x.Args, r.same()
		}
	}
	return nil, nil, frame{}
}

// same is what a method sees that another of the same object calls.
func (r *follower) same() frame { return frame{self: r.self} }

// arguments are the values of a function's parameters in a call.
func (r *follower) arguments(f *function, args []syntax.Node, kw []syntax.Keyword,
	st syntax.Statement) map[string]syntax.Node {
	out := map[string]syntax.Node{}
	for i, x := range r.all(args, st) {
		if i < len(f.params) {
			out[f.params[i].name] = x
		}
	}
	var rest syntax.Dict
	for _, k := range r.spread(kw, st) {
		if slices.ContainsFunc(f.params, func(p parameter) bool { return p.name == k.Name && !p.rest }) {
			out[k.Name] = k.X
		} else {
			rest.Keys, rest.Values = append(rest.Keys, syntax.StrLit{S: k.Name}), append(rest.Values, k.X)
		}
	}
	for _, p := range f.params {
		if p.rest {
			out[p.name] = rest
		}
	}
	return out
}

// spread is named arguments with their values, and those of **dict by the names that it has.
func (r *follower) spread(kw []syntax.Keyword, st syntax.Statement) []syntax.Keyword {
	var out []syntax.Keyword
	for _, k := range kw {
		x := r.resolve(k.X, st)
		d, written := x.(syntax.Dict)
		switch {
		case k.Name != "**":
			out = append(out, syntax.Keyword{Name: k.Name, X: x})
		case written:
			for i, key := range d.Keys {
				out = append(out, syntax.Keyword{Name: writtenText(key), X: d.Values[i]})
			}
		}
	}
	return out
}
