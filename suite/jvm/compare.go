package jvm

import (
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/jvm/link"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
)

// compared writes a comparison.
func (p *conditionWriter) compared(c expr.Compare) string {
	switch c.Op {
	case expr.Eq, expr.Is:
		return p.equal(c.X, c.Y)
	case expr.Ne, expr.IsNot:
		if c.Y == expr.Expr(expr.Null{}) && p.s.tree && p.s.is(c.X) {
			return "!" + p.s.object + ".isNull()"
		} else if c.Y == expr.Expr(expr.Null{}) {
			return p.object(c.X) + " != null"
		}
		return "!" + parenthesized(p.equal(c.X, c.Y))
	case expr.Ge, expr.Le, expr.Gt, expr.Lt:
		return p.ordered(c.X, c.Op, c.Y)
	case expr.In:
		switch set := c.Y.(type) {
		case expr.Set:
			return p.oneOf(c.X, set.Elems)
		case expr.List:
			return p.oneOf(c.X, set.Elems)
		}
		return p.has(c.Y, c.X)
	}
	return p.fail()
}

// parenthesized puts a comparison into parentheses, so that its opposite can be said.
func parenthesized(text string) string { return "(" + text + ")" }

// object is the source of a value that may be null.
func (p *conditionWriter) object(x expr.Expr) string {
	if p.s.is(x) && p.s.object != "" {
		return p.s.object
	}
	source, typ := p.value(x)
	if isPrimitive(typ) || p.s.is(x) && p.s.sure {
		return p.fail()
	}
	return source
}

// equal says that a value is another.
func (p *conditionWriter) equal(x, y expr.Expr) string {
	if y == expr.Expr(expr.Null{}) {
		if p.s.tree {
			return p.fail() // null of JSON is no null of Java's there
		}
		return p.object(x) + " == null"
	}
	source, typ := p.value(x)
	text, isNumber := meaning.Numeral(y)
	switch y := y.(type) {
	case expr.Str:
		if _, made := x.(expr.ToText); made && typ != "String" {
			source, typ = p.text(x), "String"
		}
		return p.say().EqualText(source, p.literal(y, typ))
	case expr.Bool:
		if boxed(typ) == "Boolean" {
			return source + " == " + p.literal(y, typ)
		}
		return p.say().Equal(source, p.literal(y, typ))
	case expr.List:
		if typ == "List" || typ == "" || typ == "Object" {
			return p.say().EqualText(source, p.list(y.Elems))
		}
		return p.fail()
	}
	switch {
	case isNumber && meaning.IsNumeric(typ):
		return source + " == " + p.literal(y, typ)
	case isNumber && !strings.ContainsAny(text, ".eE"):
		return p.say().Equal(source, p.literal(y, typ))
	case isNumber:
		return p.fail()
	}
	other, otherType := p.value(y)
	switch {
	case isPrimitive(typ) && isPrimitive(otherType):
		return source + " == " + other
	case boxed(typ) != boxed(otherType) && typ != "" && otherType != "" && typ != "Object" && otherType != "Object":
		return p.fail()
	}
	return p.say().Equal(source, other)
}

// list writes values as a list.
func (p *conditionWriter) list(values []expr.Expr) string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = p.literal(v, "")
	}
	return p.say().List(all)
}

// oneOf says that a value is one of some.
func (p *conditionWriter) oneOf(x expr.Expr, values []expr.Expr) string {
	source, typ := p.value(x)
	if _, made := x.(expr.ToText); made && typ != "String" {
		source, typ = p.text(x), "String"
	}
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = p.literal(v, typ)
	}
	return p.say().OneOf(source, all)
}

// has says that a text has a piece, or a list an element.
func (p *conditionWriter) has(container, x expr.Expr) string {
	if _, ok := container.(expr.Answer); ok && !p.s.is(container) {
		return p.fail()
	}
	_, isEach := container.(expr.Each)
	list := isEach || link.IsArrayMeant(p.links.A.Meaning) || link.IsArrayWritten(p.links.A.Meaning, container) ||
		!p.s.is(container) || p.s.typ == "List"
	if !list {
		return p.text(container) + ".contains(" + p.literalText(x) + ")"
	}
	source := p.asList(p.value(container))
	return source + ".contains(" + p.literal(x, "") + ")"
}

// asList is the source of a list, of which anything can be asked: Kotlin's typed ones only take what they may have.
func (p *conditionWriter) asList(source, typ string) string {
	switch {
	case typ == "List" && !p.links.Kotlin:
		return source
	case typ == "List" || typ == "" || typ == "Object":
		return p.say().AsList(source)
	}
	return p.fail()
}

// sameItems says that a list has some elements in any order, which all differ.
func (p *conditionWriter) sameItems(x expr.SameItems) string {
	list, ok := x.Y.(expr.List)
	source := p.asList(p.value(x.X))
	seen := map[string]bool{}
	for _, e := range list.Elems {
		seen[p.literal(e, "")] = true
	}
	if !ok || len(seen) != len(list.Elems) {
		return p.fail()
	}
	return p.say().Size(source) + " == " + expr.Int(len(list.Elems)).(expr.Num).Text + " && " + source + ".containsAll(" + p.list(list.Elems) + ")"
}

// isType says that a value is of one of some types.
func (p *conditionWriter) isType(x expr.IsType) string {
	if !p.s.is(x.X) {
		return p.fail()
	}
	if p.s.tree {
		return p.treeType(x.Types)
	}
	has := func(class string) bool {
		for _, t := range x.Types {
			for _, of := range link.ClassesOf()[t] {
				if of == class || strings.HasSuffix(of, "."+class) {
					return true
				}
			}
		}
		return false
	}
	if p.s.object != p.s.source || p.s.typ == "" || p.s.typ == "Object" {
		if p.s.object == "" {
			return p.ofPrimitive(has)
		}
		return p.instances(p.s.object, x.Types)
	}
	if has(p.s.typ) || (p.s.typ == "Double" || p.s.typ == "Float") && has("Integer") {
		return p.s.object + " != null"
	}
	return p.fail()
}

// ofPrimitive says that a number is of a type of JSON's, as far as its own type says that not already.
func (p *conditionWriter) ofPrimitive(has func(class string) bool) string {
	switch p.s.typ {
	case "int", "long":
		if has("Integer") {
			return p.say().Matches(p.say().Shown(p.s.source), `"-?[0-9]+"`)
		}
	case "double", "float":
		if has("Double") || has("Integer") {
			return p.say().IsNumber(p.s.source)
		}
	}
	return p.fail()
}

// instances says that a value is of one of the classes that REST-assured has for types.
func (p *conditionWriter) instances(source string, types []expr.Type) string {
	var classes, all []string
	numbers := 0
	for _, t := range types {
		if t == expr.TypeInt || t == expr.TypeFloat {
			numbers++
		}
	}
	for _, t := range types {
		switch {
		case numbers < 2 || t != expr.TypeInt && t != expr.TypeFloat:
			classes = append(classes, link.ClassesOf()[t]...)
		case t == expr.TypeInt:
			classes = append(classes, "Number")
		}
	}
	for _, c := range classes {
		all = append(all, p.say().Is(source, c))
	}
	if len(all) == 1 {
		return all[0]
	}
	return "(" + strings.Join(all, " || ") + ")"
}

// treeType says of a node of Jackson's that it is of one of some types.
func (p *conditionWriter) treeType(types []expr.Type) string {
	methods := map[expr.Type]string{expr.TypeString: "isTextual", expr.TypeBool: "isBoolean", expr.TypeInt: "isIntegralNumber",
		expr.TypeFloat: "isFloatingPointNumber", expr.TypeArray: "isArray", expr.TypeObject: "isObject"}
	var all []string
	for _, t := range types {
		all = append(all, p.s.object+"."+methods[t]+"()")
	}
	if len(all) == 1 {
		return all[0]
	}
	return "(" + strings.Join(all, " || ") + ")"
}
