package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
)

// What the forms for other tools share: the way to a place within a JSON body, the tree of an operation's places, and
// what holds of one of them in terms that tools have.

// segment is one step of the way to a place within a JSON body.
type segment struct {
	key  string
	each bool // every element, or every member
}

// wayTo returns the steps from the root of the body to a place, none for the body itself; ok is false where it is in no
// body.
func wayTo(place exchange.Place) (way []segment, ok bool) {
	rest, within := strings.CutPrefix(string(place), string(exchange.PlaceBody))
	if !within || rest != "" && rest[0] != '/' {
		return nil, false
	}
	for rest != "" {
		raw, more, _ := strings.Cut(rest[1:], "/")
		if more != "" || strings.HasSuffix(rest[1:], "/") {
			more = "/" + more
		}
		if raw == exchange.Wildcard {
			way = append(way, segment{each: true})
		} else {
			way = append(way, segment{key: exchange.Place("/" + raw).Segments()[0]})
		}
		rest = more
	}
	return way, true
}

// headerName returns the header that a place is.
func headerName(place exchange.Place) (string, bool) {
	s := place.Segments()
	if len(s) != 2 || place.Root() != "header" {
		return "", false
	}
	return s[1], true
}

// inJSON reports whether a place is one of a JSON document, and not within a text of it that was taken apart.
func inJSON(op *mapfile.Operation, place exchange.Place) bool {
	if place == exchange.PlaceBody {
		return formOf(op) == jsonBody
	}
	_, _, part := place.Text()
	return !part
}

// bodyForm is what the bodies of an operation are to a tool.
type bodyForm int

const (
	unknownBody bodyForm = iota // a string whose media type is not known, bytes, or nothing at all
	jsonBody
	textBody
)

// formOf tells what the bodies of an operation are. A JSON document has members, or is a value that texts are not; a
// string may be either, so that the media type decides.
func formOf(op *mapfile.Operation) bodyForm {
	text := false
	for _, f := range op.Fields {
		if _, _, part := f.Place.Text(); part {
			continue
		}
		switch {
		case strings.HasPrefix(string(f.Place), string(exchange.PlaceBody)+"/"):
			return jsonBody
		case f.Place != exchange.PlaceBody:
		case f.Holds.Type == "string":
			text = f.Holds.Format != "binary"
		case f.Holds.Type != "":
			return jsonBody
		}
	}
	switch kind := mediaType(op); {
	case !text || kind == "":
		return unknownBody
	case kind == "application/json", kind == "text/json", strings.HasSuffix(kind, "+json") &&
		kind != "application/stream+json":
		return jsonBody
	}
	return textBody
}

// mediaType returns the media type of an operation's answers, in lower case without its parameters; "" where it is not
// known, or not always the same.
func mediaType(op *mapfile.Operation) string {
	header := exchange.HeaderPlace("content-type")
	for _, place := range []exchange.Place{header, header.Part(exchange.PartMedia).Key("type")} {
		f := op.At(place)
		if f == nil || f.Holds.Optional {
			continue
		}
		if s, ok := textOf(f.Holds.Equal); ok {
			kind, _, _ := strings.Cut(s, ";")
			return strings.ToLower(strings.TrimSpace(kind))
		}
	}
	return ""
}

// unsettled reports whether the value of a place is not to be taken for given: it moves, or the user ignores it.
func unsettled(f *mapfile.Field) bool { return f.Volatile() || f.Ignored() }

// branch is a part of a JSON body with what is said of it.
type branch struct {
	field   *mapfile.Field // nil where nothing is said of it
	keys    []string       // of members, sorted
	members map[string]*branch
	each    *branch // what is said of every element
}

// treeOf gathers the places of an operation's JSON body that pass a filter; nil where none does. Nothing is below a
// place that moves: there is nothing to rely on.
func treeOf(op *mapfile.Operation, wanted func(*mapfile.Field) bool) *branch {
	var root *branch
	for _, f := range op.Fields {
		way, ok := wayTo(f.Place)
		if !ok || !wanted(f) || !inJSON(op, f.Place) || belowVolatile(op, f.Place) {
			continue
		}
		if root == nil {
			root = &branch{}
		}
		root.grow(way).field = f
	}
	return root
}

// grow returns the branch at the end of the way.
func (b *branch) grow(way []segment) *branch {
	for _, s := range way {
		switch {
		case s.each:
			if b.each == nil {
				b.each = &branch{}
			}
			b = b.each
		default:
			if b.members == nil {
				b.members = map[string]*branch{}
			}
			if b.members[s.key] == nil {
				b.members[s.key] = &branch{}
				i, _ := slices.BinarySearch(b.keys, s.key)
				b.keys = slices.Insert(b.keys, i, s.key)
			}
			b = b.members[s.key]
		}
	}
	return b
}

// expectation is what holds of a value, in terms that most tools have.
type expectation struct {
	types    []string // JSON types without null; none where any is
	nullable bool
	values   []json.RawMessage // the value is one of these; nil where it is not known
	pattern  string            // anchored; of strings
	min, max string            // of numbers
	integer  bool
	length   [2]*int // of arrays and strings
}

// expected returns what holds of a field's values wherever they are there. Nothing does of what the user ignores.
func expected(f *mapfile.Field) expectation {
	h := f.Holds
	if f.Apart() {
		return expectation{}
	}
	e := expectation{min: h.Min.String(), max: h.Max.String(), length: [2]*int{h.MinLength, h.MaxLength}}
	for _, t := range strings.Split(h.Type, "|") {
		switch t {
		case "":
		case "null":
			e.nullable = true
		case "integer":
			e.integer = true
			e.types = append(e.types, "number")
		default:
			e.integer = false
			e.types = append(e.types, t)
		}
	}
	e.types = slices.Compact(e.types)
	switch {
	case len(h.Equal) > 0 && scalar(h.Equal):
		e.values = []json.RawMessage{h.Equal}
	case len(h.OneOf) > 0 && !slices.ContainsFunc(h.OneOf, func(v json.RawMessage) bool { return !scalar(v) }):
		e.values = h.OneOf
	}
	switch format := notation.FormatPattern(h.Format); {
	case h.Pattern != "":
		e.pattern = h.Pattern
	case format != "":
		e.pattern = "^(?:" + format + ")$"
	}
	if _, err := regexp.Compile(e.pattern); err != nil {
		e.pattern = ""
	}
	return e
}

// only returns the one type that values which are not null have; "" where there are several, or any may come.
func (e expectation) only() string {
	if len(e.types) == 1 {
		return e.types[0]
	}
	return ""
}

// scalar reports whether a token is a whole JSON value that is no container.
func scalar(raw json.RawMessage) bool {
	return len(raw) > 0 && raw[0] != '{' && raw[0] != '[' && json.Valid(raw)
}

// textOf returns the string that a token is.
func textOf(raw json.RawMessage) (string, bool) {
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil && raw[0] == '"'
}

// anyOf returns the anchored expression that matches those of the values that are strings; "" where one is not.
func anyOf(values []json.RawMessage) string {
	var out []string
	for _, v := range values {
		s, ok := textOf(v)
		if !ok {
			return ""
		}
		out = append(out, regexp.QuoteMeta(s))
	}
	return "^(?:" + strings.Join(out, "|") + ")$"
}

// slashed returns an expression as a literal between slashes, as JavaScript and Hurl write it: on one line, and
// without a slash that would end it.
func slashed(pattern string) string {
	var b strings.Builder
	b.WriteByte('/')
	escaped := false
	for _, r := range pattern {
		switch {
		case r == '/' && !escaped:
			b.WriteString(`\/`)
		case r == '\n' || r == '\r' || r == '\t' || r < 0x20 || r == 0x7f || r == 0x2028 || r == 0x2029:
			if escaped { // an escaped control is that control
				cut := strings.TrimSuffix(b.String(), `\`)
				b.Reset()
				b.WriteString(cut)
			}
			if r < 0x100 {
				fmt.Fprintf(&b, `\x%02x`, r)
			} else {
				b.WriteRune(' ') // no expression of ours has one: it would end the line in JavaScript
			}
		default:
			b.WriteRune(r)
		}
		escaped = r == '\\' && !escaped
	}
	b.WriteByte('/')
	return b.String()
}

// quoteJSON returns a text as a JSON string, in which what would not be seen is an escape. It is one of JavaScript too.
func quoteJSON(s string) string {
	doc, err := plainJSON(strings.ToValidUTF8(s, "\ufffd"), "")
	if err != nil {
		return `""`
	}
	return string(bytes.TrimSuffix(doc, []byte("\n")))
}

// plainComment makes a text fit for a comment of one line.
func plainComment(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, show(s, maxText))
}

// jsonPath returns the path of a place as RFC 9535 writes a normalized path, with [*] for every element.
func jsonPath(way []segment) string {
	var b strings.Builder
	b.WriteByte('$')
	for _, s := range way {
		if s.each {
			b.WriteString("[*]")
			continue
		}
		b.WriteString("['")
		for _, r := range s.key {
			switch {
			case r == '\'' || r == '\\':
				b.WriteString(`\` + string(r))
			case r == '\b':
				b.WriteString(`\b`)
			case r == '\f':
				b.WriteString(`\f`)
			case r == '\n':
				b.WriteString(`\n`)
			case r == '\r':
				b.WriteString(`\r`)
			case r == '\t':
				b.WriteString(`\t`)
			case r < 0x20:
				fmt.Fprintf(&b, `\u%04x`, r)
			default:
				b.WriteRune(r)
			}
		}
		b.WriteString("']")
	}
	return b.String()
}

// methodLike reports whether a method is one that tools know how to send.
func methodLike(method string) bool {
	return method != "" && strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}
