package export

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// maxDepth bounds how deep values are described.
const maxDepth = 20

// maxMembers bounds how many members of an object are described: one with more is a table, whose keys are values.
const maxMembers = 200

// shape is what values have in common.
type shape struct {
	types   map[string]bool // of JSON, and "integer"
	objects int             // how many of the values are
	members map[string]*shape
	seen    map[string]int // in how many objects
	items   *shape
}

// addBody takes a body: its JSON, or a text.
func (s *shape) addBody(body []byte) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		v = ""
	}
	s.add(v, maxDepth)
}

// addText takes a text of a query: a number, a truth value, or a string.
func (s *shape) addText(text string) {
	var v any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	err := d.Decode(&v)
	switch v.(type) {
	case json.Number, bool:
		if err == nil && !d.More() {
			s.add(v, 1)
			return
		}
	}
	s.add(text, 1)
}

func (s *shape) add(v any, depth int) {
	if s.types == nil {
		s.types = map[string]bool{}
	}
	if depth == 0 {
		return
	}
	switch v := v.(type) {
	case nil:
		s.types["null"] = true
	case bool:
		s.types["boolean"] = true
	case string:
		s.types["string"] = true
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			s.types["number"] = true
		} else {
			s.types["integer"] = true
		}
	case []any:
		s.types["array"] = true
		if s.items == nil {
			s.items = &shape{types: map[string]bool{}}
		}
		for _, item := range v {
			s.items.add(item, depth-1)
		}
	case map[string]any:
		s.types["object"] = true
		s.objects++
		s.addMembers(v, depth)
	}
}

func (s *shape) addMembers(v map[string]any, depth int) {
	if s.members == nil {
		s.members, s.seen = map[string]*shape{}, map[string]int{}
	}
	for name, value := range v {
		if s.members[name] == nil {
			if len(s.members) >= maxMembers {
				continue
			}
			s.members[name] = &shape{}
		}
		s.seen[name]++
		s.members[name].add(value, depth-1)
	}
}

// object is the shape as a schema of OpenAPI 3.0; {} where values are of several types.
func (s *shape) object() object {
	types := slices.DeleteFunc(slices.Sorted(maps.Keys(s.types)), func(t string) bool {
		return t == "null" || t == "integer" && s.types["number"]
	})
	out := object{}
	if s.types["null"] {
		out["nullable"] = true
	}
	if len(types) != 1 {
		return out
	}
	out["type"] = types[0]
	switch types[0] {
	case "array":
		out["items"] = s.items.object()
	case "object":
		if len(s.members) >= maxMembers {
			out["additionalProperties"] = true
			return out
		}
		properties, required := object{}, []string{}
		for _, name := range slices.Sorted(maps.Keys(s.members)) {
			properties[name] = s.members[name].object()
			if s.seen[name] == s.objects {
				required = append(required, name)
			}
		}
		if len(properties) > 0 {
			out["properties"] = properties
		}
		if len(required) > 0 {
			out["required"] = required
		}
	}
	return out
}
