package export

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/search/kind"
)

// Learnt is what a search learnt of a field of a service's answers.
type Learnt struct {
	Place  exchange.Place // of the body
	Kinds  []kind.Kind    // with which the API gets furthest; none where that is not known
	Values []any          // of those that there may be, the ones that an error, a description or the API's code names
}

const (
	// maxValues bounds the values of a field that are listed.
	maxValues = 100
	// maxAmong bounds the answers that a field is described in which none was seen to have.
	maxAmong = 4
)

// LearntSample makes a sample of what a search learnt of the answers of an endpoint: the service by host:port, the path
// a template in which {} varies.
func LearntSample(service, method, path string, all ...Learnt) Sample {
	host, port := serviceOf(mock.Request{Service: service})
	parts := strings.Split(path, "{}")
	for n := range parts[1:] {
		parts[n] += "{" + parameterName(n+1) + "}"
	}
	s := sampleAt(host, port, method, strings.Join(parts, ""))
	s.Learnt = all
	return s
}

// learn puts what was learnt of fields into the shapes of the answers that have them, and, where none has, into those
// of the good answers.
func (op *operation) learn() {
	for _, f := range op.learnt {
		if !f.Place.Within(exchange.PlaceBody) {
			continue
		}
		path := pathTo(f.Place)
		among := op.bodies(func(_ int, s *shape) bool { return s.has(path) })
		if len(among) == 0 {
			among = op.bodies(func(status int, _ *shape) bool { return status/100 == 2 })
			among = among[:min(len(among), maxAmong)]
		}
		if len(among) == 0 {
			s := &shape{}
			if op.answers[http.StatusOK] == nil {
				op.answers[http.StatusOK] = map[string]*shape{}
			}
			op.answers[http.StatusOK]["application/json"] = s
			among = []*shape{s}
		}
		for _, s := range among {
			s.learn(path, f)
		}
	}
}

// bodies are the shapes of JSON among those of answers that a condition holds of.
func (op *operation) bodies(holds func(status int, s *shape) bool) (out []*shape) {
	for _, status := range slices.Sorted(maps.Keys(op.answers)) {
		by := op.answers[status]
		for _, media := range slices.Sorted(maps.Keys(by)) {
			if s := by[media]; strings.Contains(media, "json") && holds(status, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// step leads from a value to one within it: a member, or each element.
type step struct {
	name string
	each bool
}

// pathTo are the steps from a body to a place of it.
func pathTo(p exchange.Place) (out []step) {
	at := exchange.PlaceBody
	segments := p.Segments()[1:]
	for _, name := range segments[:min(len(segments), maxDepth)] {
		if p.Within(at.Each()) {
			at = at.Each()
			out = append(out, step{each: true})
			continue
		}
		at = at.Key(name)
		out = append(out, step{name: name})
	}
	return out
}

// has reports whether one of the values has something at a path.
func (s *shape) has(path []step) bool {
	for _, step := range path {
		in := s.items
		if !step.each {
			in = s.members[step.name]
		}
		if in == nil {
			return false
		}
		s = in
	}
	return true
}

// learn notes what was learnt of what is at a path, and by that of what it lies in.
func (s *shape) learn(path []step, f Learnt) {
	if len(path) == 0 {
		for _, k := range f.Kinds {
			s.know(k)
		}
		for _, v := range f.Values[:min(len(f.Values), maxValues)] {
			plain := kind.Of(v) == kind.String || kind.Of(v) == kind.Number
			if plain && len(s.values) < maxValues && !slices.Contains(s.values, v) {
				s.values = append(s.values, v)
			}
		}
		return
	}
	if path[0].each {
		s.know(kind.List)
		if s.items == nil {
			s.items = &shape{}
		}
		s.items.learn(path[1:], f)
		return
	}
	s.know(kind.Object)
	if in := s.member(path[0].name); in != nil {
		in.learn(path[1:], f)
	}
}

// know notes that values are of a kind, whatever those are that were seen. What is no kind says nothing.
func (s *shape) know(k kind.Kind) {
	switch k {
	case kind.Any:
		s.any = true
		return
	case kind.List:
		k = "array"
	case kind.String, kind.Number, kind.Integer, kind.Boolean, kind.Object, kind.Null:
	default:
		return
	}
	if s.known == nil {
		s.known = map[string]bool{}
	}
	s.known[string(k)] = true
}

// listed adds the values to a schema that may be of some types: several as an enum, one alone as an example.
func (s *shape) listed(out object, types map[string]bool) {
	var fit []any
	for _, v := range s.values {
		if types[string(kind.Of(v))] || types["integer"] && kind.Of(v) == kind.Number {
			fit = append(fit, v)
		}
	}
	switch {
	case len(fit) == 1:
		out["example"] = fit[0]
	case len(fit) > 1 && types["null"]:
		out["enum"] = append(fit, nil)
	case len(fit) > 1:
		out["enum"] = fit
	}
}

// ofTypes is a schema of values of one of several types.
func (s *shape) ofTypes(types []string, nullable bool) object {
	each := make([]object, 0, len(types))
	for _, t := range types {
		one := s.ofType(t)
		if nullable {
			one["nullable"] = true
		}
		each = append(each, one)
	}
	return object{"anyOf": each}
}

// typesOf are the types that a schema has to tell: null is told otherwise, and integers are numbers.
func typesOf(all map[string]bool) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(t string) bool {
		return t == "null" || t == "integer" && all["number"]
	})
}
