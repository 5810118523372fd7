package jvm

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
)

// declaredLater is the type of what is made of JSON where the variable says it that takes it.
const declaredLater = "<>"

// bound is what Jackson, Gson or kotlinx.serialization makes of the JSON of an answer: an object of a class of the
// suite, a list or an array of such, a map to such. The names of its members are not known where a strategy makes them.
func (r *follower) bound(json meaning.Value, typ string) java.Node {
	if r.file.renames {
		return java.Opaque{What: "how Jackson names members"}
	}
	typ = strings.TrimSuffix(typ, "?")
	elem := ""
	if len(typ) == 1 && r.file.module.Fields[typ] == nil { // a parameter of the method, as T
		typ = cmp.Or(r.typ, declaredLater)
	}
	if typ == declaredLater {
		return r.boundAs(json.X, typ, "")
	}
	if of, inner, ok := strings.Cut(strings.TrimSuffix(typ, ">"), "<"); ok {
		typ, elem = of, strings.TrimSuffix(inner, "?")
	} else if of, ok := strings.CutSuffix(typ, "[]"); ok {
		typ, elem = "array", of
	}
	if of, isMap := strings.CutPrefix(elem, "String,"); isMap && typ == "Map" {
		elem = of
	}
	if strings.ContainsAny(elem, "<,") {
		elem = ""
	}
	return r.boundAs(json.X, typ, elem)
}

// boundAs is a value of JSON as a type of Java's has it.
func (r *follower) boundAs(x expr.Expr, typ, elem string) java.Node {
	typ, maybe := strings.CutSuffix(typ, "?")
	v := meaning.Value{X: x, Typ: typ, Elem: elem, Bound: true, Maybe: maybe, Sure: r.file.kotlin && !maybe}
	switch {
	case typ == "String":
		v.X = expr.ToText{X: x}
	case typ == "List", typ == "array", typ == "boolean", typ == "Boolean", typ == "BigDecimal", typ == "BigInteger",
		meaning.IsNumeric(typ), typ == declaredLater:
	case typ == "Map", typ == "Object", typ == "JsonNode":
		v.Bound = r.file.module.Fields[elem] != nil
	case r.file.module.Fields[typ] == nil:
		return java.Opaque{What: "a value of the type " + typ}
	}
	return v
}

// typeOf is the type that an argument names: Order.class, Order[].class, new TypeReference<List<Order>>() {}; "" where
// it is none. declaredLater is <>.
func (r *follower) typeOf(a java.Argument) string {
	text := r.file.module.Joined(a.From, a.To)
	if class, ok := r.env[text].(java.Field); ok && class.Name == "class" { // the parameter of a method
		if name, ok := class.X.(java.Name); ok {
			return name.ID
		}
	}
	for _, end := range []string{".class", "::class.java"} {
		if name, ok := strings.CutSuffix(text, end); ok {
			return name
		}
	}
	for _, begin := range []string{"newTypeReference<", "newTypeToken<"} {
		if rest, ok := strings.CutPrefix(text, begin); ok {
			rest, _, _ = strings.Cut(rest, ">(){")
			if rest == "" {
				return declaredLater
			}
			return rest
		}
	}
	return ""
}

// reads is what a mapper makes of a text; false where a call is of another method, or nothing is known of the text.
func (r *follower) reads(c java.Call) (java.Node, bool) {
	if !slices.Contains([]string{"readValue", "fromJson", "decodeFromString"}, c.Name) || len(c.Args) == 0 {
		return nil, false
	}
	json, ok := meaning.ParsedJSON(c.Args[0].X, "")
	switch {
	case !ok:
	case len(c.Args) > 1: // a comma in its type arguments parts the one that there is
		if typ := r.typeOf(java.Argument{From: c.Args[1].From, To: c.Args[len(c.Args)-1].To}); typ != "" {
			return r.bound(json, typ), true
		}
	case c.Typ != "":
		return r.bound(json, c.Typ), true
	case r.file.kotlin:
		return r.bound(json, declaredLater), true
	}
	return nil, false
}

// memberOf is a member of what Jackson made; false where a call, or a field, is another.
func (r *follower) memberOf(v meaning.Value, c java.Call) (java.Node, bool) {
	if !v.Bound {
		return nil, false
	}
	at := func(i expr.Expr) java.Node { return r.boundAs(expr.Index{X: v.X, I: i}, v.Elem, "") }
	switch {
	case v.Typ == "Map" && (c.Name == "get" || c.Name == "getValue") && len(c.Args) == 1:
		if key, ok := meaning.Of(c.Args[0].X).(expr.Str); ok {
			return at(key), true
		}
		return java.Opaque{What: "an element"}, true
	case (v.Typ == "List" || v.Typ == "array") && v.Elem != "":
		switch {
		case c.Name == "get" && len(c.Args) == 1:
			if n, ok := meaning.Of(c.Args[0].X).(expr.Num); ok {
				return at(n), true
			}
			return java.Opaque{What: "an element"}, true
		case len(c.Args) == 0 && slices.Contains([]string{"getFirst", "first", "firstOrNull", "single"}, c.Name):
			return at(expr.Int(0)), true
		case len(c.Args) == 0 && slices.Contains([]string{"getLast", "last", "lastOrNull"}, c.Name):
			return at(expr.Int(-1)), true
		case len(c.Args) == 0 && (c.Name == "findFirst" || c.Name == "findAny"):
			return meaning.Value{X: expr.Index{X: v.X, I: expr.Int(0)}, Typ: "Optional", Elem: v.Elem, Bound: true}, true
		case len(c.Args) == 0 && c.Name == "length":
			return meaning.Value{X: expr.Len{X: v.X}, Typ: "int"}, true
		case len(c.Args) == 0 && r.file.kotlin && c.Name == "isNotEmpty":
			return meaning.Value{X: expr.Cmp(expr.Len{X: v.X}, expr.Gt, expr.Int(0)), Typ: "boolean"}, true
		}
		return nil, false
	case v.Typ == "Optional" && (c.Name == "get" || c.Name == "orElseThrow" || c.Name == "orElse"):
		return r.boundAs(v.X, v.Elem, ""), true
	case v.Typ == declaredLater, r.file.module.Fields[v.Typ] == nil:
		return nil, false
	}
	if _, f, ok := r.file.module.Member(v.Typ, c.Name); ok && len(c.Args) == 0 {
		return r.boundAs(expr.Index{X: v.X, I: expr.Str{Value: f.JSON}}, f.Typ, f.Elem), true
	}
	return java.Opaque{What: "the method " + c.Name}, true
}

// renamesMembers reports whether a suite has Jackson find the names of members by a rule, or otherwise.
func renamesMembers(text string) bool {
	return slices.ContainsFunc([]string{"NamingStrateg", "JsonNaming", "JsonDeserialize", "JsonUnwrapped", "JsonCreator",
		"JsonSetter", "MixIn"}, func(word string) bool { return strings.Contains(text, word) })
}

// objectNode is an object of a class of the suite that the test made: a client of the suite's own.
type objectNode struct {
	class  string
	fields map[string]java.Node // as in an environment
}

// made is an object of a class of the suite; false where a call makes no such object.
func (r *follower) made(c java.Call) (java.Node, bool) {
	if _, known := r.file.module.Outer[c.Name]; !known || c.X != nil || r.depth >= maxInlined {
		return nil, false
	}
	of := objectNode{class: c.Name, fields: map[string]java.Node{}}
	for name, x := range r.env {
		if strings.HasPrefix(name, "RestAssured.") {
			of.fields[name] = x
		}
	}
	methods, begun := 0, (*java.Method)(nil)
	for _, f := range r.file.module.Methods {
		switch {
		case f.Class != c.Name:
		case f.Name != c.Name:
			methods++
		case len(f.Params) == len(c.Args):
			if begun != nil {
				return java.Opaque{What: "a constructor"}, true
			}
			begun = f
		}
	}
	parts := r.file.module.Components[c.Name]
	if methods == 0 && parts == nil {
		return nil, false
	}
	for i, x := range placed(&java.Method{Params: parts}, c.Args) {
		if i < len(parts) && x != nil {
			of.fields["this."+parts[i].Name] = typed(bounded(x), parts[i].Typ)
		}
	}
	if begun != nil {
		r.of(of).inline(begun, placed(begun, c.Args), "")
	}
	return of, true
}

// sameObject says that what a mapper made is an object that the test makes of a record, or of a data class, part by
// part; nil where two values are others.
func (r *follower) sameObject(got, want java.Node) expr.Expr {
	object, ok := want.(objectNode)
	v, bound := got.(meaning.Value)
	if !ok || !bound {
		object, ok = got.(objectNode)
		v, bound = want.(meaning.Value)
	}
	parts := r.file.module.Components[object.class]
	if !ok || !bound || !v.Bound || v.Typ != object.class || len(parts) == 0 {
		return nil
	}
	var all []expr.Expr
	for _, p := range parts {
		given, known := object.fields["this."+p.Name]
		member, ok := r.memberOf(v, java.Call{Name: p.Name})
		if !known || !ok {
			return nil
		}
		one := r.sameObject(member, given)
		if one == nil {
			one = meaning.Same(member, given).Means
		}
		all = append(all, one)
	}
	return expr.AllOf(all...)
}

// membersOf are the members of what a mapper made, as they are asked for by its name.
func (r *follower) membersOf(name string, v meaning.Value) (out []named) {
	for _, field := range slices.Sorted(maps.Keys(r.file.module.Fields[v.Typ])) {
		_, of, known := r.file.module.Member(v.Typ, field)
		member, ok := r.boundAs(expr.Index{X: v.X, I: expr.Str{Value: of.JSON}}, of.Typ, of.Elem).(meaning.Value)
		source := name + "." + field
		switch {
		case !known || !ok || !isScalar(member.Typ) && !(member.Typ == "List" && isScalar(member.Elem)):
			continue
		case !r.file.kotlin && r.file.module.Components[v.Typ] == nil:
			continue
		case !r.file.kotlin:
			source += "()"
		}
		out = append(out, named{name: source, typ: member.Typ, maybe: member.Maybe, part: true,
			x: meaning.Stripped(member.X)})
	}
	return out
}

// memberOfObject is a part of an object that the test made, by its name, its getter or its number.
func (r *follower) memberOfObject(of objectNode, c java.Call) java.Node {
	for i, p := range r.file.module.Components[of.class] {
		getter := "get" + strings.ToUpper(p.Name[:1]) + p.Name[1:]
		x, known := of.fields["this."+p.Name]
		if known && len(c.Args) == 0 && (c.Name == p.Name || c.Name == getter || c.Name == "component"+strconv.Itoa(i+1)) {
			return x
		}
	}
	return java.Opaque{What: "the method " + c.Name}
}

// of is the follower in a method of an object.
func (r *follower) of(object objectNode) *follower {
	in := *r
	in.class, in.env = object.class, object.fields
	return &in
}
