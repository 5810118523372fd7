package jvm

import (
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/jvm/sending"
)

// ofAnswer is a method of an answer: a part of it, or an assertion.
func (r *follower) ofAnswer(a answerNode, c java.Call) java.Node {
	if a.links && len(c.Args) > 0 {
		r.linked(a, c)
		return a
	}
	if of, ok := a.as(c.Name); ok {
		return of
	}
	switch c.Name {
	case "andReturn", "thenReturn", "peek", "prettyPeek", "assertThat", "and", "get", "join", "orElseThrow":
		if len(c.Args) == 0 {
			return a
		}
	case "log":
		return logNode{a}
	case "statusCode", "getStatusCode", "code":
		return meaning.Value{X: expr.Answer{Var: a.id}, Typ: "int"}
	case "isSuccessful":
		status := expr.Answer{Var: a.id}
		return meaning.Value{X: expr.And{Xs: []expr.Expr{expr.Cmp(status, expr.Ge, expr.Int(200)),
			expr.Cmp(status, expr.Lt, expr.Int(300))}},
			Typ: "boolean"}
	case "body", "getBody":
		if a.client == sending.JDK {
			return meaning.Value{X: expr.Answer{Var: a.id, Part: expr.Text}, Typ: "String"}
		}
		a.response = false
		return a
	case "as":
		json := meaning.Value{X: expr.Answer{Var: a.id, Part: expr.JSON}}
		if len(c.Args) == 1 && r.typeOf(c.Args[0]) != "" {
			return r.bound(json, r.typeOf(c.Args[0]))
		}
		if c.Typ != "" {
			return r.bound(json, c.Typ)
		}
	case "asString", "string", "toString":
		return meaning.Value{X: expr.Answer{Var: a.id, Part: expr.Text}, Typ: "String"}
	case "asPrettyString", "prettyPrint":
		return jsonText{meaning.Value{X: expr.Answer{Var: a.id, Part: expr.JSON}}}
	case "jsonPath":
		return meaning.Value{X: expr.Answer{Var: a.id, Part: expr.JSON}, Typ: "JsonPath"}
	case "path":
		if len(c.Args) == 1 {
			return meaning.PathOf(expr.Answer{Var: a.id, Part: expr.JSON}, c.Args[0], "")
		}
	case "headers", "getHeaders":
		return headersNode{a}
	case "contentType", "getContentType":
		return meaning.Value{X: expr.Header(a.id, "content-type"), Typ: "String", Null: true}
	case "header", "getHeader":
		if len(c.Args) == 1 {
			return headerOf(a, c)
		}
	}
	return java.Opaque{What: "the method " + c.Name}
}

// as is an answer in the form that a method of REST-assured's gives it, in Kotlin too; false for any other method.
func (a answerNode) as(method string) (answerNode, bool) {
	switch method {
	case "then", "Then":
		a.links, a.response = true, false
	case "extract", "Extract":
		a.links, a.response = false, false
	case "response":
		a.response = true
	default:
		return a, false
	}
	return a, true
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
	return meaning.Value{X: expr.Header(a.id, strings.ToLower(name.Token.Text)), Typ: typ, Null: true}
}

// What says what an answer is where a value is wanted.
func (answerNode) What() string { return "an answer as a whole" }
