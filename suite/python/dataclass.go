package python

import "slices"

// isDataClass reports whether a class is made of its fields alone, as @dataclass without a say of its own does it.
func isDataClass(decorators []statement) bool {
	if len(decorators) != 1 {
		return false
	}
	has := func(name string) bool {
		return slices.ContainsFunc(decorators[0].tokens, func(t token) bool { return t.text == name })
	}
	return has("dataclass") && !has("init") && !has("slots")
}

// ofFields makes an object of a data class: its fields are what it is given, by order, by name, or by **object; false
// where its class does more with that.
func (r *follower) ofFields(of *pyInstance, x pyCall, st statement) bool {
	fields, known := of.module.fields[of.class]
	if !known || len(fields) == 0 || of.module.find(of.class, "__post_init__") != nil || len(x.args) > len(fields) {
		return false
	}
	given := map[string]node{}
	var rest node
	for i, arg := range x.args {
		given[fields[i].name] = r.resolve(arg, st)
	}
	for _, kw := range x.kw {
		value := r.resolve(kw.x, st)
		switch {
		case kw.name == "**" && rest == nil:
			rest = value
		case kw.name == "**", kw.name == "*":
			return false
		default:
			given[kw.name] = value
		}
	}
	for _, f := range fields {
		value, ok := given[f.name]
		switch {
		case ok:
		case rest != nil && f.value == nil:
			value = resolvedIndex(pyIndex{rest, strLit{f.name}})
		case rest != nil:
			value = pyOpaque{"a field that may have its default"}
		case f.value != nil:
			value = r.resolve(f.value, statement{})
		default:
			value = pyOpaque{"the field " + f.name}
		}
		of.attrs["self."+f.name] = bounded(value)
	}
	of.fields = true
	return true
}

// madeBy follows a method of a class that is called by the class's name, as Entry.of(…); nil where it is none.
func (r *follower) madeBy(x pyCall, st statement) node {
	fn, _ := x.fn.(pyAttr)
	name, ok := fn.x.(pyName)
	if _, variable := r.env[name.id]; !ok || variable || r.module.bases[name.id] == nil {
		return nil
	}
	f := r.module.find(name.id, fn.name)
	if f == nil || len(f.decorators) != 1 || !f.decorators[0].is("@", "classmethod") && !f.decorators[0].is("@", "staticmethod") {
		return nil
	}
	return r.inlineIn(f, r.arguments(f, x.args, x.kw, st), frame{self: &pyInstance{module: r.module, class: name.id,
		attrs: map[string]node{}}})
}
