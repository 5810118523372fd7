package report

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// syrupyHelpers is the module behind its table.
//
//go:embed syrupy_matchers.py
var syrupyHelpers string

// Syrupy writes a Python module of matchers for snapshots of syrupy: for each operation and status the arguments of a
// snapshot of the headers and of one of the body. What moves is in the snapshot by what holds of it; a value of which
// that does not hold is there as it is, so that the snapshot differs.
func Syrupy(w io.Writer, m *mapfile.Map, o FormOptions) error {
	out := bufio.NewWriter(w)
	fmt.Fprint(out, strings.TrimSuffix(syrupyHelpers, "}\n"))
	first := true
	for _, op := range m.Operations {
		if op.Status == 0 || !o.speaks(op) {
			continue
		}
		if first {
			fmt.Fprint(out, "\n")
		}
		first = false
		fmt.Fprintf(out, "    %s: {\n", pyString(op.Operation.String()+" "+status(op.Status)))
		syrupySnapshot(out, "headers", op, func(f *mapfile.Field) (string, bool) {
			name, ok := headerName(f.Place)
			return regexp.QuoteMeta(name), ok
		})
		syrupySnapshot(out, "body", op, func(f *mapfile.Field) (string, bool) {
			way, ok := wayTo(f.Place)
			return syrupyPath(way), ok && (len(way) == 0 && formOf(op) != unknownBody || inJSON(op, f.Place)) &&
				!belowVolatile(op, f.Place)
		})
		fmt.Fprint(out, "    },\n")
	}
	fmt.Fprint(out, "}\n")
	return out.Flush()
}

// syrupySnapshot writes the arguments of a snapshot of the places that path has an expression for.
func syrupySnapshot(out *bufio.Writer, what string, op *mapfile.Operation, path func(*mapfile.Field) (string, bool)) {
	var matchers []string
	paths := map[string][]string{} // by matcher
	var without []string
	for _, f := range op.Fields {
		at, ok := path(f)
		if !ok || !unsettled(f) && !mapfile.MovesByProtocol(f.Place) { // a length stands still until the body gets another
			continue
		}
		if (f.Holds.Optional || at == "") && f.Place != exchange.PlaceBody { // a member without a name has the path of the root
			without = append(without, pyString(at))
			continue
		}
		matcher := syrupyMatcher(f)
		if mapfile.MovesByProtocol(f.Place) {
			matcher = syrupyTyped(expectation{})
		}
		if paths[matcher] == nil {
			matchers = append(matchers, matcher)
		}
		paths[matcher] = append(paths[matcher], pyString(at))
	}
	fmt.Fprintf(out, "        %s: _snapshot(", pyString(what))
	for _, matcher := range matchers {
		fmt.Fprintf(out, "\n            %s,", strings.Replace(matcher, syrupyPaths, strings.Join(paths[matcher], ", "), 1))
	}
	if len(without) > 0 {
		fmt.Fprintf(out, "\n            without=[%s],", strings.Join(without, ", "))
	}
	if len(matchers)+len(without) > 0 {
		fmt.Fprint(out, "\n        ")
	}
	fmt.Fprint(out, "),\n")
}

// syrupyPath is the expression of the path of a place, as syrupy writes it: keys and indexes with dots between them.
func syrupyPath(way []segment) string {
	var out []string
	for _, s := range way {
		if s.each {
			out = append(out, "[^.]+")
		} else {
			out = append(out, regexp.QuoteMeta(s.key))
		}
	}
	return strings.Join(out, `\.`)
}

// syrupyPaths stands in a matcher for the paths that it is for. No text of Python that pyString writes holds it.
const syrupyPaths = "\x00"

// syrupyMatcher writes the matcher of a place.
func syrupyMatcher(f *mapfile.Field) string {
	e := expected(f)
	null := ""
	if e.nullable {
		null = ", null=True"
	}
	switch {
	case len(e.values) > 0:
		var all []string
		for _, v := range e.values {
			all = append(all, pyValue(v))
		}
		return fmt.Sprintf("_one_of([%s], [%s]%s)", strings.Join(all, ", "), syrupyPaths, null)
	case e.pattern != "" && e.only() == "string":
		return fmt.Sprintf("_matching(%s, [%s]%s)", pyString(e.pattern), syrupyPaths, null)
	case e.only() == "number" && (e.integer || e.min != "" || e.max != ""):
		word, bounds := "number", ""
		if e.integer {
			word, bounds = "integer", ", integer=True"
		}
		if e.min != "" {
			bounds += ", low=" + e.min
		}
		if e.max != "" {
			bounds += ", high=" + e.max
		}
		return fmt.Sprintf("_number(%s, [%s]%s%s)", pyString(word), syrupyPaths, bounds, null)
	}
	return syrupyTyped(e)
}

// syrupyTyped writes the matcher of a place of which the types are known, or nothing.
func syrupyTyped(e expectation) string {
	classes := map[string]string{"string": "str", "number": "int, float", "boolean": "bool", "array": "list", "object": "dict"}
	word, types := "any value", []string{"object"}
	if len(e.types) > 0 {
		types = nil
		for _, t := range e.types {
			types = append(types, classes[t])
		}
		word = strings.Join(e.types, " or ")
		if e.nullable {
			types, word = append(types, "type(None)"), word+" or null"
		}
	}
	types = slices.Compact(types)
	return fmt.Sprintf("_typed(%s, (%s,), %s)", pyString(word), strings.Join(types, ", "), syrupyPaths)
}

// pyValue writes a scalar of JSON as Python does.
func pyValue(raw json.RawMessage) string {
	if s, ok := textOf(raw); ok {
		return pyString(s)
	}
	switch s := string(raw); s {
	case "true":
		return "True"
	case "false":
		return "False"
	case "null":
		return "None"
	default:
		return s
	}
}
