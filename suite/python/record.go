package python

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/meaning"
	"github.com/flaketap/flaketap/suite/python/syntax"
)

// A record is an object of a class that is made of its fields: a data class, one of attrs or pydantic, a NamedTuple.
// One that is made of an object of JSON is that object, by the names of its class.

// maxRecords bounds how deep records of pydantic are made of others.
const maxRecords = 5

// field is one of a record's class.
type field struct {
	parameter
	wire string         // the member of an object that it is made of
	typ  []syntax.Token // as it is written
}

// newField reads the field that a statement of a class declares.
func newField(tokens []syntax.Token) (field, bool) {
	p, ok := newParameter(tokens)
	out := field{parameter: p, wire: p.name, typ: tokens[2:]}
	if at := syntax.TopLevel(tokens, "="); at > 0 {
		out.typ = tokens[2:at]
	}
	call, _ := p.value.(syntax.Call)
	name, _ := call.Fn.(syntax.Name)
	if of, isAttr := call.Fn.(syntax.Attr); isAttr {
		name.Id = of.Name
	}
	if name.Id != "field" && name.Id != "Field" && name.Id != "ib" {
		return out, ok
	}
	out.value = nil
	if len(call.Args) > 0 {
		out.value = call.Args[0]
	}
	for _, kw := range call.Kw {
		switch kw.Name {
		case "alias", "validation_alias":
			alias, isText := kw.X.(syntax.StrLit)
			out.wire, ok = alias.S, ok && isText
		case "default":
			out.value = kw.X
		case "default_factory", "factory":
			out.value = meaning.Opaque{What: "a field that may have its default"}
			if syntax.IsName(kw.X, "list") {
				out.value = syntax.Seq{}
			} else if syntax.IsName(kw.X, "dict") {
				out.value = syntax.Dict{}
			}
		case "init", "converter", "validator":
			return out, false
		}
	}
	return out, ok
}

// recordKind is how a class makes objects of its fields; noRecord where it is made of more than these.
type recordKind int

const (
	noRecord recordKind = iota
	plainRecord
	converting // what it is given becomes what its types say
)

// kindOfRecord is that of a class, by what stands above and behind its name.
func kindOfRecord(decorators []syntax.Statement, bases []string) recordKind {
	has := func(name string) bool {
		return slices.ContainsFunc(decorators[0].Tokens, func(t syntax.Token) bool { return t.Text == name })
	}
	switch {
	case len(decorators) == 0 && slices.Equal(bases, []string{"BaseModel"}):
		return converting
	case len(decorators) == 0 && slices.Equal(bases, []string{"NamedTuple"}):
		return plainRecord
	case len(decorators) == 1 && len(bases) == 0 && !has("init") && !has("slots") && (has("dataclass") ||
		(has("attr") || has("attrs")) && (has("define") || has("frozen") || has("s"))):
		return plainRecord
	}
	return noRecord
}

// changesFields reports whether a method of a class has a say in what its fields are given.
func changesFields(decorators []syntax.Statement) bool {
	return slices.ContainsFunc(decorators, func(st syntax.Statement) bool {
		return slices.ContainsFunc(st.Tokens, func(t syntax.Token) bool {
			return strings.Contains(t.Text, "validator") || t.Text == "computed_field"
		})
	})
}

// recordOf makes a record of an object of JSON; nil where its class is none, or does more with its fields.
func (r *follower) recordOf(m *module, class string, of syntax.Node, left int) *pyInstance {
	fields := m.fields[class]
	if len(fields) == 0 || left == 0 || m.find(class, "__post_init__") != nil || m.find(class, "model_post_init") != nil {
		return nil
	}
	out := &pyInstance{module: m, class: class, attrs: map[string]syntax.Node{}, fields: true, json: of}
	for _, f := range fields {
		out.attrs["self."+f.name] = meaning.Bounded(r.fieldOf(m, m.kinds[class], f, of, left))
	}
	return out
}

// fieldOf is what a field of a record has that is made of an object of JSON.
func (r *follower) fieldOf(m *module, kind recordKind, f field, of syntax.Node, left int) syntax.Node {
	if r.nodes++; r.nodes > maxNodes {
		return meaning.Opaque{What: "too many expressions"}
	}
	key := syntax.StrLit{S: f.wire}
	value := meaning.At(syntax.Index{X: of, I: key})
	if written, ok := of.(syntax.Dict); f.value != nil {
		switch {
		case !isDefault(f.value):
			return meaning.Opaque{What: "a field that may have its default"}
		case !ok:
			value = syntax.Call{Fn: syntax.Attr{X: of, Name: "get"}, Args: []syntax.Node{key, f.value}}
		case !slices.Contains(written.Keys, syntax.Node(key)):
			value = f.value
		}
	}
	if kind != converting {
		return value
	}
	return r.converted(m, f, value, left)
}

// converted is what pydantic makes of a value for a field, by the type that this is written with.
func (r *follower) converted(m *module, f field, value syntax.Node, left int) syntax.Node {
	const element = "element"
	list := false
	for _, t := range f.typ {
		if t.Kind != syntax.TokenName {
			continue
		}
		switch from := m.named(t.Text); {
		case from.module.kinds[from.name] == converting:
			of := value
			if list {
				of = meaning.Element{Name: element}
			}
			one := r.recordOf(from.module, from.name, of, left-1)
			switch {
			case one == nil:
				return meaning.Opaque{What: "the field " + f.name}
			case list:
				return syntax.Comp{Elem: one, Name: element, List: value}
			}
			return one
		case t.Text == "list" || t.Text == "List":
			list = true
		case !slices.Contains([]string{"str", "int", "float", "bool", "dict", "Dict", "Any", "None", "Optional"}, t.Text):
			return meaning.Opaque{What: "a field of the type " + t.Text}
		}
	}
	return value
}

// isDefault reports whether a default is written out.
func isDefault(x syntax.Node) bool {
	switch x := x.(type) {
	case syntax.StrLit, syntax.NumLit:
		return true
	case syntax.Name:
		return x.Id == "None" || x.Id == "True" || x.Id == "False"
	case syntax.Seq:
		return len(x.Elems) == 0
	case syntax.Dict:
		return len(x.Keys) == 0
	}
	return false
}

// validated is the record that pydantic makes by a method of its class, Order.model_validate(answer.json()); nil for
// any other call.
func (r *follower) validated(x syntax.Call, st syntax.Statement) syntax.Node {
	fn, _ := x.Fn.(syntax.Attr)
	name, ok := fn.X.(syntax.Name)
	if _, variable := r.env[name.Id]; !ok || variable || len(x.Args) != 1 || len(x.Kw) > 0 {
		return nil
	}
	from := r.module.named(name.Id)
	isText := fn.Name == "model_validate_json" || fn.Name == "parse_raw"
	if from.module.kinds[from.name] != converting || !isText && fn.Name != "model_validate" && fn.Name != "parse_obj" {
		return nil
	}
	of := r.resolve(x.Args[0], st)
	if isText {
		of = r.parsed(of)
	}
	if record := r.recordOf(from.module, from.name, of, maxRecords); record != nil {
		return record
	}
	return meaning.Opaque{What: "the class " + name.Id}
}

// dumpedRecord is the object of the fields of a record, as record.model_dump(), record._asdict() and asdict(record)
// give it, by what is called of a value, with what; false for any other call.
func dumpedRecord(call syntax.Call, name string, of syntax.Node) (syntax.Node, bool) {
	switch {
	case (name == "model_dump" || name == "dict" || name == "_asdict") && len(call.Args) == 0:
	case name == "asdict" && len(call.Args) == 1:
		of = call.Args[0]
	default:
		return nil, false
	}
	record, ok := of.(*pyInstance)
	if !ok || !record.fields {
		return nil, false
	}
	out := record.object()
	for _, kw := range call.Kw {
		names, isSet := kw.X.(syntax.Set)
		seq, written := names.Of.(syntax.Seq)
		if kw.Name != "exclude" || !isSet || !written {
			return meaning.Opaque{What: "the method " + name}, true
		}
		for i := len(out.Keys) - 1; i >= 0; i-- {
			if slices.Contains(seq.Elems, out.Keys[i]) {
				out.Keys, out.Values = slices.Delete(out.Keys, i, i+1), slices.Delete(out.Values, i, i+1)
			}
		}
	}
	return out, true
}

// object is a record as the object of its fields.
func (o *pyInstance) object() syntax.Dict {
	var out syntax.Dict
	for _, f := range o.module.fields[o.class] {
		value := o.attrs["self."+f.name]
		if inner, ok := value.(*pyInstance); ok && inner.fields {
			value = inner.object()
		}
		out.Keys, out.Values = append(out.Keys, syntax.StrLit{S: f.name}), append(out.Values, value)
	}
	return out
}

// compared is a comparison of two records of one class as one of their fields, and that of an object that is made of a
// list with one that is written out as one of each of its members; any other stays.
func compared(x syntax.Compare) syntax.Node {
	if len(x.Ys) == 1 && x.Ops[0] == "==" {
		for _, pair := range [][2]syntax.Node{{x.X, x.Ys[0]}, {x.Ys[0], x.X}} {
			if of, ok := pair[0].(syntax.ByKey); ok {
				if each, ok := meaning.SameByKey(of, pair[1]); ok {
					return each
				}
			}
		}
	}
	a, ok := x.X.(*pyInstance)
	if !ok || !a.fields || len(x.Ys) != 1 || x.Ops[0] != "==" && x.Ops[0] != "!=" {
		return x
	}
	b, ok := x.Ys[0].(*pyInstance)
	if !ok || !b.fields || a.class != b.class || a.module != b.module || a.module.find(a.class, "__eq__") != nil {
		return x
	}
	return syntax.Compare{X: a.object(), Ops: x.Ops, Ys: []syntax.Node{b.object()}}
}

// recordsOf is a list whose elements are records that are made of those of another.
func recordsOf(x syntax.Node) (list syntax.Comp, record *pyInstance, ok bool) {
	list, _ = x.(syntax.Comp)
	record, ok = list.Elem.(*pyInstance)
	return list, record, ok && record.fields && record.json == syntax.Node(meaning.Element{Name: list.Name})
}

// unmade is a list of records as the list of what these are made of; any other value stays.
func unmade(x syntax.Node) syntax.Node {
	list, record, ok := recordsOf(x)
	switch {
	case !ok:
		return x
	case list.Cond == nil:
		return list.List
	}
	return syntax.Comp{Elem: record.json, Name: list.Name, List: list.List, Cond: list.Cond}
}

// element is an element of a list, by a number that is written out: a record, where the list is one of these.
func (r *follower) element(x syntax.Index) syntax.Node {
	_, record, ok := recordsOf(x.X)
	if _, slice := x.I.(syntax.Slice); !ok || slice || !meaning.IsLiteral(x.I) {
		return meaning.At(x)
	}
	of := meaning.At(syntax.Index{X: unmade(x.X), I: x.I})
	if one := r.recordOf(record.module, record.class, of, maxRecords); one != nil {
		return one
	}
	return meaning.Opaque{What: "an element of a list"}
}

// comprehension is what is said of each element of a list. Of one of records it is said of what these are made of.
func (r *follower) comprehension(x syntax.Comp, st syntax.Statement) syntax.Node {
	if x.Value != "" {
		return r.ofMembers(x, st)
	}
	list := r.resolve(x.List, st)
	out := syntax.Comp{Name: x.Name, List: list}
	element := syntax.Node(meaning.Element{Name: x.Name})
	if of, record, ok := recordsOf(list); ok {
		out, element = syntax.Comp{Name: of.Name, List: of.List, Cond: of.Cond}, record
	}
	defer r.shadow(x.Name)()
	r.env[x.Name] = element
	out.Elem = r.resolve(x.Elem, st)
	if x.Cond != nil {
		cond := r.resolve(x.Cond, st)
		if out.Cond != nil {
			cond = syntax.Logic{Op: "and", Xs: []syntax.Node{out.Cond, cond}}
		}
		out.Cond = cond
	}
	return out
}

// maxNamed is how many elements of a list of records are called by their numbers.
const maxNamed = 3

// namedFields are the values of answers that the fields of a record have, as a test calls them.
func (r *follower) namedFields(o *pyInstance, name string, left int) (out []named) {
	if left == 0 || !o.fields {
		return nil
	}
	for _, attr := range slices.Sorted(maps.Keys(o.attrs)) {
		of := name + attr[len("self"):]
		switch x := o.attrs[attr].(type) {
		case *pyInstance:
			out = append(out, r.namedFields(x, of, left-1)...)
		case syntax.Comp:
			out = append(out, r.namedRecords(x, of, left-1)...)
		default:
			if value := meaning.Of(x); expr.FromAnswer(value) {
				out = append(out, named{of, value})
			}
		}
	}
	return out
}

// namedRecords are the values of answers that the first records of a list have, and its length, as a test calls them.
// The list itself is not what these are made of.
func (r *follower) namedRecords(x syntax.Comp, name string, left int) (out []named) {
	if _, _, ok := recordsOf(x); !ok || left < maxRecords-1 { // lists within lists are not called anything
		return nil
	}
	for i := range maxNamed {
		number := strconv.Itoa(i)
		if one, ok := r.element(syntax.Index{X: x, I: syntax.NumLit{Text: number}}).(*pyInstance); ok {
			out = append(out, r.namedFields(one, name+"["+number+"]", left)...)
		}
	}
	return append(out, named{"len(" + name + ")", expr.Len{X: meaning.Of(unmade(x))}})
}

// property follows a method that an object has as an attribute; nil where it is none.
func (r *follower) property(of *pyInstance, name string) syntax.Node {
	f := of.module.method(of.class, name)
	if f == nil || len(f.decorators) != 1 || !f.decorators[0].Is("@", "property") && !f.decorators[0].Is("@", "cached_property") {
		return nil
	}
	return r.inlineIn(f, map[string]syntax.Node{}, frame{self: of})
}
