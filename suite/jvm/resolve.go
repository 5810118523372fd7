package jvm

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
)

// What expressions stand for, beside literals.
type (
	// valueNode is a value that was taken from answers.
	valueNode struct {
		x    expr.Expr
		typ  string // the type that Java has for it: "String", "int", "JsonNode"; "" where the call says any
		null bool   // where there is nothing, it is null: a path of REST-assured's, a header
	}
	// answerNode is what a call was answered.
	answerNode struct {
		id     string // the call's variable
		client client
		links  bool // its methods assert: what REST-assured's then() gives
	}
	headersNode struct{ of answerNode }
	logNode     struct{ of node } // whose methods say what is logged
	requestNode struct {          // what is to be sent
		client client
		links  []callNode // their arguments are resolved
	}
	mapNode struct{ keys, values []node }
)

// resolve is an expression with the values of its names in their place. Requests in it are noted as sent, methods of the
// file are followed.
func (r *follower) resolve(x node) node {
	if *r.nodes++; *r.nodes > maxNodes {
		return opaqueNode{"too many expressions"}
	}
	switch x := x.(type) {
	case nil:
		return opaqueNode{"an expression of an unknown form"}
	case nameNode:
		return r.named(x)
	case field:
		return r.field(x)
	case callNode:
		return r.called(x)
	case sumNode:
		return sumNode{r.all(x.xs)}
	case arrayNode:
		return arrayNode{r.all(x.elems)}
	case binaryNode:
		if x.op == "instanceof" {
			return binaryNode{x.op, r.resolve(x.x), x.y, x.at}
		}
		return binaryNode{x.op, r.resolve(x.x), r.resolve(x.y), x.at}
	case notNode:
		return notNode{r.resolve(x.x)}
	case negNode:
		return negNode{r.resolve(x.x)}
	case ternaryNode:
		outer := r.in
		cond := r.resolve(x.cond)
		r.in.condition = true
		defer func() { r.in = outer }()
		return ternaryNode{cond, r.resolve(x.x), r.resolve(x.y)}
	case castNode:
		return typed(r.resolve(x.x), x.typ)
	case indexNode:
		return element(r.resolve(x.x), r.resolve(x.i))
	case lambdaNode:
		r.lambda(x, false)
		return opaqueNode{"a lambda"}
	}
	return x
}

func (r *follower) all(xs []node) []node {
	out := make([]node, len(xs))
	for i, x := range xs {
		out[i] = r.resolve(x)
	}
	return out
}

// known is the value of a name; false where it has none.
func (r *follower) known(name string) (node, bool) {
	if x, ok := r.env[r.place(name)]; ok {
		return x, true
	}
	return r.initial(r.class, name)
}

// initial is what a field is set to where it is declared, and never again.
func (r *follower) initial(class, name string) (node, bool) {
	f, ok := r.file.module.fieldOf(class, name)
	if x, again := r.env[class+"."+name]; again {
		return x, true
	}
	switch {
	case !ok:
		return nil, false
	case r.file.module.set[name]:
		return opaqueNode{"the field " + name + ", which changes"}, true
	case f.to == 0 || r.depth >= maxInlined:
		return opaqueNode{"the field " + name}, true
	}
	in := &follower{file: r.file, test: r.test, class: class, env: map[string]node{}, moved: map[string]bool{}, site: r.site,
		depth: r.depth + 1, nodes: r.nodes}
	x := typed(bounded(in.valueOf(f.from, f.to)), f.typ)
	if class == r.class {
		class = "this"
	}
	r.env[class+"."+name] = x // it is sent for once
	return x, true
}

// named is what a name stands for.
func (r *follower) named(x nameNode) node {
	if slices.Contains([]string{"true", "false", "null"}, x.id) {
		return x
	}
	if value, known := r.known(x.id); known {
		return value
	}
	if status, ok := statusConstant(x.id); ok {
		return status
	}
	return opaqueNode{"the name " + x.id}
}

// statusConstant reads the names that libraries have for statuses: SC_CREATED, HTTP_CREATED.
func statusConstant(name string) (node, bool) {
	prefix, rest, ok := strings.Cut(name, "_")
	status := map[string]string{"OK": "200", "CREATED": "201", "ACCEPTED": "202", "NO_CONTENT": "204", "BAD_REQUEST": "400",
		"UNAUTHORIZED": "401", "FORBIDDEN": "403", "NOT_FOUND": "404", "CONFLICT": "409", "UNPROCESSABLE_ENTITY": "422",
		"INTERNAL_SERVER_ERROR": "500", "INTERNAL_ERROR": "500", "SERVICE_UNAVAILABLE": "503", "UNAVAILABLE": "503"}[rest]
	return num{status}, ok && status != "" && (prefix == "SC" || prefix == "HTTP")
}

// field is a field of the class, of another class of the file, or a constant of a library's.
func (r *follower) field(x field) node {
	of, ok := x.x.(nameNode)
	switch {
	case ok && of.id == "this":
		if value, known := r.env["this."+x.name]; known {
			return value
		}
		if value, known := r.initial(r.class, x.name); known {
			return value
		}
		return opaqueNode{"the field " + x.name}
	case ok:
		if value, known := r.initial(of.id, x.name); known && r.file.module.fields[of.id] != nil {
			return value
		}
		if _, variable := r.known(of.id); variable {
			return opaqueNode{"the field " + x.name}
		}
	}
	if status, ok := statusConstant(x.name); ok {
		return status
	}
	return x
}

// class is the name of the class that a static method is called on, without the packages; "" where it is called on a
// value.
func (r *follower) classOf(x node) string {
	switch x := x.(type) {
	case nameNode:
		if _, value := r.known(x.id); !value && x.id != "this" && x.id != "super" {
			return x.id
		}
	case field:
		root := node(x)
		for {
			f, ok := root.(field)
			if !ok {
				break
			}
			root = f.x
		}
		if n, ok := root.(nameNode); ok {
			if _, value := r.known(n.id); !value && n.id != "this" && x.name != strings.ToUpper(x.name) {
				return x.name
			}
		}
	}
	return ""
}

// arguments resolves those of a call: what they are written as stays where they stand.
func (r *follower) arguments(c callNode) []callArg {
	out := make([]callArg, len(c.args))
	for i, a := range c.args {
		out[i] = callArg{a.from, a.to, nil}
		switch x := a.x.(type) {
		case lambdaNode:
			outer := r.in
			r.in.guarded = r.in.guarded || strings.HasPrefix(c.name, "assertThrows") || strings.HasPrefix(c.name, "assertThatThrown")
			r.lambda(x, runsNow(c.name))
			r.in = outer
			out[i].x = opaqueNode{"a lambda"}
		case field:
			out[i].x = r.resolve(x)
		default:
			out[i].x = r.resolve(a.x)
		}
	}
	return out
}

// runsNow reports whether a method runs what it is handed, once.
func runsNow(name string) bool {
	return slices.Contains([]string{"assertAll", "assertTimeout", "assertTimeoutPreemptively", "assertDoesNotThrow", "step"}, name)
}

// called is a call: of a method of the file, of a library.
func (r *follower) called(c callNode) node {
	class := ""
	if c.x != nil {
		class = r.classOf(c.x)
	}
	if n, ok := c.x.(nameNode); c.x == nil || ok && (n.id == "this" || n.id == "super") || class != "" {
		if f := r.local(c, class); f != nil {
			args := r.arguments(c)
			values := make([]node, len(args))
			for i, a := range args {
				values[i] = a.x
			}
			return r.inline(f, values)
		}
	}
	if c.x == nil || class != "" {
		c.args = r.arguments(c)
		return r.static(class, c)
	}
	of := r.resolve(c.x)
	c.args = r.arguments(c)
	switch of := of.(type) {
	case requestNode:
		return r.request(of, c)
	case answerNode:
		return r.ofAnswer(of, c)
	case logNode:
		return of.of
	case headersNode:
		if len(c.args) == 1 && slices.Contains([]string{"getValue", "get", "firstValue"}, c.name) {
			return headerOf(of.of, c)
		}
	case valueNode:
		return ofValue(of, c)
	case textNode, sumNode:
		return ofText(of, c)
	case opaqueNode:
		return r.sentBy(of, c)
	case num, nameNode, mapNode, arrayNode, callNode, field:
		return opaqueNode{"the method " + c.name}
	}
	return opaqueNode{"the method " + c.name}
}

// local is the method of the file that a call is of; nil where it is of none.
func (r *follower) local(c callNode, class string) *method {
	if class == "" {
		class = r.class
	} else if r.file.module.outer[class] == "" && r.file.module.find(class, c.name, len(c.args)) == nil {
		return nil
	} else if _, own := r.file.module.outer[class]; !own {
		return nil
	}
	return r.file.module.find(class, c.name, len(c.args))
}

// ofText is a method of a text that is written out.
func ofText(x node, c callNode) node {
	switch c.name {
	case "trim", "strip", "toString", "stripIndent", "intern":
		if len(c.args) == 0 {
			return x
		}
	case "formatted":
		return formatted(x, c.args)
	case "concat":
		if len(c.args) == 1 {
			return sumNode{[]node{x, c.args[0].x}}
		}
	case "equals":
		if len(c.args) == 1 {
			return binaryNode{"==", x, c.args[0].x, 0}
		}
	}
	return opaqueNode{"the method " + c.name}
}

// formatted is a text with values in the place of %s and %d.
func formatted(format node, args []callArg) node {
	text, ok := format.(textNode)
	if !ok {
		return opaqueNode{"a text that is put together"}
	}
	var out []node
	rest := text.token.text
	for _, a := range args {
		i := strings.IndexByte(rest, '%')
		if i < 0 || i+1 >= len(rest) || rest[i+1] != 's' && rest[i+1] != 'd' {
			return opaqueNode{"a text that is put together"}
		}
		out = append(out, textOf(rest[:i]), a.x)
		rest = rest[i+2:]
	}
	return sumNode{append(out, textOf(rest))}
}

// textOf is a text as if it were written out.
func textOf(s string) node {
	return textNode{&lexeme{kind: tokString, text: s, parts: []part{{text: s}}}}
}

// element is an element or a member of a value, in brackets.
func element(x, i node) node {
	switch x := x.(type) {
	case valueNode:
		if key := meaning(i); expr.IsLiteral(key) {
			return valueNode{x: expr.Index{X: x.x, I: key}}
		}
	case arrayNode:
		if n, ok := i.(num); ok {
			for k, y := range x.elems {
				if n.text == expr.Int(k).(expr.Num).Text {
					return y
				}
			}
		}
	}
	return opaqueNode{"an element"}
}
