package jvm

import (
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/jvm/link"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/jvm/sending"
	"github.com/flaketap/flaketap/suite/jvm/words"
	"github.com/flaketap/flaketap/suite/kotlin"
	"github.com/flaketap/flaketap/suite/script"
)

// laid says an assertion, in as many lines as it takes in Kotlin.
func (w *written) laid(s *script.Script, t *script.Test, a *script.Assertion, x expr.Expr) (string, bool) {
	text, ok := w.write(s, t, a, x)
	if ok && w.kotlin && text != a.Text {
		text = kotlin.Laid(s, a.At, text)
	}
	return text, ok
}

// write says an assertion in the words of the one before: a link of a chain as a link, any other as a condition that is
// asserted.
func (w *written) write(s *script.Script, t *script.Test, a *script.Assertion, x expr.Expr) (string, bool) {
	f, known := w.forms[a.At.Start]
	if of := w.rounds[a.At.Start]; of != nil && len(of.all) > 1 {
		alike, ok := of.alike(x)
		if !ok {
			return "", false
		}
		x, a, f.names = alike, of.last(a), of.names()
	}
	if one := w.approved[a.At.Start]; one != nil && !a.Plain {
		_, scrubs, ok := one.Scrubbed(x)
		return w.language().With(one.call, scrubs, script.LineEnd(w.script.Lines[0])+a.At.Indent+"        "), ok
	}
	if f.link {
		text, ok := w.dialect.write(s, t, a, x)
		if !strings.HasPrefix(a.Text, ".") { // it stands alone in a lambda of Kotlin's
			text = strings.TrimPrefix(text, ".")
		}
		return text, ok
	}
	links := &link.Writer{Style: w.style, T: t, A: a}
	guards, rest, nullable := links.Split(x)
	if len(guards) == 0 && !nullable && !a.Rebound && expr.Identical(rest, a.Meaning) {
		return a.Text, true
	}
	p := &conditionWriter{links: links, form: f, s: f.subject}
	switch {
	case !known || f.subject.source == "" && f.open == "":
		return "", false
	case f.subject.source == "":
		text := f.open + p.apart(x) + f.close
		return text, !p.failed && oneLine(text)
	}
	if f.fluent {
		if text, ok := p.link(rest); ok && f.joined == "" && len(guards) == 0 && !nullable {
			return text, oneLine(text)
		}
		p.lambda = w.style.Response
		p.s.source, p.s.object, p.s.typ, p.s.maybe = p.lambda, p.lambda, boxed(p.s.typ), false
		if f.joined != "" {
			p.s.source = p.say().Split(p.lambda, links.Literal(f.joined))
			p.s.object = p.s.source
		}
	}
	var any []string
	for _, g := range guards {
		any = append(any, p.guard(g))
	}
	text := p.condition(rest)
	if nullable && !strings.HasPrefix(text, "("+p.nothing()) {
		any = append(any, p.nothing())
	}
	text = p.any(append(any, text))
	if f.fluent {
		text = ".matches" + p.say().Lambda(p.lambda, text)
	} else {
		text = f.open + text + f.close
	}
	return text, !p.failed && oneLine(text)
}

func oneLine(text string) bool { return !strings.ContainsAny(text, "\r\n") }

// boxed is the class of a type.
func boxed(typ string) string {
	if class := map[string]string{"int": "Integer", "long": "Long", "double": "Double", "float": "Float", "boolean": "Boolean"}[typ]; class != "" {
		return class
	}
	return typ
}

// conditionWriter writes conditions of Java about what an assertion looks at.
type conditionWriter struct {
	links  *link.Writer
	form   form
	s      subject
	lambda string // the parameter of the lambda that the condition stands in; "" where it stands in none
	failed bool   // Java cannot say it here
}

// say is the language that the condition is in.
func (p *conditionWriter) say() words.Language { return words.Language{Kotlin: p.links.Kotlin} }

// fail notes that something cannot be said.
func (p *conditionWriter) fail() string {
	p.failed = true
	return "false"
}

// nothing says that there is nothing where the assertion looks.
func (p *conditionWriter) nothing() string {
	if !p.s.null || p.s.object == "" || isPrimitive(p.s.typ) && p.s.object == p.s.source {
		return p.fail()
	}
	return p.s.object + " == null"
}

// guard says a condition under which there is nothing to look at: another status, a value of another type.
func (p *conditionWriter) guard(x expr.Expr) string {
	switch x := x.(type) {
	case expr.Compare:
		if status, ok := x.Y.(expr.Num); ok {
			source, _ := p.value(x.X)
			return source + " != " + status.Text
		}
	case expr.Not:
		is, _ := x.X.(expr.IsType)
		if _, isBody := expr.BodyOf(is.X); !isBody || len(is.Types) != 1 {
			break
		}
		source, typ := p.value(is.X)
		class := map[expr.Type]string{expr.TypeObject: "Map", expr.TypeArray: "List"}[is.Types[0]]
		if class != "" && (typ == "" || typ == "Object") {
			return p.say().IsNot(source, "java.util."+class)
		}
	}
	return p.fail()
}

// condition writes a condition.
func (p *conditionWriter) condition(x expr.Expr) string {
	switch x := x.(type) {
	case expr.Or:
		if len(x.Xs) == 2 && isUnset(x.Xs[0], x.Xs[1]) {
			return p.condition(x.Xs[1])
		}
		return "(" + p.any(p.conditions(x.Xs)) + ")"
	case expr.And:
		return strings.Join(p.conditions(x.Xs), " && ")
	case expr.Not:
		return "!(" + p.condition(x.X) + ")"
	case expr.Between:
		return p.between(x)
	case expr.Compare:
		return p.compared(x)
	case expr.IsType:
		return p.isType(x)
	case expr.Match:
		text := p.text(x.X)
		if !x.Full {
			return p.say().Finds(text, p.links.Literal(x.Pattern))
		}
		return p.say().Matches(text, p.links.Literal(x.Pattern))
	case expr.IsDigits:
		return p.say().Matches(p.text(x.X), `"[0-9]+"`)
	case expr.HasPrefix:
		return p.text(x.X) + ".startsWith(" + p.literalText(x.Prefix) + ")"
	case expr.HasSuffix:
		return p.text(x.X) + ".endsWith(" + p.literalText(x.Suffix) + ")"
	case expr.SameItems:
		return p.sameItems(x)
	}
	return p.fail()
}

// isUnset reports whether a condition says that an object lacks a member, and another that this is null: what a
// mapper makes of both is null.
func isUnset(x, y expr.Expr) bool {
	missing, _ := x.(expr.Compare)
	null, _ := y.(expr.Compare)
	return missing.Op == expr.NotIn && null.Op == expr.Is && null.Y == expr.Expr(expr.Null{}) &&
		expr.Identical(null.X, expr.Index{X: missing.Y, I: missing.X})
}

func (p *conditionWriter) conditions(xs []expr.Expr) []string {
	all := make([]string, len(xs))
	for i, x := range xs {
		all[i] = p.condition(x)
	}
	return all
}

// any says that one of some conditions is true: not that something is null, or is not, which says nothing.
func (p *conditionWriter) any(all []string) string {
	for _, one := range all {
		if x, ok := strings.CutSuffix(one, " == null"); ok && slices.Contains(all, x+" != null") {
			return p.fail()
		}
	}
	return strings.Join(all, " || ")
}

// value is the source of a value, and its type.
func (p *conditionWriter) value(x expr.Expr) (source, typ string) {
	if p.s.is(x) {
		return p.s.source, p.s.typ
	}
	if p.lambda == "" {
		for _, v := range p.form.names.values {
			if expr.Identical(v.x, x) && !v.maybe {
				return v.name, v.typ
			}
		}
	}
	switch x := x.(type) {
	case expr.Len:
		return p.length(x)
	case expr.Answer:
		if name, of, ok := p.answer(x.Var); ok && x.Part == expr.Status {
			switch {
			case of.client != sending.OkHTTP:
				return name + ".statusCode()", "int"
			case p.links.Kotlin:
				return name + ".code", "int"
			}
			return name + ".code()", "int"
		}
	case expr.Index, expr.Each:
		return p.path(x)
	}
	return p.fail(), ""
}

// answer is the name of an answer, and what it is; REST-assured's then() is asked for what it extracts.
func (p *conditionWriter) answer(id string) (name string, of answerNode, ok bool) {
	n, ok := p.form.names.answers[id]
	if !ok || p.lambda != "" && p.form.names.moved[n.name] {
		return "", of, false
	}
	if n.of.links {
		return n.name + ".extract()", n.of, true
	}
	return n.name, n.of, true
}

// path is the source of what a path leads to in the body of an answer of REST-assured's.
func (p *conditionWriter) path(x expr.Expr) (source, typ string) {
	counted := expr.Counted(x)
	if counted != nil {
		x = counted
	}
	id, isBody := expr.BodyOf(x)
	path := meaning.Source(x)
	switch {
	case counted != nil && path == "":
		path = "size()"
	case counted != nil:
		path += ".size()"
	case !isBody:
		known := false
		if path, known = p.links.Path(x); !known {
			return p.fail(), ""
		}
		id = p.links.T.Calls[p.links.A.Call].Var
	}
	get := ".path"
	name, of, ok := p.answer(id)
	if !ok || of.client != sending.RESTAssured {
		if name, get = p.jsonPath(id), ".get"; name == "" {
			return p.fail(), ""
		}
	}
	if p.links.Kotlin {
		get += "<Any?>"
	}
	return name + get + "(" + p.links.Literal(path) + ")", ""
}

// jsonPath is the name of the JsonPath of an answer; "" where there is none.
func (p *conditionWriter) jsonPath(id string) string {
	for _, v := range p.form.names.values {
		if p.lambda == "" && v.typ == "JsonPath" && !v.maybe &&
			expr.Identical(v.x, expr.Answer{Var: id, Part: expr.JSON}) {
			return v.name
		}
	}
	return ""
}

// length is the source of how long something is.
func (p *conditionWriter) length(x expr.Len) (source, typ string) {
	switch source, typ = p.value(x.X); {
	case typ == "JSONArray" || typ == "JSONObject":
		return source + ".length()", "int"
	case typ == "JsonNode":
		return source + ".size()", "int"
	case typ == "String":
		return p.say().Length(p.sure(source)), "int"
	case typ == "List" || typ == "Map":
		return p.say().Size(p.sure(source)), "int"
	case typ == "" && strings.Contains(p.links.A.Text, "size"):
		return p.say().Size(p.say().AsCollection(source)), "int"
	}
	return p.fail(), ""
}

// text is the source of a value that is a text.
func (p *conditionWriter) text(x expr.Expr) string {
	source, typ := p.value(x)
	_, made := x.(expr.ToText)
	switch {
	case typ == "String":
		return p.sure(source)
	case typ == "" || typ == "Object":
		if made {
			return p.say().ShownObject(source)
		}
		return p.say().AsText(source)
	case made && meaning.IsNumeric(typ):
		return p.say().Shown(p.sure(source))
	}
	return p.fail()
}

// sure is the source of a value that is there.
func (p *conditionWriter) sure(source string) string {
	if p.s.maybe && source == p.s.source && !strings.HasSuffix(source, "!!") {
		return source + "!!"
	}
	return source
}

// number is the source of a value that is a number, for a comparison.
func (p *conditionWriter) number(x expr.Expr) string {
	source, typ := p.value(x)
	switch {
	case meaning.IsNumeric(typ):
		return p.sure(source)
	case typ == "" || typ == "Object" || typ == "Number":
		return p.say().AsNumber(source)
	}
	return p.fail()
}

// literalText is a text that is written out, in quotes.
func (p *conditionWriter) literalText(x expr.Expr) string {
	text, ok := x.(expr.Str)
	if !ok {
		return p.fail()
	}
	return p.links.Literal(text.Value)
}

// literal is a value that is written out, of the type of what it is compared with.
func (p *conditionWriter) literal(x expr.Expr, typ string) string {
	if text, ok := meaning.Numeral(x); ok {
		whole := strings.Trim(strings.TrimPrefix(text, "-"), "0123456789") == ""
		_, noInt := strconv.ParseInt(text, 10, 32)
		_, noLong := strconv.ParseInt(text, 10, 64)
		switch boxed(typ) {
		case "Long":
			if whole && noLong == nil {
				return text + "L"
			}
		case "Double":
			return p.say().Double(text)
		case "Float":
			return text + "f"
		case "String", "Boolean", "List", "Map":
		default:
			switch {
			case whole && noInt == nil:
				return text
			case whole && noLong == nil && typ != "int" && typ != "Integer":
				return text + "L"
			}
		}
		return p.fail()
	}
	switch x := x.(type) {
	case expr.Str:
		if typ == "String" || typ == "" || typ == "Object" {
			return p.links.Literal(x.Value)
		}
	case expr.Bool:
		if boxed(typ) == "Boolean" || typ == "" || typ == "Object" {
			return strconv.FormatBool(x.Value)
		}
	case expr.Null:
		if !isPrimitive(typ) {
			return "null"
		}
	}
	return p.fail()
}

// between writes low <= x && x <= high.
func (p *conditionWriter) between(x expr.Between) string {
	return p.ordered(x.X, expr.Ge, x.Low) + " && " + p.ordered(x.X, expr.Le, x.High)
}

// ordered compares a number with another that is written out.
func (p *conditionWriter) ordered(x expr.Expr, op expr.Op, bound expr.Expr) string {
	source := p.number(x)
	text, ok := meaning.Numeral(bound)
	if !ok {
		return p.fail()
	}
	if _, err := strconv.ParseInt(text, 10, 32); err != nil && strings.Trim(text, "-0123456789") == "" {
		text += "L"
		if _, err := strconv.ParseInt(strings.TrimSuffix(text, "L"), 10, 64); err != nil {
			return p.fail()
		}
	}
	return source + map[expr.Op]string{expr.Ge: " >= ", expr.Le: " <= ", expr.Gt: " > ", expr.Lt: " < "}[op] + text
}
