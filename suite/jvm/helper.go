package jvm

import (
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/jvm/sending"
	"github.com/flaketap/flaketap/suite/script"
)

// helped reads a call of a method that does nothing but assert, as the assertion that its statements are with what it
// is given; false where a call is of another.
func (r *follower) helped(c java.Call, from, to int) bool {
	f := r.helper(c)
	if f == nil || !r.own || r.said != nil || !r.file.onlyAsserts(f, 0) {
		return false
	}
	before, names := len(r.test.Calls), r.names()
	args := r.arguments(c)
	given := len(r.test.Calls)
	r.said = &[]*script.Assertion{}
	r.inline(f, placed(f, args), c.Typ)
	said := *r.said
	r.said = nil
	if len(r.test.Calls) > given || len(said) == 0 { // it sends something, or asserts elsewhere
		r.test.Calls = r.test.Calls[:before]
		return false
	}
	a := r.add(from, to)
	if a == nil {
		return true
	}
	as := form{open: r.file.assertsTrue(), close: ")", names: names, in: r.in, mapper: r.mapper()}
	r.file.forms[a.At.Start] = as
	var all []expr.Expr
	for _, one := range said {
		if one.At.Start > 0 {
			r.file.helpers[one.At.Start] = one.At
		}
		if a.Reason == "" && one.Reason != script.UnderCondition {
			a.Reason = one.Reason
		}
		if one.Meaning != nil {
			all = append(all, conjuncts(one.Meaning)...)
		}
	}
	if given > before {
		a.Reason = "it sends a request itself"
	}
	if a.Reason == "" || a.Reason == script.UnderCondition {
		r.understood(a, meaning.Says(expr.AllOf(all...)), as, java.Argument{})
	}
	return true
}

// helper is the method of the suite that a call is of; nil for none.
func (r *follower) helper(c java.Call) *java.Method {
	switch x := c.X.(type) {
	case nil:
		return r.local(c, "")
	case java.Name:
		if x.ID == "this" || x.ID == "super" {
			return r.local(c, "")
		}
	}
	if class := r.classOf(c.X); class != "" {
		return r.local(c, class)
	}
	return nil
}

// onlyAsserts reports whether a method does nothing but assert, so that nothing is lost with a call of it.
func (w *written) onlyAsserts(f *java.Method, depth int) bool {
	tokens, match := w.module.Tokens, w.module.Match
	asserts := false
	r := &follower{file: w, class: f.Class}
	for from := f.Open + 1; from < f.Close; {
		end := from
		for end < f.Close && !tokens[end].Is(";") {
			if t := &tokens[end]; t.Is("(") || t.Is("[") || t.Is("{") {
				end = match[end]
			}
			end++
		}
		if from < end && tokens[from].Is("return") && w.kotlin {
			from++
		}
		if _, typ, value := r.target(from, end); value > 0 && typ != "" {
			from = end + 1
			continue
		} else if value != 0 {
			return false
		}
		c, isCall := w.module.Parse(from, end).(java.Call)
		if !isCall && from < end || isCall && !w.isAssertion(r, c, depth) {
			return false
		}
		asserts = asserts || isCall
		from = end + 1
	}
	return asserts
}

// isAssertion reports whether a statement asserts and does nothing else.
func (w *written) isAssertion(r *follower, c java.Call, depth int) bool {
	root, links := java.Chain(c)
	if f := w.module.Find(r.class, c.Name, len(c.Args)); f != nil && c.X == nil {
		return depth < maxInlined && w.onlyAsserts(f, depth+1)
	}
	return asserting(links[0], root) || w.kotlin && strings.HasPrefix(c.Name, "should") ||
		slices.ContainsFunc(links, func(l java.Call) bool { return l.Name == "then" || l.Name == "statusCode" && len(l.Args) > 0 })
}

// assertsTrue is how a condition is asserted in the place of a call: what stands before it.
func (w *written) assertsTrue() string {
	for _, class := range []string{junit5, junit4, testNG, kotlinTest} {
		if w.module.Has("static "+class+".assertTrue") || class == kotlinTest && w.module.Has(class+".assertTrue") {
			return "assertTrue("
		}
	}
	switch {
	case w.actualFirst:
		return testNG + ".assertTrue("
	case w.old:
		return junit4 + ".assertTrue("
	}
	return junit5 + ".assertTrue("
}

// spelled is the source of a value of an answer that the test does not write itself: by the name of the answer, or of
// what was taken from it. What it is compared with says as what it is asked for.
func (p *conditionWriter) spelled(x, with expr.Expr) subject {
	x = meaning.Stripped(x)
	if of := expr.Counted(x); of != nil {
		return p.counted(x, of)
	}
	if name, of, ok := expr.HeaderOf(x); ok {
		return p.header(x, name, of)
	}
	if of, isAnswer := x.(expr.Answer); isAnswer && of.Part == expr.Status {
		source, typ := p.value(x)
		return subject{x: x, source: source, typ: typ}
	}
	root, steps := expr.Steps(x)
	values := p.form.names.values
	if of, isAnswer := root.(expr.Answer); isAnswer && p.form.mapper != "" && of.Part == expr.JSON {
		if name, node, ok := p.answer(of.Var); ok && node.client == sending.JDK {
			values = append(slices.Clone(values), named{name: p.form.mapper + ".readTree(" + name + ".body())", typ: "JsonNode", x: root})
		}
	}
	for n := len(steps); n >= 0; n-- {
		at := root
		if n > 0 {
			at = steps[n-1]
		}
		for _, v := range values {
			if v.maybe && !v.part || !expr.Identical(v.x, at) {
				continue
			}
			if s := p.member(v, steps[n:], x, with); s.source != "" {
				return s
			}
		}
	}
	if source, typ := p.path(x); !p.failed {
		return subject{x: x, source: source, typ: typ, object: source, null: true}
	}
	p.failed = false
	return subject{}
}

// counted is how many members or elements a value has.
func (p *conditionWriter) counted(x, of expr.Expr) subject {
	s := p.spelled(of, expr.Len{X: of})
	source, typ := "", "int"
	switch s.typ {
	case "JsonNode":
		source = s.source + ".size()"
	case "JSONArray", "JSONObject":
		source = s.source + ".length()"
	case "":
		if source, typ = p.path(x); p.failed {
			source, p.failed = "", false
		}
	}
	return subject{x: x, source: source, typ: typ}
}

// header is a header of an answer.
func (p *conditionWriter) header(x expr.Expr, name, of string) subject {
	answer, node, ok := p.answer(of)
	switch {
	case !ok:
		return subject{}
	case node.client == sending.JDK:
		answer += ".headers().firstValue(" + p.links.Literal(name) + ").orElse(null)"
	default:
		answer += ".header(" + p.links.Literal(name) + ")"
	}
	return subject{x: x, source: answer, typ: "String", object: answer, null: true, maybe: p.links.Kotlin}
}

// member is what steps lead to from a value that has a name; the zero subject where there is no way to say that.
func (p *conditionWriter) member(v named, steps []expr.Index, x, with expr.Expr) subject {
	pointer := ""
	for _, step := range steps {
		switch i := step.I.(type) {
		case expr.Str:
			pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(i.Value)
		case expr.Num:
			pointer += "/" + i.Text
		default:
			return subject{}
		}
	}
	switch v.typ {
	case "JsonNode":
		node := v.name
		if pointer != "" {
			node += ".at(" + p.links.Literal(pointer) + ")"
		}
		as := map[string]string{"String": ".asText()", "int": ".asInt()", "double": ".asDouble()", "boolean": ".asBoolean()"}
		typ := typeFor(with)
		return subject{x: x, source: node + as[typ], typ: typ, object: node, tree: true}
	case "JSONObject", "JSONArray":
		source := v.name + ".query(" + p.links.Literal(pointer) + ")"
		return subject{x: x, source: source, object: source, null: true}
	}
	if len(steps) == 0 {
		return subject{x: x, source: v.name, typ: v.typ, maybe: v.maybe}
	}
	return subject{}
}

// mapper is a field that makes trees of JSON, where the test may throw what that throws; "" for none.
func (r *follower) mapper() string {
	names := slices.Sorted(maps.Keys(r.file.module.Fields[r.class]))
	i := slices.IndexFunc(names, func(name string) bool {
		return r.file.module.Fields[r.class][name].Typ == "ObjectMapper"
	})
	if i < 0 || !r.throws || r.in.handed {
		return ""
	}
	return names[i]
}

// mayThrow reports whether a method may throw what reading JSON does.
func (w *written) mayThrow(f *java.Method) bool {
	return w.kotlin || slices.ContainsFunc(w.module.Tokens[f.Keyword:f.Open], func(t java.Token) bool {
		return t.Is("Exception") || t.Is("IOException") || t.Is("Throwable")
	})
}

// apart writes what an assertion says of several values, each by itself.
func (p *conditionWriter) apart(x expr.Expr) string {
	var all []string
	for _, one := range conjuncts(x) {
		q := *p
		q.s = subject{}
		expr.Walk(one, func(y expr.Expr) {
			if i := slices.IndexFunc(p.form.subjects, func(s subject) bool { return s.is(y) }); i >= 0 && q.s.source == "" {
				q.s = p.form.subjects[i]
			}
		})
		expr.Walk(one, func(y expr.Expr) {
			_, isIndex := y.(expr.Index)
			_, isCounted := expr.BodyOf(expr.Counted(y))
			of, isAnswer := y.(expr.Answer)
			if q.s.source == "" && (isIndex || isCounted || isAnswer && of.Part == expr.Status) {
				q.s = q.spelled(y, one)
			}
		})
		all = append(all, q.condition(one))
		p.failed = p.failed || q.failed || q.s.source == ""
	}
	return strings.Join(all, " && ")
}

// typeFor is the type that a value is asked for as which is compared with another: as a text, where nothing says more.
func typeFor(x expr.Expr) string {
	typ, counts := "String", false
	expr.Walk(x, func(y expr.Expr) {
		switch y := y.(type) {
		case expr.Num:
			typ = "int"
			if strings.ContainsAny(y.Text, ".eE") || len(y.Text) > 9 {
				typ = "double"
			}
		case expr.Bool:
			typ = "boolean"
		case expr.Len:
			counts = true
		}
	})
	if counts {
		return "JsonNode"
	}
	return typ
}
