package python

import (
	"github.com/flaketap/flaketap/suite/python/meaning"
	"github.com/flaketap/flaketap/suite/python/syntax"
)

// ofFields makes an object of a data class: its fields are what it is given, by order, by name, or by **object; false
// where its class does more with that.
func (r *follower) ofFields(of *pyInstance, x syntax.Call, st syntax.Statement) bool {
	fields, known := of.module.fields[of.class]
	if !known || len(fields) == 0 || of.module.find(of.class, "__post_init__") != nil || len(x.Args) > len(fields) {
		return false
	}
	given := map[string]syntax.Node{}
	var rest syntax.Node
	for i, arg := range x.Args {
		given[fields[i].name] = r.resolve(arg, st)
	}
	for _, kw := range x.Kw {
		value := r.resolve(kw.X, st)
		switch {
		case kw.Name == "**" && rest == nil:
			rest = value
		case kw.Name == "**", kw.Name == "*":
			return false
		default:
			given[kw.Name] = value
		}
	}
	for _, f := range fields {
		value, ok := given[f.name]
		switch {
		case ok:
		case rest != nil:
			value = r.fieldOf(of.module, of.module.kinds[of.class], f, rest, maxRecords)
		case f.value != nil:
			value = r.resolve(f.value, syntax.Statement{})
		default:
			value = meaning.Opaque{What: "the field " + f.name}
		}
		of.attrs["self."+f.name] = meaning.Bounded(value)
	}
	if of.fields = true; len(given) == 0 {
		of.json = rest
	}
	return true
}

// madeBy follows a method of a class that is called by the class's name, as Entry.of(…); nil where it is none.
func (r *follower) madeBy(x syntax.Call, st syntax.Statement) syntax.Node {
	fn, _ := x.Fn.(syntax.Attr)
	name, ok := fn.X.(syntax.Name)
	if _, variable := r.env[name.Id]; !ok || variable || r.module.bases[name.Id] == nil {
		return nil
	}
	f := r.module.find(name.Id, fn.Name)
	if f == nil || len(f.decorators) != 1 || !f.decorators[0].Is("@", "classmethod") && !f.decorators[0].Is("@", "staticmethod") {
		return nil
	}
	return r.inlineIn(f, r.arguments(f, x.Args, x.Kw, st), frame{self: &pyInstance{module: r.module, class: name.Id,
		attrs: map[string]syntax.Node{}}})
}
