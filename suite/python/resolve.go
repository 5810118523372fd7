package python

import (
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
)

// pyOpaque is a value of which nothing is known but why.
type pyOpaque struct{ what string }

// resolve is an expression with the values of its names in their place: what is left are literals, answers by the
// variables of their calls, and what is not known. Requests in it are noted as sent by the statement, functions of the
// file are followed.
func (r *follower) resolve(x node, st statement) node { return bounded(r.substitute(x, st)) }

// substitute is resolve without a bound on what comes of it.
func (r *follower) substitute(x node, st statement) node {
	if r.nodes++; r.nodes > maxNodes {
		return pyOpaque{"too many expressions"}
	}
	value := func(y node) node { return r.resolve(y, st) }
	switch x := x.(type) {
	case pyName:
		return r.named(x)
	case pyAttr:
		return r.attribute(x, st)
	case pyCall:
		return r.call(x, st)
	case pyIndex:
		return resolvedIndex(pyIndex{value(x.x), value(x.i)})
	case pySlice:
		return pySlice{r.optional(x.from, st), r.optional(x.to, st)}
	case pyText:
		return pyText{r.all(x.parts, st)}
	case pyUnary:
		return pyUnary{x.op, value(x.x)}
	case pyBinary:
		return pyBinary{x.op, value(x.x), value(x.y)}
	case pyCompare:
		return pyCompare{value(x.x), x.ops, r.all(x.ys, st)}
	case logic:
		return logic{x.op, r.all(x.xs, st)}
	case pySeq:
		return pySeq{x.tuple, r.all(x.elems, st)}
	case pySet:
		return pySet{value(x.of)}
	case pyItems:
		return pyItems{value(x.x)}
	case pyDict:
		return spreadDict(pyDict{r.all(x.keys, st), r.all(x.values, st)})
	case ifElse:
		return chosen(ifElse{value(x.x), value(x.cond), value(x.y)})
	case pyRest:
		return x
	case pyComp:
		list := value(x.list)
		outer, known := r.env[x.name]
		r.env[x.name] = pyElement{x.name}
		out := pyComp{value(x.elem), x.name, list, r.optional(x.cond, st)}
		delete(r.env, x.name)
		if known {
			r.env[x.name] = outer
		}
		return out
	}
	return x
}

// bounded is a value that stands for no more than so many nodes; one that is made of more is not known.
func bounded(x node) node {
	if left := maxNodes; !within(x, &left) {
		return pyOpaque{"a value that is made of too many others"}
	}
	return x
}

// within counts the nodes of a value down, and reports whether they are no more than what is left.
func within(x node, left *int) bool {
	if *left--; *left < 0 {
		return false
	}
	all := func(xs ...node) bool {
		return !slices.ContainsFunc(xs, func(y node) bool { return y != nil && !within(y, left) })
	}
	switch x := x.(type) {
	case pyAttr:
		return all(x.x)
	case pyIndex:
		return all(x.x, x.i)
	case pySlice:
		return all(x.from, x.to)
	case pyText:
		return all(x.parts...)
	case pyUnary:
		return all(x.x)
	case pyBinary:
		return all(x.x, x.y)
	case pyCompare:
		return all(x.x) && all(x.ys...)
	case logic:
		return all(x.xs...)
	case pySeq:
		return all(x.elems...)
	case pySet:
		return all(x.of)
	case pyItems:
		return all(x.x)
	case pyRest:
		return all(x.x)
	case pyDict:
		return all(x.keys...) && all(x.values...)
	case ifElse:
		return all(x.x, x.cond, x.y)
	case pyComp:
		return all(x.elem, x.list, x.cond)
	case pyCall:
		return all(x.fn) && all(x.args...) && !slices.ContainsFunc(x.kw, func(k pyKeyword) bool { return !within(k.x, left) })
	}
	return true
}

// pyElement is the variable of a comprehension, within that.
type pyElement struct{ name string }

func (r *follower) optional(x node, st statement) node {
	if x == nil {
		return nil
	}
	return r.resolve(x, st)
}

func (r *follower) all(xs []node, st statement) []node {
	out := make([]node, len(xs))
	for i, x := range xs {
		out[i] = r.resolve(x, st)
	}
	return out
}

// named is what a name stands for.
func (r *follower) named(x pyName) node {
	if slices.Contains([]string{"True", "False", "None"}, x.id) || r.callOf(x.id) != nil {
		return x
	}
	if value, known := r.env[x.id]; known {
		return value
	}
	if value, known := r.constant(r.module, x.id); known {
		return value
	}
	return pyOpaque{"the name " + x.id}
}

// constant is what a file assigns to a name at its top level, or imports from another.
func (r *follower) constant(m *module, name string) (node, bool) {
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
	return r.resolve(value, statement{}), true
}

// moduleNamed is the file that a name stands for, where it is imported as a whole.
func (r *follower) moduleNamed(x node) (*module, bool) {
	name, ok := x.(pyName)
	if _, variable := r.env[name.id]; !ok || variable {
		return nil, false
	}
	from, ok := r.module.imports[name.id]
	return from.module, ok && from.name == ""
}

// attribute is an attribute of an answer, or of the test case.
func (r *follower) attribute(x pyAttr, st statement) node {
	if isPyName(x.x, "self") || isPyName(x.x, "cls") {
		name := "self." + x.name
		if value, known := r.env[name]; known {
			return value
		}
		for _, c := range r.home.lineage(r.class, maxBases) {
			if value, known := r.constant(c.module, name); known {
				return value
			}
		}
		return pyOpaque{"the name " + name}
	}
	if of, ok := r.moduleNamed(x.x); ok {
		if value, known := r.constant(of, x.name); known {
			return value
		}
	}
	if status, ok := r.statusNamed(x); ok {
		return status
	}
	of := r.resolve(x.x, st)
	if object, ok := of.(*pyInstance); ok {
		return r.attr(object, x.name)
	}
	if _, ok := of.(numLit); ok && x.name == "value" {
		return of // of an enumeration of statuses
	}
	if c := r.answerRaised(of); c != nil && x.name == "response" {
		return pyName{c.Var}
	}
	answer, ok := of.(pyName)
	if !ok || r.callOf(answer.id) == nil {
		return pyAttr{of, x.name}
	}
	status := pyAttr{answer, "status_code"}
	switch x.name {
	case "status_code", "status":
		r.spell(answer.id, expr.Status, attributeOf(x.name))
		return status
	case "ok":
		return pyCompare{status, []string{"<"}, []node{numLit{"400"}}}
	case "is_success":
		return pyCompare{status, []string{"<"}, []node{numLit{"300"}}}
	case "text":
		r.spell(answer.id, expr.Text, attributeOf(x.name))
	case "json":
		r.spell(answer.id, expr.JSON, attributeOf(x.name))
		return pyCall{fn: pyAttr{answer, "json"}}
	}
	return pyAttr{answer, x.name}
}

// call is a call of a function of the file, of a client that sends a request, or of anything else.
func (r *follower) call(x pyCall, st statement) node {
	if fn, ok := x.fn.(pyAttr); ok {
		if of, ok := r.moduleNamed(fn.x); ok {
			if f := of.called(fn.name); f != nil {
				return r.inline(f, r.arguments(f, x.args, x.kw, st))
			}
		}
	}
	if object := r.instance(x, st); object != nil {
		return object
	}
	if made := r.madeBy(x, st); made != nil {
		return made
	}
	if fn, ok := x.fn.(pyAttr); ok && !isPyName(fn.x, "self") {
		if name, ok := fn.x.(pyName); ok {
			if object, ok := r.named(name).(*pyInstance); ok {
				if out, ok := r.sentThrough(object, fn.name, x, st); ok {
					return out
				}
			}
		}
	}
	if f, args, fr := r.local(x); f != nil {
		return r.inlineIn(f, r.arguments(f, args, x.kw, st), fr)
	}
	if sent, ok := r.request(x, st); ok {
		return sent
	}
	if sent, ok := r.opened(x, st); ok {
		return sent
	}
	out := pyCall{fn: x.fn, args: r.all(x.args, st)}
	for _, kw := range x.kw {
		out.kw = append(out.kw, pyKeyword{kw.name, r.resolve(kw.x, st)})
	}
	if name, ok := x.fn.(pyName); ok {
		if name.id == "isinstance" && len(x.args) == 2 {
			out.args[1] = x.args[1] // the names of types
		}
		return out
	}
	fn, ok := x.fn.(pyAttr)
	switch {
	case !ok:
		return pyOpaque{"what is called"}
	case fn.name == "loads" && isPyName(fn.x, "json") && len(out.args) == 1:
		return r.parsed(out.args[0])
	case fn.name == "load" && isPyName(fn.x, "json") && len(out.args) == 1:
		return r.parsed(pyAttr{out.args[0], "content"})
	case isPyName(fn.x, "re"), isPyName(fn.x, "pytest") && fn.name == "approx", isPyName(fn.x, "uuid") && fn.name == "UUID":
		return out
	}
	return r.method(out, fn, r.resolve(fn.x, st), x.awaited)
}

// method is a call of a method of a value; out is the call with its arguments.
func (r *follower) method(out pyCall, fn pyAttr, of node, awaited bool) node {
	if pattern, ok := compiled(of); ok && len(out.args) == 1 {
		return pyCall{fn: pyAttr{pyName{"re"}, fn.name}, args: []node{pattern, out.args[0]}}
	}
	if answer, ok := of.(pyName); ok && r.callOf(answer.id) != nil {
		switch fn.name {
		case "text": // as aiohttp has it
			r.spell(answer.id, expr.Text, methodOf("text", awaited))
			return pyAttr{of, "text"}
		case "json", "get_json":
			r.spell(answer.id, expr.JSON, methodOf(fn.name, awaited))
			fn.name = "json"
		case "read":
			return pyAttr{of, "content"}
		}
	}
	if content, ok := of.(pyAttr); ok && content.name == "content" && fn.name == "decode" {
		return pyAttr{content.x, "text"}
	}
	out.fn = pyAttr{of, fn.name}
	return out
}

// parsed is what json.loads makes of the text of an answer.
func (r *follower) parsed(text node) node {
	of, ok := text.(pyAttr)
	answer, named := of.x.(pyName)
	if !ok || !named || of.name != "text" && of.name != "content" {
		return pyOpaque{"the function loads"}
	}
	said := [2]string{"", "." + of.name}
	if of.name == "text" {
		said = r.file.spelling(r.file.spelled[r.test], answer.id)[expr.Text]
	}
	r.spell(answer.id, expr.JSON, [2]string{"json.loads(" + said[0], said[1] + ")"})
	return pyCall{fn: pyAttr{answer, "json"}}
}

// compiled is the pattern of re.compile(pattern).
func compiled(x node) (node, bool) {
	call, _ := x.(pyCall)
	fn, ok := call.fn.(pyAttr)
	if !ok || fn.name != "compile" || !isPyName(fn.x, "re") || len(call.args) != 1 || len(call.kw) > 0 {
		return nil, false
	}
	return call.args[0], true
}

// local returns the function of the file that a call is of, its arguments, and what it sees; nil where it is of none.
func (r *follower) local(x pyCall) (*function, []node, frame) {
	switch fn := x.fn.(type) {
	case pyName:
		value, variable := r.env[fn.id]
		if inner, ok := value.(*pyFunc); ok {
			return inner.f, x.args, frame{outer: inner.outer}
		}
		if !variable {
			return r.module.called(fn.id), x.args, frame{}
		}
	case pyAttr:
		if isPyName(fn.x, "self") || isPyName(fn.x, "cls") {
			return r.home.method(r.class, fn.name), x.args, r.same()
		}
	}
	return nil, nil, frame{}
}

// same is what a method sees that another of the same object calls.
func (r *follower) same() frame { return frame{self: r.self} }

// spreadDict takes what **other has into an object that is written out.
func spreadDict(d pyDict) node {
	var out pyDict
	for i, k := range d.keys {
		of, written := d.values[i].(pyDict)
		if _, spread := k.(pySpread); spread && written {
			out.keys, out.values = append(out.keys, of.keys...), append(out.values, of.values...)
			continue
		}
		out.keys, out.values = append(out.keys, k), append(out.values, d.values[i])
	}
	return out
}

// arguments are the values of a function's parameters in a call.
func (r *follower) arguments(f *function, args []node, kw []pyKeyword, st statement) map[string]node {
	out := map[string]node{}
	for i, x := range r.all(args, st) {
		if i < len(f.params) {
			out[f.params[i].name] = x
		}
	}
	var rest pyDict
	for _, k := range r.spread(kw, st) {
		if slices.ContainsFunc(f.params, func(p parameter) bool { return p.name == k.name && !p.rest }) {
			out[k.name] = k.x
		} else {
			rest.keys, rest.values = append(rest.keys, strLit{k.name}), append(rest.values, k.x)
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
func (r *follower) spread(kw []pyKeyword, st statement) []pyKeyword {
	var out []pyKeyword
	for _, k := range kw {
		x := r.resolve(k.x, st)
		d, written := x.(pyDict)
		switch {
		case k.name != "**":
			out = append(out, pyKeyword{k.name, x})
		case written:
			for i, key := range d.keys {
				out = append(out, pyKeyword{writtenText(key), d.values[i]})
			}
		}
	}
	return out
}

// resolvedIndex takes what is indexed from an object that is written out.
func resolvedIndex(x pyIndex) node {
	if of, ok := x.x.(pyRest); ok {
		return of.at(x.i)
	}
	key, text := x.i.(strLit)
	if of, ok := x.x.(pyDict); ok && text {
		for i, k := range of.keys {
			if k == node(key) {
				return of.values[i]
			}
		}
	}
	return x
}

// subjectFirst turns round a comparison whose left side is written out, as in 200 == answer.status_code.
func subjectFirst(x node) node {
	c, ok := x.(pyCompare)
	if !ok || len(c.ops) != 1 || c.ops[0] != "==" && c.ops[0] != "!=" || !isLiteral(c.x) || isLiteral(c.ys[0]) {
		return x
	}
	return pyCompare{c.ys[0], c.ops, []node{c.x}}
}

// isLiteral reports whether an expression is written out.
func isLiteral(x node) bool { return expr.IsLiteral(meaning(x)) }
