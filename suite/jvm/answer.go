package jvm

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
)

// ofAnswer is a method of an answer: a part of it, or an assertion.
func (r *follower) ofAnswer(a answerNode, c callNode) node {
	if a.links && len(c.args) > 0 {
		r.linked(a, c)
		return a
	}
	switch c.name {
	case "then":
		a.links = true
		return a
	case "extract":
		a.links = false
		return a
	case "response", "andReturn", "thenReturn", "peek", "prettyPeek", "assertThat", "and", "getBody", "get", "join", "orElseThrow":
		if len(c.args) == 0 {
			return a
		}
	case "log":
		return logNode{a}
	case "statusCode", "getStatusCode", "code":
		return valueNode{x: expr.Answer{Var: a.id}, typ: "int"}
	case "isSuccessful":
		status := expr.Answer{Var: a.id}
		return valueNode{x: expr.And{Xs: []expr.Expr{expr.Cmp(status, expr.Ge, expr.Int(200)), expr.Cmp(status, expr.Lt, expr.Int(300))}},
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
		if len(c.args) == 1 {
			return pathOf(expr.Answer{Var: a.id, Part: expr.JSON}, c.args[0], "")
		}
	case "headers", "getHeaders":
		return headersNode{a}
	case "contentType", "getContentType":
		return valueNode{x: expr.Header(a.id, "content-type"), typ: "String", null: true}
	case "header", "getHeader":
		if len(c.args) == 1 {
			return headerOf(a, c)
		}
	}
	return opaqueNode{"the method " + c.name}
}

// headerOf is a header of an answer: a text, or one that there may be.
func headerOf(a answerNode, c callNode) node {
	name, ok := c.args[0].x.(textNode)
	if !ok {
		return opaqueNode{"a header"}
	}
	typ := "String"
	if c.name == "firstValue" {
		typ = "Optional"
	}
	return valueNode{x: expr.Header(a.id, strings.ToLower(name.token.text)), typ: typ, null: true}
}

// pathOf is what a path of Groovy's leads to.
func pathOf(root expr.Expr, arg callArg, typ string) node {
	text, ok := arg.x.(textNode)
	if !ok {
		return opaqueNode{"a path that is put together"}
	}
	p, ok := parseGPath(text.token.text, root)
	switch {
	case !ok || p.safe || p.mended != "" || p.token != nil || p.end == "doubleValue":
		return opaqueNode{"the path " + text.token.text}
	case p.end == "size":
		return valueNode{x: expr.Len{X: p.x}, typ: typ}
	case p.end == "isEmpty":
		return valueNode{x: isEmpty(p.x), typ: "boolean"}
	}
	return valueNode{x: p.x, typ: typ, null: true}
}

func isEmpty(x expr.Expr) expr.Expr { return expr.Cmp(expr.Len{X: x}, expr.Eq, expr.Num{Text: "0"}) }

// asText is a value as String.valueOf gives it.
func asText(x node) node {
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
	case textNode, sumNode:
		return x
	case num:
		return textOf(strings.TrimRight(x.text, "lL"))
	}
	return opaqueNode{"a text that is made of a value"}
}

// ofValue is a method of a value that was taken from an answer.
func ofValue(v valueNode, c callNode) node {
	if v.typ == "JsonPath" {
		return ofJSONPath(v, c)
	}
	if v.typ == "Optional" {
		return ofOptional(v, c)
	}
	if len(c.args) == 0 {
		return ofItself(v, c)
	}
	key := meaning(c.args[0].x)
	of := func(typ string) node {
		if _, isName := key.(expr.Str); !isName && !isIndex(key) {
			return opaqueNode{"a member of an unknown name"}
		}
		return valueNode{x: expr.Index{X: v.x, I: key}, typ: typ, null: v.typ == "" || v.typ == "Map" || v.typ == "List"}
	}
	is := func(x expr.Expr) node { return valueNode{x: x, typ: "boolean"} }
	text, isText := key.(expr.Str)
	switch c.name {
	case "get", "path", "required", "opt":
		return of(map[string]string{"JsonNode": "JsonNode", "JsonElement": "JsonElement"}[v.typ])
	case "at":
		return pointed(v, key)
	case "getJSONObject", "optJSONObject", "getAsJsonObject":
		return of(map[bool]string{true: "JsonElement", false: "JSONObject"}[c.name == "getAsJsonObject"])
	case "getJSONArray", "optJSONArray", "getAsJsonArray":
		return of(map[bool]string{true: "JsonElement", false: "JSONArray"}[c.name == "getAsJsonArray"])
	case "getString":
		return of("String")
	case "getInt", "getLong", "getDouble", "getBoolean":
		return of(strings.ToLower(strings.TrimPrefix(c.name, "get")))
	case "has", "containsKey":
		return is(expr.Cmp(key, expr.In, v.x))
	case "isNull":
		return is(expr.Or{Xs: []expr.Expr{expr.Cmp(key, expr.NotIn, v.x), expr.IsNull(expr.Index{X: v.x, I: key})}})
	case "equals":
		return valueNode{x: same(v, c.args[0].x).means, typ: "boolean"}
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
	return opaqueNode{"the method " + c.name}
}

func isIndex(x expr.Expr) bool {
	_, ok := x.(expr.Num)
	return ok
}

// ofItself is a method without arguments of a value.
func ofItself(v valueNode, c callNode) node {
	typ := map[string]string{"asInt": "int", "intValue": "int", "getAsInt": "int", "asLong": "long", "longValue": "long",
		"getAsLong": "long", "asDouble": "double", "doubleValue": "double", "getAsDouble": "double", "asBoolean": "boolean",
		"booleanValue": "boolean", "getAsBoolean": "boolean", "textValue": "String",
		"getAsJsonObject": "JsonElement", "getAsJsonArray": "JsonElement"}[c.name]
	if typ != "" {
		v.typ, v.null = typ, false
		return v
	}
	is := func(types ...expr.Type) node {
		return valueNode{x: expr.IsType{X: v.x, Types: types}, typ: "boolean"}
	}
	switch c.name {
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
	return opaqueNode{"the method " + c.name}
}

// isTree reports whether a type is that of JSON in a library's own form.
func isTree(typ string) bool {
	return slices.Contains([]string{"JsonNode", "JsonElement", "JsonObject", "JsonArray", "JSONObject", "JSONArray", "ObjectNode",
		"ArrayNode"}, typ)
}

// ofJSONPath is a method of REST-assured's JsonPath.
func ofJSONPath(v valueNode, c callNode) node {
	if len(c.args) != 1 {
		if len(c.args) == 0 && c.name == "get" {
			v.typ = ""
			return v
		}
		return opaqueNode{"the method " + c.name}
	}
	typ, ok := map[string]string{"get": "", "getString": "String", "getInt": "int", "getLong": "long", "getDouble": "double",
		"getFloat": "float", "getBoolean": "boolean", "getList": "List", "getMap": "Map", "getJsonObject": ""}[c.name]
	if !ok {
		return opaqueNode{"the method " + c.name}
	}
	x := pathOf(v.x, c.args[0], typ)
	if at, isValue := x.(valueNode); isValue && typ == "String" {
		at.x = expr.ToText{X: at.x}
		return at
	}
	return x
}

// ofOptional is a method of a header that there may be.
func ofOptional(v valueNode, c callNode) node {
	name, answer, _ := expr.HeaderOf(v.x)
	is := func(op expr.Op) node {
		return valueNode{x: expr.Cmp(expr.Str{Value: name}, op, expr.Answer{Var: answer, Part: expr.Headers}), typ: "boolean"}
	}
	switch {
	case c.name == "isPresent":
		return is(expr.In)
	case c.name == "isEmpty":
		return is(expr.NotIn)
	case c.name == "get", c.name == "orElseThrow":
		return valueNode{x: v.x, typ: "String"}
	case c.name == "orElse" && len(c.args) == 1:
		if otherwise := meaning(c.args[0].x); otherwise != expr.Expr(expr.Null{}) {
			return valueNode{x: expr.Get{X: expr.Answer{Var: answer, Part: expr.Headers}, Key: expr.Str{Value: name}, Default: otherwise},
				typ: "String"}
		}
		return valueNode{x: v.x, typ: "String", null: true}
	}
	return opaqueNode{"the method " + c.name}
}

// pointed is what a JSON pointer leads to.
func pointed(v valueNode, pointer expr.Expr) node {
	text, ok := pointer.(expr.Str)
	if !ok || text.Value != "" && !strings.HasPrefix(text.Value, "/") {
		return opaqueNode{"a pointer"}
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
