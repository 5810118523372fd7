package report

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// schemathesisHooks is the module behind its tables.
//
//go:embed schemathesis_hooks.py
var schemathesisHooks string

// Schemathesis writes a module of hooks: a check that sends each GET a second time and compares the answers but for
// what is volatile, and the functions that leave that out, for checks of the user's own. Templates are matched with the
// path of the request, so that parameters may have other names in the schema.
func Schemathesis(w io.Writer, m *mapfile.Map, o FormOptions) error {
	out := bufio.NewWriter(w)
	head, rest, _ := strings.Cut(schemathesisHooks, "VOLATILE = []\n")
	head, own, _ := strings.Cut(head, "PROTOCOL = set()\n")
	fmt.Fprintf(out, "%sPROTOCOL = {%s}\n%sVOLATILE = [\n", head, protocolHeaders(m), own)
	for _, op := range m.Operations {
		if op.Status != 0 && o.speaks(op) {
			schemathesisOperation(out, op)
		}
	}
	fmt.Fprint(out, "]\n"+rest)
	return out.Flush()
}

// protocolHeaders lists the headers that HTTP itself moves, in whatever operation.
func protocolHeaders(m *mapfile.Map) string {
	names := map[string]bool{`"date"`: true} // where the map knows of no answer at all
	for _, op := range m.Operations {
		for _, f := range op.Fields {
			if name, ok := headerName(f.Place); ok && f.Protocol {
				names[pyString(name)] = true
			}
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}

// schemathesisOperation writes the line of a table for an operation: method, expression of the path, status, whether
// the status moves, headers, places of the body.
func schemathesisOperation(out *bufio.Writer, op *mapfile.Operation) {
	moves, headers, places := "False", "", ""
	for _, f := range op.Fields {
		if !unsettled(f) || f.Protocol {
			continue
		}
		if f.Place == exchange.PlaceStatus {
			moves = "True"
		} else if name, ok := headerName(f.Place); ok {
			headers += pyString(name) + ", "
		} else if way, ok := wayTo(f.Place); ok && (len(way) == 0 || inJSON(op, f.Place)) {
			places += "\n            " + pyWay(way) + ","
		}
	}
	if places != "" {
		places += "\n        "
	}
	fmt.Fprintf(out, "    (\n        %s,\n        %s,\n        %d,\n        %s,\n        [%s],\n        [%s],\n    ),\n",
		pyString(op.Method), pyString(templatePattern(op.Template)), op.Status, moves,
		strings.TrimSuffix(headers, ", "), places)
}

// pyWay writes the way to a place as a tuple: EACH stands for every element.
func pyWay(way []segment) string {
	var out []string
	for _, s := range way {
		if s.each {
			out = append(out, "EACH")
		} else {
			out = append(out, pyString(s.key))
		}
	}
	if len(out) == 1 {
		return "(" + out[0] + ",)"
	}
	return "(" + strings.Join(out, ", ") + ")"
}

// pyString writes a text as a string of Python.
func pyString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range strings.ToValidUTF8(s, "\ufffd") {
		piece, _ := visible(string(r))
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r > 0xffff && piece != string(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			b.WriteString(piece)
		}
	}
	b.WriteByte('"')
	return b.String()
}
