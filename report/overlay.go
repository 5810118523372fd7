package report

import (
	"io"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// The JSON of an Overlay (https://spec.openapis.org/overlay/v1.0.0.html), as far as it is written.
type (
	overlayDocument struct {
		Overlay string           `json:"overlay"`
		Info    overlayInfo      `json:"info"`
		Actions []*overlayAction `json:"actions"`
	}
	overlayInfo struct {
		Title   string `json:"title"`
		Version string `json:"version"`
	}
	overlayAction struct {
		Target string        `json:"target"`
		Update overlayUpdate `json:"update"`
	}
	overlayUpdate struct {
		Mark any `json:"x-flaketap"` // *overlayMark, overlayPlaces or overlaySummary
	}
	// overlayMark is what is said of a value.
	overlayMark struct {
		Judgement  mapfile.Judgement `json:"judgement"`
		Category   mapfile.Category  `json:"category,omitempty"`
		Ignored    bool              `json:"ignored,omitempty"` // the user's rule says so
		Holds      *mapfile.Holds    `json:"holds,omitempty"`
		Operations []string          `json:"operations"` // of which it is said
	}
	// overlayPlaces are the places of an answer that the description has nothing of.
	overlayPlaces struct {
		Places map[exchange.Place]*overlayMark `json:"places"`
	}
	overlaySummary struct {
		Runs        int      `json:"runs"`
		Volatile    int      `json:"volatile"`
		Undescribed []string `json:"undescribed,omitempty"` // operations
	}
)

// Overlay writes an Overlay (version 1.0.0) whose actions mark the volatile places in the description of the API: the
// schema of a value or the header, and the response where there is no such thing. With [FormOptions].Description the
// targets follow its references; without one they are those of a description without any. What several operations
// share is marked once, with what is true of all of them.
func Overlay(w io.Writer, m *mapfile.Map, o FormOptions) error {
	x := overlayer{root: o.Description, at: map[string]*overlayAction{}}
	summary := overlaySummary{Runs: len(m.Runs), Volatile: m.Summary.Volatile()}
	for _, op := range m.Operations {
		if op.Status == 0 || !o.speaks(op) {
			continue
		}
		name := op.Operation.String() + " " + status(op.Status)
		operation, ok := x.operation(op)
		if !ok {
			summary.Undescribed = append(summary.Undescribed, name)
			continue
		}
		for _, f := range op.Fields {
			if _, _, part := f.Place.Text(); part || f.Protocol || !o.All && !unsettled(f) {
				continue
			}
			x.place(operation, op, f, name)
		}
	}
	first := &overlayAction{Target: "$['info']", Update: overlayUpdate{summary}}
	return JSON(w, overlayDocument{Overlay: "1.0.0", Info: overlayInfo{"Volatile places", "1.0.0"},
		Actions: append([]*overlayAction{first}, x.actions...)})
}

// overlayer gathers the actions of an Overlay.
type overlayer struct {
	root    map[string]any // the description; nil where there is none
	actions []*overlayAction
	at      map[string]*overlayAction // by target
}

// place marks a place of an operation.
func (x *overlayer) place(operation spot, op *mapfile.Operation, f *mapfile.Field, name string) {
	mark := &overlayMark{Judgement: f.Judgement, Category: f.Category, Ignored: f.Ignored(), Operations: []string{name}}
	if !f.Apart() {
		mark.Holds = &f.Holds
	}
	answer, described := x.response(operation, op.Status)
	if !described {
		x.within(operation, f.Place, mark)
		return
	}
	targets := x.targets(answer, op, f)
	if len(targets) == 0 {
		x.within(answer, f.Place, mark)
	}
	for _, t := range targets {
		own := *mark
		x.on(t, &own)
	}
}

// on marks the schema or header at a spot.
func (x *overlayer) on(s spot, mark *overlayMark) {
	if a := x.at[s.path]; a != nil {
		if there, ok := a.Update.Mark.(*overlayMark); ok {
			there.add(mark)
		}
		return
	}
	x.act(s, mark)
}

// within marks a place that has nothing of its own in the description at what it belongs to.
func (x *overlayer) within(s spot, place exchange.Place, mark *overlayMark) {
	if x.at[s.path] == nil {
		x.act(s, overlayPlaces{map[exchange.Place]*overlayMark{}})
	}
	places, ok := x.at[s.path].Update.Mark.(overlayPlaces)
	switch {
	case !ok: // the description refers to a response where a schema belongs
	case places.Places[place] == nil:
		places.Places[place] = mark
	default:
		places.Places[place].add(mark)
	}
}

func (x *overlayer) act(s spot, mark any) {
	a := &overlayAction{Target: s.path, Update: overlayUpdate{mark}}
	x.at[s.path] = a
	x.actions = append(x.actions, a)
}

// add adds what is said of the same thing in another operation: what both say stays, and the stronger judgement.
func (m *overlayMark) add(other *overlayMark) {
	strongest := mapfile.Judgements()
	if slices.Index(strongest, other.Judgement) < slices.Index(strongest, m.Judgement) {
		m.Judgement, m.Category = other.Judgement, other.Category
	}
	if !reflect.DeepEqual(m.Holds, other.Holds) {
		m.Holds = nil
	}
	m.Ignored = m.Ignored && other.Ignored
	for _, name := range other.Operations {
		if !slices.Contains(m.Operations, name) {
			m.Operations = append(m.Operations, name)
		}
	}
}

// operation finds an operation in the description.
func (x *overlayer) operation(op *mapfile.Operation) (spot, bool) {
	paths, ok := x.start().member(x.root, "paths")
	if !ok {
		return spot{}, false
	}
	template := op.Template
	if x.root != nil {
		template = describedPath(paths.node, template)
	}
	item, ok := paths.member(x.root, template)
	if !ok {
		return spot{}, false
	}
	return item.member(x.root, strings.ToLower(op.Method))
}

// describedPath returns the path of a description that a template is: the same one, one whose parameters have other
// names, or the longest that stands behind the path of a server.
func describedPath(paths map[string]any, template string) string {
	if _, there := paths[template]; there {
		return template
	}
	bare := func(s string) string { return parameter.ReplaceAllString(s, "{}") }
	best := ""
	for _, p := range slices.Sorted(maps.Keys(paths)) {
		if strings.HasPrefix(p, "/") && strings.HasSuffix(bare(template), bare(p)) && len(p) > len(best) {
			best = p
		}
	}
	return best
}

// response finds what describes an answer: its status, the range of it, or the default.
func (x *overlayer) response(operation spot, code int) (spot, bool) {
	responses, ok := operation.member(x.root, "responses")
	if !ok {
		return spot{}, false
	}
	for _, name := range []string{status(code), strconv.Itoa(code/100) + "XX", "default"} {
		if answer, ok := responses.member(x.root, name); ok {
			return answer, true
		}
	}
	return spot{}, false
}

// targets finds what describes a place of an answer; nothing where only the answer as a whole does.
func (x *overlayer) targets(answer spot, op *mapfile.Operation, f *mapfile.Field) []spot {
	if name, ok := headerName(f.Place); ok {
		if header, ok := x.header(answer, name); ok {
			return []spot{header}
		}
		return nil
	}
	way, ok := wayTo(f.Place)
	if !ok || len(way) > 0 && formOf(op) != jsonBody {
		return nil
	}
	schemas := x.schemas(answer, mediaType(op))
	parent := exchange.PlaceBody
	for _, step := range way {
		var next []spot
		for _, s := range schemas {
			next = append(next, x.below(s, step, op.At(parent))...)
		}
		schemas = next[:min(len(next), maxSpots)]
		if step.each {
			parent = parent.Each()
		} else {
			parent = parent.Key(step.key)
		}
	}
	return schemas
}

// header finds a header of a response, whose names have no case.
func (x *overlayer) header(answer spot, name string) (spot, bool) {
	headers, ok := answer.member(x.root, "headers")
	if !ok {
		return spot{}, false
	}
	for _, there := range slices.Sorted(maps.Keys(headers.node)) {
		if strings.EqualFold(there, name) {
			name = there
			break
		}
	}
	return headers.member(x.root, name)
}

// schemas finds the schemas of a body: that of the media type, or where it is not known, or described by a range, all.
func (x *overlayer) schemas(answer spot, media string) []spot {
	content, ok := answer.member(x.root, "content")
	if x.root != nil && !ok {
		if s, found := answer.member(x.root, "schema"); found { // as Swagger 2 has it
			return []spot{s}
		}
		return nil
	}
	if x.root == nil {
		if media == "" {
			content.path += "[*]"
		} else {
			content, _ = content.member(nil, media)
		}
		s, _ := content.member(nil, "schema")
		return []spot{s}
	}
	kinds := slices.Sorted(maps.Keys(content.node))
	same := func(kind string) bool {
		kind, _, _ = strings.Cut(kind, ";")
		return strings.EqualFold(strings.TrimSpace(kind), media)
	}
	var out []spot
	for _, kind := range kinds {
		if media != "" && slices.ContainsFunc(kinds, same) && !same(kind) {
			continue
		}
		if of, ok := content.member(x.root, kind); ok {
			if s, ok := of.member(x.root, "schema"); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

// maxSpots bounds what one place may be in a description, and the schemas that one is put together of.
const maxSpots = 64

// below finds the schemas of a part of what a schema describes. Without a description the map says whether what it is a
// part of is an object with keys that are data, or an array.
func (x *overlayer) below(s spot, step segment, whole *mapfile.Field) []spot {
	if x.root == nil {
		name := "items"
		if whole != nil && whole.Holds.Type == "object" {
			name = "additionalProperties"
		}
		if !step.each {
			s, _ = s.member(nil, "properties")
			name = step.key
		}
		s, _ = s.member(nil, name)
		return []spot{s}
	}
	var named, other []spot
	for _, part := range x.parts(s) {
		if properties, ok := part.member(x.root, "properties"); ok && !step.each {
			if p, ok := properties.member(x.root, step.key); ok {
				named = append(named, p)
			}
		}
		if more, ok := part.member(x.root, "additionalProperties"); ok {
			other = append(other, more)
		}
		if items, ok := part.member(x.root, "items"); ok && step.each {
			other = append(other, items)
		}
	}
	if len(named) > 0 {
		return named
	}
	return other
}

// parts are a schema and those that it is put together of.
func (x *overlayer) parts(s spot) []spot {
	out := []spot{s}
	for i := 0; i < len(out); i++ {
		for _, key := range []string{"allOf", "oneOf", "anyOf"} {
			list, _ := out[i].node[key].([]any)
			for n, value := range list {
				next, ok := spot{path: out[i].path + pathTo(key) + "[" + strconv.Itoa(n) + "]"}.to(x.root, value)
				known := slices.ContainsFunc(out, func(s spot) bool { return s.path == next.path })
				if ok && !known && len(out) < maxSpots {
					out = append(out, next)
				}
			}
		}
	}
	return out
}

// spot is a thing in a description with the JSONPath of it.
type spot struct {
	path string
	node map[string]any // nil where there is no description
}

// pathTo is the step of a JSONPath to a member.
func pathTo(name string) string { return jsonPath([]segment{{key: name}})[1:] }

// start is the description as a whole.
func (x *overlayer) start() spot { return spot{"$", x.root} }

// member returns a member of what is at the spot, or what that refers to. Without a description each is there.
func (s spot) member(root map[string]any, name string) (spot, bool) {
	next := spot{path: s.path + pathTo(name)}
	if root == nil {
		return next, true
	}
	value, there := s.node[name]
	if !there {
		return spot{}, false
	}
	return next.to(root, value)
}

// to puts a value at the spot, or goes on to what it refers to within the description; ok is false where the value is
// nothing that can be marked.
func (s spot) to(root map[string]any, value any) (_ spot, ok bool) {
	for range maxSpots {
		node, isObject := value.(map[string]any)
		if !isObject {
			return spot{}, false
		}
		ref, refers := node["$ref"].(string)
		if !refers {
			s.node = node
			return s, true
		}
		pointer, within := strings.CutPrefix(ref, "#/")
		if !within {
			return spot{}, false // of another file: no target of this document
		}
		s.path, value = "$", any(root)
		for name := range strings.SplitSeq(pointer, "/") {
			if plain, err := url.PathUnescape(name); err == nil {
				name = plain
			}
			name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
			s.path += pathTo(name)
			node, _ := value.(map[string]any)
			value = node[name]
		}
	}
	return spot{}, false // it refers to itself
}
