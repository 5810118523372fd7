package meaning

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/script"
)

// OfText is a method of a text that is written out.
func OfText(x java.Node, c java.Call) java.Node {
	switch c.Name {
	case "trimIndent", "trimMargin":
		return java.TrimIndent(x, c.Name == "trimMargin")
	case "toRequestBody", "toMediaType", "toMediaTypeOrNull", "toHttpUrl", "toUri", "toURI":
		return x
	case "format":
		return java.Formatted(x, c.Args)
	case "trim", "strip", "toString", "stripIndent", "intern", "name": // of a constant of an enumeration
		if len(c.Args) == 0 {
			return x
		}
	case "formatted":
		return java.Formatted(x, c.Args)
	case "concat":
		if len(c.Args) == 1 {
			return java.Sum{Xs: []java.Node{x, c.Args[0].X}}
		}
	case "equals":
		if len(c.Args) == 1 {
			return java.Binary{Op: "==", X: x, Y: c.Args[0].X, At: 0}
		}
	}
	return java.Opaque{What: "the method " + c.Name}
}

// StatusConstant reads the names that libraries have for statuses: SC_CREATED, HTTP_CREATED.
func StatusConstant(name string) (java.Node, bool) {
	prefix, rest, ok := strings.Cut(name, "_")
	status, known := script.StatusNamed(rest)
	return java.Number{Text: status}, ok && known && (prefix == "SC" || prefix == "HTTP")
}

// Kotlins is a value that a function of Kotlin's own library puts together.
func Kotlins(class string, c java.Call) (java.Node, bool) {
	if class != "" {
		return nil, false
	}
	values := make([]java.Node, len(c.Args))
	for i, a := range c.Args {
		values[i] = a.X
	}
	if list, _ := IsCollection(c.Name); list {
		return java.Array{Elems: values}, true
	}
	switch c.Name {
	case "mapOf", "mutableMapOf", "hashMapOf", "linkedMapOf", "emptyMap":
		var m Map
		for _, x := range values {
			pair, ok := x.(java.Array)
			if !ok || len(pair.Elems) != 2 {
				return java.Opaque{What: "a map"}, true
			}
			m.Keys, m.Values = append(m.Keys, pair.Elems[0]), append(m.Values, pair.Elems[1])
		}
		return m, true
	case "requireNotNull", "checkNotNull", "assertNotNull":
		if len(values) > 0 {
			return values[0], true
		}
	}
	return nil, false
}

// IsCollection reports whether a function makes a list of its arguments.
func IsCollection(name string) (list, ok bool) {
	list = slices.Contains([]string{"listOf", "mutableListOf", "arrayListOf", "arrayOf", "emptyList", "Pair", "Triple", "setOf"}, name)
	return list, list
}

// OfList is a method of a list that is written out: one of its elements, whether a value is one.
func OfList(of java.Array, c java.Call) (java.Node, bool) {
	name := map[string]string{"getFirst": "component1", "getSecond": "component2", "getThird": "component3", "first": "component1",
		"second": "component2", "third": "component3"}[c.Name]
	if n, err := strconv.Atoi(strings.TrimPrefix(cmp.Or(name, c.Name), "component")); err == nil && 0 < n && n <= len(of.Elems) {
		return of.Elems[n-1], true
	}
	if len(c.Args) == 0 && (c.Name == "stream" || c.Name == "toList" || c.Name == "asSequence") {
		return of, true
	}
	if c.Name != "contains" || len(c.Args) != 1 {
		return nil, false
	}
	v, ok := c.Args[0].X.(Value)
	list, isList := Of(of).(expr.List)
	if !ok || !isList {
		return nil, false
	}
	return Value{X: expr.Cmp(v.Textual(list.Elems...), expr.In, expr.Set(list)), Typ: "boolean"}, true
}
