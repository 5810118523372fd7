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
