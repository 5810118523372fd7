package formats

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// DescribedAnswer is a good answer with JSON, as the description of an API has it.
type DescribedAnswer struct {
	Method string
	Path   string // a template: /orders/{id}
	Status int
	JSON   any // an example: the one that is given, or one that is made of the schema
	// Types are the words of JSON Schema for the types of fields, and Values the enumerated ones; elements of lists are *.
	Types  map[exchange.Place]string
	Values map[exchange.Place][]any
}

// Bounds on what is made of a schema.
const (
	maxSchemaDepth  = 8
	maxSchemaFields = 500
	maxAnswers      = 10_000
)

// ReadAnswers reads the good answers of an OpenAPI 3 or Swagger 2 description, JSON or YAML: one of each operation, by
// path and method. Only references within the file are followed.
func ReadAnswers(r io.Reader) ([]DescribedAnswer, error) {
	var decoded any
	if err := decodeOpenAPI(r, &decoded); err != nil {
		return nil, err
	}
	doc := description{root: members(decoded)}
	if doc.root["openapi"] == nil && doc.root["swagger"] == nil {
		return nil, errNoVersion
	}
	var out []DescribedAnswer
	paths := members(doc.root["paths"])
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		item := members(paths[path])
		for _, method := range []string{"get", "post", "put", "patch", "delete"} {
			if a, ok := doc.answer(members(item[method])); ok && strings.HasPrefix(path, "/") && len(out) < maxAnswers {
				a.Method, a.Path = strings.ToUpper(method), path
				out = append(out, a)
			}
		}
	}
	if len(out) == 0 {
		return nil, errors.New("read OpenAPI: it describes no answer of JSON")
	}
	return out, nil
}

// members are those of an object, by their names as texts; none of what is no object.
func members(v any) map[string]any {
	switch v := v.(type) {
	case map[string]any:
		return v
	case map[any]any: // 200: is a number
		out := make(map[string]any, len(v))
		for name, in := range v {
			out[fmt.Sprint(name)] = in
		}
		return out
	}
	return nil
}

// description is one that was decoded.
type description struct {
	root map[string]any
}

// resolved follows references within the file.
func (d description) resolved(v any) map[string]any {
	m := members(v)
	for range maxSchemaDepth {
		ref, is := m["$ref"].(string)
		if !is {
			return m
		}
		path, local := strings.CutPrefix(ref, "#/")
		if !local {
			return nil
		}
		m = d.root
		for _, s := range strings.Split(path, "/") {
			m = members(m[strings.ReplaceAll(strings.ReplaceAll(s, "~1", "/"), "~0", "~")])
		}
	}
	return nil
}

// answer is the good answer of an operation: the one with the lowest status.
func (d description) answer(operation map[string]any) (a DescribedAnswer, ok bool) {
	responses := members(operation["responses"])
	for _, code := range slices.Sorted(maps.Keys(responses)) {
		status, err := strconv.Atoi(code)
		if code == "default" || strings.EqualFold(code, "2XX") {
			status, err = http.StatusOK, nil
		}
		if err != nil || status/100 != 2 {
			continue
		}
		response := d.resolved(responses[code])
		schema, example := d.content(response)
		if schema == nil && example == nil {
			continue
		}
		a = DescribedAnswer{Status: status, Types: map[exchange.Place]string{}, Values: map[exchange.Place][]any{}}
		a.JSON = d.example(schema, exchange.PlaceBody, &a, maxSchemaDepth)
		if example != nil {
			a.JSON = plain(example, maxSchemaDepth)
		}
		return a, a.JSON != nil
	}
	return a, false
}

// content is the schema, and the example, of what a response holds as JSON.
func (d description) content(response map[string]any) (schema map[string]any, example any) {
	if response["schema"] != nil { // of Swagger 2
		return d.resolved(response["schema"]), members(response["examples"])["application/json"]
	}
	content := members(response["content"])
	for _, kind := range slices.Sorted(maps.Keys(content)) {
		if !strings.Contains(kind, "json") {
			continue
		}
		media := members(content[kind])
		example := media["example"]
		if several := members(media["examples"]); example == nil && len(several) > 0 {
			first := slices.Sorted(maps.Keys(several))[0]
			example = d.resolved(several[first])["value"]
		}
		return d.resolved(media["schema"]), example
	}
	return nil, nil
}

// example makes a value of a schema, and notes what it says of fields.
func (d description) example(schema map[string]any, at exchange.Place, a *DescribedAnswer, depth int) any {
	if schema == nil || depth == 0 || len(a.Types) > maxSchemaFields {
		return nil
	}
	schema = d.whole(schema)
	kind := typeOf(schema)
	a.Types[at] = kind
	if list, is := schema["enum"].([]any); is && len(list) > 0 {
		for _, v := range list[:min(len(list), 30)] {
			a.Values[at] = append(a.Values[at], plain(v, 2))
		}
	}
	var made any
	switch kind {
	case "object":
		object := map[string]any{}
		properties := members(schema["properties"])
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if v := d.example(d.resolved(properties[name]), at.Key(name), a, depth-1); v != nil {
				object[name] = v
			}
		}
		made = object
	case "array":
		made = []any{}
		if v := d.example(d.resolved(schema["items"]), at.Each(), a, depth-1); v != nil {
			made = []any{v}
		}
	case "string":
		made = text(schema)
	case "boolean":
		made = true
	case "integer", "number":
		made = 1.0
		if least, ok := number(schema["minimum"]); ok && least > 1 {
			made = least
		}
	}
	for _, given := range []any{schema["example"], schema["default"], schema["const"]} {
		if given != nil {
			return plain(given, depth)
		}
	}
	if v := a.Values[at]; len(v) > 0 {
		return v[0]
	}
	return made
}

// text is a value of a schema of texts.
func text(schema map[string]any) string {
	switch schema["format"] {
	case "date-time":
		return "2030-01-02T03:04:05Z"
	case "date":
		return "2030-01-02"
	case "uuid":
		return "7f3c2a10-5b7e-4d0a-9c55-1f2e3d4c5b6a"
	case "uri", "url":
		return "https://example.com/"
	case "email":
		return "a@example.com"
	}
	return "x"
}

// whole joins what a schema is made of: all of several, or the first of those of which it may be one.
func (d description) whole(schema map[string]any) map[string]any {
	parts, _ := schema["allOf"].([]any)
	for _, choice := range []string{"oneOf", "anyOf"} {
		if list, is := schema[choice].([]any); is && len(list) > 0 {
			parts = append(slices.Clone(parts), list[0])
		}
	}
	if len(parts) == 0 {
		return schema
	}
	out := maps.Clone(schema)
	properties := maps.Clone(members(schema["properties"]))
	if properties == nil {
		properties = map[string]any{}
	}
	for _, part := range parts[:min(len(parts), 20)] {
		one := d.resolved(part)
		maps.Copy(properties, members(one["properties"]))
		for name, v := range one {
			if _, there := out[name]; !there {
				out[name] = v
			}
		}
	}
	if len(properties) > 0 {
		out["properties"] = properties
	}
	return out
}

// typeOf is the type of a schema; of several the first that is not null.
func typeOf(schema map[string]any) string {
	switch t := schema["type"].(type) {
	case string:
		return t
	case []any:
		for _, one := range t {
			if one != "null" {
				return fmt.Sprint(one)
			}
		}
	}
	switch {
	case schema["properties"] != nil:
		return "object"
	case schema["items"] != nil:
		return "array"
	case schema["enum"] != nil:
		return "string"
	}
	return ""
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// plain is a value of YAML as one of JSON.
func plain(v any, depth int) any {
	if depth == 0 {
		return nil
	}
	switch v := v.(type) {
	case map[string]any, map[any]any:
		out := map[string]any{}
		for name, in := range members(v) {
			out[name] = plain(in, depth-1)
		}
		return out
	case []any:
		out := make([]any, 0, min(len(v), 100))
		for _, in := range v[:min(len(v), 100)] {
			out = append(out, plain(in, depth-1))
		}
		return out
	case int:
		return float64(v)
	case float64:
		if v-v != 0 {
			return nil
		}
		return v
	case string, bool, nil:
		return v
	}
	return fmt.Sprint(v) // a date
}
