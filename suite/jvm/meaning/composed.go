package meaning

import (
	"encoding/json"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
)

// Parses reports whether a function makes JSON of its text.
func Parses(class, name string) bool {
	return class == "JsonPath" || class == "" && (name == "JsonPath" || name == "JSONObject" || name == "JSONArray") ||
		class == "JsonParser" && strings.HasPrefix(name, "parse")
}

// ParsedType is the type of the JSON that such a function makes.
func ParsedType(name string) string {
	switch name {
	case "JSONObject", "JSONArray":
		return name
	case "from", "with", "JsonPath":
		return "JsonPath"
	}
	return "JsonElement"
}

// ParsedJSON is the JSON of the text of an answer; false where a value is another text.
func ParsedJSON(x java.Node, typ string) (Value, bool) {
	v, _ := x.(Value)
	of, ok := v.X.(expr.Answer)
	if !ok || of.Part != expr.Text {
		return Value{}, false
	}
	return Value{X: expr.Answer{Var: of.Var, Part: expr.JSON}, Typ: typ}, true
}

// JSONValue is what is made JSON of, for encoding/json; false where not all of it is written out.
func JSONValue(x java.Node) (any, bool) {
	switch x := x.(type) {
	case Map:
		out := map[string]any{}
		for i, k := range x.Keys {
			v, ok := JSONValue(x.Values[i])
			if !ok {
				return nil, false
			}
			out[java.WrittenText(k)] = v
		}
		return out, true
	case java.Array:
		out := make([]any, len(x.Elems))
		for i, e := range x.Elems {
			v, ok := JSONValue(e)
			if !ok {
				return nil, false
			}
			out[i] = v
		}
		return out, true
	}
	token, ok := expr.JSONText(Of(x))
	return json.RawMessage(token), ok
}

// MediaType reads the constants that REST-assured has for media types.
func MediaType(x java.Node, text string) string {
	f, ok := x.(java.Field)
	if !ok {
		return text
	}
	return map[string]string{"JSON": "application/json, application/javascript, text/javascript, text/json", "ANY": "*/*",
		"TEXT": "text/plain", "XML": "application/xml, text/xml, application/xhtml+xml", "HTML": "text/html"}[f.Name]
}

// ofTwo is what a function makes of two values; nil of another.
func ofTwo(class, name string, values []java.Node) java.Node {
	if len(values) != 2 {
		return nil
	}
	switch class + "." + name {
	case "Objects.equals", "Objects.deepEquals":
		return java.Binary{Op: "==", X: values[0], Y: values[1]}
	case "String.join":
		if of, ok := values[1].(Value); ok {
			if x, ok := Join(of, values[0]); ok {
				return x
			}
		}
	}
	return nil
}

// EmptyList is what is not known of a list that is empty and waits to be filled: what it will have.
const EmptyList = "a list that is filled"

// Composed is a value that a function puts together: a list, a map, JSON from the text of an answer; nil of another.
func Composed(class string, c java.Call) java.Node {
	values := make([]java.Node, len(c.Args))
	for i, a := range c.Args {
		values[i] = a.X
	}
	if x := ofTwo(class, c.Name, values); x != nil {
		return x
	}
	switch {
	case (class == "List" || class == "Arrays" || class == "Arguments" || strings.HasSuffix(class, "Stream")) &&
		(c.Name == "of" || c.Name == "asList" || c.Name == "arguments"), class == "" && c.Name == "arguments",
		class == "Collections" && c.Name == "singletonList", class == "ImmutableList" && c.Name == "of":
		return java.Array{Elems: values}
	case class == "" && len(values) == 0 && (c.Name == "ArrayList" || c.Name == "LinkedList" || c.Name == "mutableListOf" || c.Name == "arrayListOf"):
		return java.Opaque{What: EmptyList}
	case class == "Collections" && c.Name == "emptyList":
		return java.Array{}
	case class == "Map" && c.Name == "of" && len(values)%2 == 0, class == "Collections" && c.Name == "singletonMap":
		var m Map
		for i := 0; i+1 < len(values); i += 2 {
			m.Keys, m.Values = append(m.Keys, values[i]), append(m.Values, values[i+1])
		}
		return m
	case (class == "Integer" || class == "Long" || class == "Boolean" || class == "Double") && c.Name == "valueOf" && len(values) == 1,
		class == "" && (c.Name == "BigDecimal" || c.Name == "BigInteger") && len(values) == 1:
		switch x := values[0].(type) {
		case java.Number, java.Name:
			return x
		case java.Text:
			return java.Number{Text: x.Token.Text}
		}
	case class == "JsonPath" && c.Name == "read" && len(values) == 2:
		if of, ok := ParsedJSON(values[0], ""); ok {
			return PathOf(of.X, c.Args[1], "")
		}
	case Parses(class, c.Name) && len(values) == 1:
		if of, ok := ParsedJSON(values[0], ParsedType(c.Name)); ok {
			return of
		}
	case class == "" && c.Name == "JsonParser":
		return java.Opaque{What: "a parser"}
	}
	return nil
}
