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

	// What was learnt of them beside, see [Learnt].
	known  map[string]bool // their types, whatever those are that were seen
	any    bool            // each type will do
	values []any
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
	if s.seen == nil {
		s.seen = map[string]int{}
	}
	for name, value := range v {
		if in := s.member(name); in != nil {
			s.seen[name]++
			in.add(value, depth-1)
		}
	}
}

// member is the shape of a member; nil for one beyond those that are described.
func (s *shape) member(name string) *shape {
	if s.members == nil {
		s.members = map[string]*shape{}
	}
	if s.members[name] == nil && len(s.members) < maxMembers {
		s.members[name] = &shape{}
	}
	return s.members[name]
}

// object is the shape as a schema of OpenAPI 3.0; {} where values are of several types, unless it was learnt of which.
func (s *shape) object() object {
	all, out := s.types, object{}
	switch {
	case len(s.known) > 0:
		all = s.known
	case s.any:
		return out
	}
	types := typesOf(all)
	switch {
	case len(types) == 1:
		out = s.ofType(types[0])
	case len(types) > 1 && len(s.known) > 0:
		out = s.ofTypes(types, all["null"])
	}
	if all["null"] && out["anyOf"] == nil {
		out["nullable"] = true
	}
	s.listed(out, all)
	return out
}

// ofType is a schema of values of a type.
func (s *shape) ofType(name string) object {
	out := object{"type": name}
	switch name {
	case "array":
		out["items"] = object{}
		if s.items != nil {
			out["items"] = s.items.object()
		}
	case "object":
		if len(s.members) >= maxMembers {
			out["additionalProperties"] = true
			return out
		}
		properties, required := object{}, []string{}
		for _, name := range slices.Sorted(maps.Keys(s.members)) {
			properties[name] = s.members[name].object()
			if s.seen[name] == s.objects && s.objects > 0 {
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
