package report

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// jestHelpers are the matchers that Jest does not have itself.
//
//go:embed matchers.js
var jestHelpers string

// Jest writes a CommonJS module of property matchers for toMatchSnapshot and toMatchObject: for each operation and
// status one for the headers and one for the body, of the volatile places alone. An array of which elements move is one
// matcher, and so is a body that is a text, which toEqual takes. Volatile places that are not always there are listed
// as optional: the module's strip takes them out.
func Jest(w io.Writer, m *mapfile.Map, o FormOptions) error {
	out := bufio.NewWriter(w)
	fmt.Fprint(out, jestHelpers)
	fmt.Fprint(out, "\nconst matchers = {\n")
	for _, op := range m.Operations {
		if o.speaks(op) {
			jestOperation(out, op)
		}
	}
	fmt.Fprint(out, "};\n\nmodule.exports = { matchers, strip };\n")
	return out.Flush()
}

func jestOperation(out *bufio.Writer, op *mapfile.Operation) {
	fmt.Fprintf(out, "  %s: {\n", jsKey(op.Operation.String()+" "+status(op.Status)))
	if f := op.At(exchange.PlaceStatus); f != nil && unsettled(f) {
		fmt.Fprintf(out, "    status: %s,\n", jsMatcher(f))
	} else {
		fmt.Fprintf(out, "    status: %d,\n", op.Status)
	}
	fmt.Fprint(out, "    headers: {")
	n := 0
	for _, f := range op.Fields {
		name, ok := headerName(f.Place)
		if !ok || !unsettled(f) || f.Holds.Optional {
			continue
		}
		if n++; n == 1 {
			fmt.Fprint(out, "\n")
		}
		matcher := jsMatcher(f)
		if name == "set-cookie" {
			matcher = "anything" // the map has its lines as one text; clients of Node have them as an array
		}
		fmt.Fprintf(out, "      %s: %s,\n", jsKey(name), matcher)
	}
	if n > 0 {
		fmt.Fprint(out, "    ")
	}
	fmt.Fprint(out, "},\n")
	if body := jestBody(op); body != "" {
		fmt.Fprintf(out, "    body: %s,\n", body)
	}
	fmt.Fprint(out, "    optional: [")
	optional := func(f *mapfile.Field) bool { return unsettled(f) && f.Holds.Optional }
	n = 0
	for _, f := range op.Fields {
		way, ok := wayTo(f.Place)
		if !ok || len(way) == 0 || !optional(f) || !inJSON(op, f.Place) {
			continue
		}
		if n++; n > 1 {
			fmt.Fprint(out, ", ")
		}
		fmt.Fprint(out, jsWay(way))
	}
	fmt.Fprint(out, "],\n  },\n")
}

// jestBody writes the matcher of a body; "" where it is not known whether that is JSON or a text. Jest takes property
// matchers for objects alone: a text has one matcher, whether it moves or not.
func jestBody(op *mapfile.Operation) string {
	switch formOf(op) {
	case jsonBody:
		if tree := treeOf(op, func(f *mapfile.Field) bool { return unsettled(f) && !f.Holds.Optional }); tree != nil {
			return jsTree(tree, "    ", jsObject)
		}
		return "{}"
	case textBody:
		if f := op.At(exchange.PlaceBody); unsettled(f) {
			return jsMatcher(f)
		}
		return "expect.any(String)"
	}
	return ""
}

// jsWay writes the way to a place: null stands for every element.
func jsWay(way []segment) string {
	var out []string
	for _, s := range way {
		if s.each {
			out = append(out, "null")
		} else {
			out = append(out, quoteJSON(s.key))
		}
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// jsPlace is where a part of a body stands.
type jsPlace int

// The places: of what stands in no array, Jest itself has objects match by what is listed of them; within arrays the
// matcher says so.
const (
	jsObject jsPlace = iota
	jsElement
)

// jsTree writes the matcher of a part of a body.
func jsTree(b *branch, indent string, at jsPlace) string {
	switch {
	case b.field != nil:
		return jsMatcher(b.field)
	case b.each != nil && len(b.keys) > 0:
		return "anything" // an object whose keys are data
	case b.each != nil:
		return "each(" + jsTree(b.each, indent, jsElement) + ")"
	}
	var out strings.Builder
	out.WriteString("{\n")
	for _, key := range b.keys {
		fmt.Fprintf(&out, "%s  %s: %s,\n", indent, jsKey(key), jsTree(b.members[key], indent+"  ", at))
	}
	out.WriteString(indent + "}")
	if at == jsObject {
		return out.String()
	}
	return "expect.objectContaining(" + out.String() + ")"
}

// jsKey writes the key of a member. One name would set the prototype of the object.
func jsKey(s string) string {
	if s == "__proto__" {
		return `["__proto__"]`
	}
	return jsString(s)
}

// jsString writes a text as a string of JavaScript.
func jsString(s string) string { return quoteJSON(s) }

// jsMatcher writes the matcher of a place.
func jsMatcher(f *mapfile.Field) string {
	e := expected(f)
	var all []string
	if e.nullable {
		all = append(all, "null")
	}
	if len(e.values) > 0 {
		for _, v := range e.values {
			all = append(all, string(escapeUnseen(v)))
		}
		return "oneOf(" + strings.Join(all, ", ") + ")"
	}
	for _, t := range e.types {
		all = append(all, jsType(t, e))
	}
	switch {
	case len(e.types) == 0:
		return "anything"
	case len(all) == 1:
		return all[0]
	}
	return "oneOf(" + strings.Join(all, ", ") + ")"
}

// jsType writes the matcher of the values of one type.
func jsType(kind string, e expectation) string {
	switch kind {
	case "string":
		if e.pattern != "" && e.only() == "string" {
			return "expect.stringMatching(" + jsRegexp(e.pattern) + ")"
		}
		return "expect.any(String)"
	case "number":
		if e.only() == "number" && (e.min != "" || e.max != "" || e.integer) {
			return fmt.Sprintf("number({ %s })", strings.Join(jsBounds(e), ", "))
		}
		return "expect.any(Number)"
	case "boolean":
		return "expect.any(Boolean)"
	case "array":
		return "expect.any(Array)"
	}
	return "expect.any(Object)"
}

func jsBounds(e expectation) []string {
	var out []string
	for _, x := range []struct{ name, value string }{{"integer", map[bool]string{true: "true"}[e.integer]}, {"min", e.min},
		{"max", e.max}} {
		if x.value != "" {
			out = append(out, x.name+": "+x.value)
		}
	}
	return out
}

// jsRegexp writes an expression as a literal. One beyond ASCII counts characters, not their halves.
func jsRegexp(pattern string) string {
	s := slashed(pattern)
	if strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) {
		s += "u"
	}
	return s
}
