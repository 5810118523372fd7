package whole

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/mock/search/tree"
	"github.com/flaketap/flaketap/mock/search/typical"
)

// file is the mappings that a search writes.
type file []stub

// stub is one of them, as its JSON.
type stub map[string]any

// read reads a file of mappings.
func read(data []byte) (file, error) {
	var all struct{ Mappings file }
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber() // a number is written as it was
	if err := d.Decode(&all); err != nil {
		return nil, fmt.Errorf("read stubs: %w", err)
	}
	return all.Mappings, nil
}

// name is that of what is asked.
func (s stub) name() string {
	name, _ := s["name"].(string)
	return name
}

func (s stub) response() map[string]any {
	response, _ := s["response"].(map[string]any)
	return response
}

// json is the value of the answer; nil where it has another body.
func (s stub) json() any { return s.response()["jsonBody"] }

// ways are what of an answer is no part of a plain one.
var ways = []string{"body", "fault", "fixedDelayMilliseconds", "interimStatus"}

// isPlain reports whether an answer is a good one, at once, with JSON, whatever was asked before.
func (s stub) isPlain() bool {
	status, there := s.response()["status"].(json.Number)
	good := !there || strings.HasPrefix(status.String(), "2")
	return good && s.json() != nil && s["scenarioName"] == nil &&
		!slices.ContainsFunc(ways, func(way string) bool { return s.response()[way] != nil })
}

// of is the stub of a name; nil where there is none.
func (f file) of(name string) stub {
	i := slices.IndexFunc(f, func(s stub) bool { return s.name() == name })
	if i < 0 {
		return nil
	}
	return f[i]
}

// nearest is the one of good files that fewest answers, and values that both have, are other than in, and how many
// these are: nil where there is none.
func (f file) nearest(goods []file) (out file, least int) {
	for _, g := range goods {
		n := 0
		for _, s := range f {
			n += unlike(s, g.of(s.name()))
		}
		if out == nil || n < least || n == least && len(g) > len(out) {
			out, least = g, n
		}
	}
	return out, least
}

// manyUnlike is by how much answers are unlike of which one is not plain: more than by a few fields.
const manyUnlike = 10

// unlike is in how many values two answers differ.
func unlike(a, b stub) (n int) {
	if !a.isPlain() || !b.isPlain() {
		return manyUnlike
	}
	for _, p := range tree.Places(a.json()) {
		v, _ := tree.Get(a.json(), tree.Within(p))
		w, there := tree.Get(b.json(), tree.Within(p))
		if there && !kind.Of(v).Holds() && !tree.Same(v, w) {
			n++
		}
	}
	return n
}

// addition is what a file may have besides: a value of a field of one of its answers, or a stub.
type addition struct {
	stub  stub
	field []string // nil: the stub as a whole
	value any
	near  bool // it is what the nearest good file has there
}

// additions are the stubs that a good file has and this one has not, but for those of what is asked, which is answered
// that nothing is known; and in plain answers the fields that good answers have, the nearest file's first, or that are
// known otherwise.
func (f file) additions(
	good file, calls []search.Call, answers map[string][]any, fields []search.Field,
) (out []addition) {
	for _, s := range good {
		if f.of(s.name()) == nil && !slices.ContainsFunc(calls, s.isFor) {
			out = append(out, addition{stub: s})
		}
	}
	for _, s := range f {
		if !s.isPlain() {
			continue
		}
		json := s.json()
		add := func(one addition) {
			if _, there := tree.Get(json, one.field); there || !opens(json, one.field) {
				return
			}
			out = append(out, one)
			json = tree.Put(json, one.field, one.value)
		}
		known, nearest := slices.Clone(answers[s.name()]), -1
		if g := good.of(s.name()); g != nil && g.isPlain() {
			known, nearest = slices.Insert(known, 0, g.json()), 0
		}
		for i, o := range known {
			for _, p := range tree.Places(o) {
				v, _ := tree.Get(o, tree.Within(p))
				add(addition{s, tree.Within(p), v, i == nearest})
			}
		}
		for _, one := range fields {
			if v := valueOf(one); v != nil && s.name() == one.Endpoint.String() {
				add(addition{stub: s, field: tree.Within(one.Place), value: v})
			}
		}
	}
	return out
}

// isFor reports whether a stub is for a call.
func (s stub) isFor(c search.Call) bool {
	request, _ := s["request"].(map[string]any)
	target, _, _ := strings.Cut(c.Target, "?")
	if pattern, is := request["urlPathPattern"].(string); is {
		whole, err := regexp.Compile("^(?:" + pattern + ")$")
		return strings.HasPrefix(s.name(), c.Method+" "+c.Service+"/") && err == nil && whole.MatchString(target)
	}
	return s.name() == c.Method+" "+c.Service+target
}

// opens reports whether a field may be put where it belongs: an object is there. An empty list is a value as any other.
func opens(json any, at []string) bool {
	if len(at) == 0 {
		return false
	}
	in, there := tree.Get(json, at[:len(at)-1])
	return there && kind.Of(in) == kind.Object
}

// valueOf is a plain value of a field, by what is known of it, or its name; nil where others lie in it.
func valueOf(f search.Field) any {
	if len(f.Values) > 0 {
		return f.Values[0]
	}
	k := kind.Unknown
	if len(f.Kinds) > 0 {
		k = f.Kinds[0]
	} else if at := f.Place.Segments(); len(at) > 1 {
		k = kind.Usual(at[len(at)-1])
	}
	switch {
	case k.Holds(), k == kind.Null:
		return nil
	case k == kind.Unknown:
		k = kind.String
	}
	return typical.Filler(k)
}

// with is the file with additions.
func (f file) with(more []addition) file {
	out := slices.Clone(f)
	for _, a := range more {
		i := slices.IndexFunc(out, func(s stub) bool { return s.name() == a.stub.name() })
		if a.field == nil {
			out = append(out, a.stub)
			continue
		}
		response := maps.Clone(out[i].response())
		response["jsonBody"] = tree.Put(response["jsonBody"], a.field, a.value)
		out[i] = maps.Clone(out[i])
		out[i]["response"] = response
	}
	slices.SortStableFunc(out, func(a, b stub) int { return strings.Compare(a.name(), b.name()) })
	return out
}
