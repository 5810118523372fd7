package jvm

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
)

// ofAnswer is a method of an answer: a part of it, or an assertion.
func (r *follower) ofAnswer(a answerNode, c java.Call) java.Node {
	if a.links && len(c.Args) > 0 {
		r.linked(a, c)
		return a
	}
	switch c.Name {
	case "then":
		a.links = true
		return a
	case "extract":
		a.links = false
		return a
	case "response", "andReturn", "thenReturn", "peek", "prettyPeek", "assertThat", "and", "getBody", "get", "join", "orElseThrow":
		if len(c.Args) == 0 {
			return a
		}
	case "log":
		return logNode{a}
	case "statusCode", "getStatusCode", "code":
		return valueNode{x: expr.Answer{Var: a.id}, typ: "int"}
	case "isSuccessful":
		status := expr.Answer{Var: a.id}
		return valueNode{x: expr.And{Xs: []expr.Expr{expr.Cmp(status, expr.Ge, expr.Int(200)),
			expr.Cmp(status, expr.Lt, expr.Int(300))}},
			typ: "boolean"}
	case "body":
		if a.client == jdkClient {
			return valueNode{x: expr.Answer{Var: a.id, Part: expr.Text}, typ: "String"}
		}
		return a
	case "asString", "string", "toString":
		return valueNode{x: expr.Answer{Var: a.id, Part: expr.Text}, typ: "String"}
	case "jsonPath":
		return valueNode{x: expr.Answer{Var: a.id, Part: expr.JSON}, typ: "JsonPath"}
	case "path":
		if len(c.Args) == 1 {
			return pathOf(expr.Answer{Var: a.id, Part: expr.JSON}, c.Args[0], "")
		}
	case "headers", "getHeaders":
		return headersNode{a}
	case "contentType", "getContentType":
		return valueNode{x: expr.Header(a.id, "content-type"), typ: "String", null: true}
	case "header", "getHeader":
		if len(c.Args) == 1 {
			return headerOf(a, c)
		}
	}
	return java.Opaque{What: "the method " + c.Name}
}

// headerOf is a header of an answer: a text, or one that there may be.
func headerOf(a answerNode, c java.Call) java.Node {
	name, ok := c.Args[0].X.(java.Text)
	if !ok {
		return java.Opaque{What: "a header"}
	}
	typ := "String"
	if c.Name == "firstValue" {
		typ = "Optional"
	}
	return valueNode{x: expr.Header(a.id, strings.ToLower(name.Token.Text)), typ: typ, null: true}
}

// pathOf is what a path of Groovy's leads to.
func pathOf(root expr.Expr, arg java.Argument, typ string) java.Node {
	text, ok := arg.X.(java.Text)
	if !ok {
		return java.Opaque{What: "a path that is put together"}
	}
	p, ok := parseGPath(text.Token.Text, root)
	switch {
	case !ok || p.safe || p.mended != "" || p.token != nil || p.end == "doubleValue":
		return java.Opaque{What: "the path " + text.Token.Text}
	case p.end == "size":
		return valueNode{x: expr.Len{X: p.x}, typ: typ}
	case p.end == "isEmpty":
		return valueNode{x: isEmpty(p.x), typ: "boolean"}
	}
	return valueNode{x: p.x, typ: typ, null: true}
}

func isEmpty(x expr.Expr) expr.Expr { return expr.Cmp(expr.Len{X: x}, expr.Eq, expr.Num{Text: "0"}) }

// asText is a value as String.valueOf gives it.
func asText(x java.Node) java.Node {
	switch x := x.(type) {
	case valueNode:
		_, done := x.x.(expr.ToText)
		switch {
		case isNumeric(x.typ): // twice, as it was no text before
			x.x = expr.ToText{X: expr.ToText{X: x.x}}
		case !done && x.typ != "String":
			x.x = expr.ToText{X: x.x}
		}
		x.typ = "String"
		return x
	case java.Text, java.Sum:
		return x
	case java.Number:
		return java.TextOf(strings.TrimRight(x.Text, "lL"))
	}
	return java.Opaque{What: "a text that is made of a value"}
}

// ofValue is a method of a value that was taken from an answer.
func ofValue(v valueNode, c java.Call) java.Node {
	if v.typ == "JsonPath" {
		return ofJSONPath(v, c)
	}
	if v.typ == "Optional" {
		return ofOptional(v, c)
	}
	if len(c.Args) == 0 {
		return ofItself(v, c)
	}
	key := meaning(c.Args[0].X)
	of := func(typ string) java.Node {
		if _, isName := key.(expr.Str); !isName && !isIndex(key) {
			return java.Opaque{What: "a member of an unknown name"}
		}
		return valueNode{x: expr.Index{X: v.x, I: key}, typ: typ, null: v.typ == "" || v.typ == "Map" || v.typ == "List"}
	}
	is := func(x expr.Expr) java.Node { return valueNode{x: x, typ: "boolean"} }
	text, isText := key.(expr.Str)
	switch c.Name {
	case "get", "path", "required", "opt":
		return of(map[string]string{"JsonNode": "JsonNode", "JsonElement": "JsonElement"}[v.typ])
	case "at":
		return pointed(v, key)
	case "getJSONObject", "optJSONObject", "getAsJsonObject":
		return of(map[bool]string{true: "JsonElement", false: "JSONObject"}[c.Name == "getAsJsonObject"])
	case "getJSONArray", "optJSONArray", "getAsJsonArray":
		return of(map[bool]string{true: "JsonElement", false: "JSONArray"}[c.Name == "getAsJsonArray"])
	case "getString":
		return of("String")
	case "getInt", "getLong", "getDouble", "getBoolean":
		return of(strings.ToLower(strings.TrimPrefix(c.Name, "get")))
	case "has", "containsKey":
		return is(expr.Cmp(key, expr.In, v.x))
	case "isNull":
		return is(expr.Or{Xs: []expr.Expr{expr.Cmp(key, expr.NotIn, v.x), expr.IsNull(expr.Index{X: v.x, I: key})}})
	case "equals":
		return valueNode{x: same(v, c.Args[0].X).means, typ: "boolean"}
	case "containsAll":
		if list, ok := key.(expr.List); ok && len(list.Elems) > 0 {
			var all []expr.Expr
			for _, e := range list.Elems {
				all = append(all, expr.Cmp(e, expr.In, v.x))
			}
			return is(expr.AllOf(all...))
		}
	case "contains":
		return is(expr.Cmp(key, expr.In, stripped(v.x)))
	case "startsWith":
		return is(expr.HasPrefix{X: stripped(v.x), Prefix: key})
	case "endsWith":
		return is(expr.HasSuffix{X: stripped(v.x), Suffix: key})
	case "matches":
		if isText {
			return is(expr.Match{X: stripped(v.x), Pattern: text.Value, Full: true})
		}
	}
	return java.Opaque{What: "the method " + c.Name}
}

func isIndex(x expr.Expr) bool {
	_, ok := x.(expr.Num)
	return ok
}

// ofItself is a method without arguments of a value.
func ofItself(v valueNode, c java.Call) java.Node {
	typ := map[string]string{"asInt": "int", "intValue": "int", "getAsInt": "int", "asLong": "long", "longValue": "long",
		"getAsLong": "long", "asDouble": "double", "doubleValue": "double", "getAsDouble": "double", "asBoolean": "boolean",
		"booleanValue": "boolean", "getAsBoolean": "boolean", "textValue": "String",
		"getAsJsonObject": "JsonElement", "getAsJsonArray": "JsonElement"}[c.Name]
	if typ != "" {
		v.typ, v.null = typ, false
		return v
	}
	is := func(types ...expr.Type) java.Node {
		return valueNode{x: expr.IsType{X: v.x, Types: types}, typ: "boolean"}
	}
	switch c.Name {
	case "asText", "getAsString":
		v.null = false
		return asText(v)
	case "toString":
		if isTree(v.typ) {
			break
		}
		return asText(v)
	case "trim", "strip":
		return valueNode{x: expr.Trim{X: stripped(v.x)}, typ: "String"}
	case "size", "length":
		return valueNode{x: expr.Len{X: stripped(v.x)}, typ: "int"}
	case "isEmpty":
		return valueNode{x: isEmpty(stripped(v.x)), typ: "boolean"}
	case "isBlank":
		return valueNode{x: expr.Cmp(expr.Trim{X: stripped(v.x)}, expr.Eq, expr.Str{}), typ: "boolean"}
	case "isNull", "isJsonNull":
		return valueNode{x: expr.IsNull(v.x), typ: "boolean"}
	case "isArray", "isJsonArray":
		return is(expr.TypeArray)
	case "isObject", "isJsonObject":
		return is(expr.TypeObject)
	case "isTextual":
		return is(expr.TypeString)
	case "isMissingNode":
		if missing, ok := expr.Missing(v.x); ok {
			return valueNode{x: missing, typ: "boolean"}
		}
	case "keySet":
		return v
	}
	return java.Opaque{What: "the method " + c.Name}
}

// isTree reports whether a type is that of JSON in a library's own form.
func isTree(typ string) bool {
	return slices.Contains([]string{"JsonNode", "JsonElement", "JsonObject", "JsonArray", "JSONObject", "JSONArray", "ObjectNode",
		"ArrayNode"}, typ)
}

// ofJSONPath is a method of REST-assured's JsonPath.
func ofJSONPath(v valueNode, c java.Call) java.Node {
	if len(c.Args) != 1 {
		if len(c.Args) == 0 && c.Name == "get" {
			v.typ = ""
			return v
		}
		return java.Opaque{What: "the method " + c.Name}
	}
	typ, ok := map[string]string{"get": "", "getString": "String", "getInt": "int", "getLong": "long", "getDouble": "double",
		"getFloat": "float", "getBoolean": "boolean", "getList": "List", "getMap": "Map", "getJsonObject": ""}[c.Name]
	if !ok {
		return java.Opaque{What: "the method " + c.Name}
	}
	x := pathOf(v.x, c.Args[0], typ)
	if at, isValue := x.(valueNode); isValue && typ == "String" {
		at.x = expr.ToText{X: at.x}
		return at
	}
	return x
}

// ofOptional is a method of a header that there may be.
func ofOptional(v valueNode, c java.Call) java.Node {
	name, answer, _ := expr.HeaderOf(v.x)
	is := func(op expr.Op) java.Node {
		return valueNode{x: expr.Cmp(expr.Str{Value: name}, op, expr.Answer{Var: answer, Part: expr.Headers}), typ: "boolean"}
	}
	switch {
	case c.Name == "isPresent":
		return is(expr.In)
	case c.Name == "isEmpty":
		return is(expr.NotIn)
	case c.Name == "get", c.Name == "orElseThrow":
		return valueNode{x: v.x, typ: "String"}
	case c.Name == "orElse" && len(c.Args) == 1:
		if otherwise := meaning(c.Args[0].X); otherwise != expr.Expr(expr.Null{}) {
			return valueNode{x: expr.Get{X: expr.Answer{Var: answer, Part: expr.Headers}, Key: expr.Str{Value: name},
				Default: otherwise},
				typ: "String"}
		}
		return valueNode{x: v.x, typ: "String", null: true}
	}
	return java.Opaque{What: "the method " + c.Name}
}

// pointed is what a JSON pointer leads to.
func pointed(v valueNode, pointer expr.Expr) java.Node {
	text, ok := pointer.(expr.Str)
	if !ok || text.Value != "" && !strings.HasPrefix(text.Value, "/") {
		return java.Opaque{What: "a pointer"}
	}
	x := v.x
	for _, key := range strings.Split(text.Value, "/")[1:] {
		key = strings.NewReplacer("~1", "/", "~0", "~").Replace(key)
		if key != "" && strings.Trim(key, "0123456789") == "" {
			x = expr.Index{X: x, I: expr.Num{Text: plainDigits(key)}}
		} else {
			x = expr.Index{X: x, I: expr.Str{Value: key}}
		}
	}
	return valueNode{x: x, typ: v.typ}
}
