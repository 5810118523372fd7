package report

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Keploy writes the noise section of a keploy.yml: what is volatile anywhere, as names of headers and as dotted ways
// within bodies, without the positions in arrays. Keploy knows no noise of one operation alone, so each name is for
// all; the comment beside it says which operations it comes from. A name with expressions is noise only where the value
// matches one of them, one without always.
func Keploy(w io.Writer, m *mapfile.Map, _ FormOptions) error {
	body, header := map[string]*noise{}, map[string]*noise{}
	for _, op := range m.Operations {
		for _, f := range op.Fields {
			if !unsettled(f) {
				continue
			}
			if name, ok := headerName(f.Place); ok {
				note(header, name, op, f)
				continue
			}
			way, ok := wayTo(f.Place)
			if name := dotted(way); ok && name != "" && inJSON(op, f.Place) {
				note(body, name, op, f)
			}
		}
	}
	out := bufio.NewWriter(w)
	fmt.Fprint(out, "# Volatile places, for keploy.yml: merge with its section \"test\".\ntest:\n  globalNoise:\n    global:\n")
	section := func(name string, all map[string]*noise) {
		if len(all) == 0 {
			fmt.Fprintf(out, "      %s: {}\n", name)
			return
		}
		fmt.Fprintf(out, "      %s:\n", name)
		for _, key := range slices.Sorted(maps.Keys(all)) {
			fmt.Fprintf(out, "        # %s\n        %s: %s\n", plainComment(all[key].from()), yamlString(key),
				all[key].patterns())
		}
	}
	section("body", body)
	section("header", header)
	fmt.Fprint(out, "    test-sets: {}\n")
	return out.Flush()
}

// noise is a name that a tool is to pass over wherever it is.
type noise struct {
	always      bool
	expressions []string // sorted, without duplicates
	operations  []string
}

// note adds what a field says to a name.
func note(all map[string]*noise, name string, op *mapfile.Operation, f *mapfile.Field) {
	n := all[name]
	if n == nil {
		n = &noise{}
		all[name] = n
	}
	if s := op.Operation.String(); !slices.Contains(n.operations, s) {
		n.operations = append(n.operations, s)
	}
	e := expected(f)
	if e.pattern == "" || e.only() != "string" || e.nullable {
		n.always = true
		return
	}
	if i, found := slices.BinarySearch(n.expressions, e.pattern); !found {
		n.expressions = slices.Insert(n.expressions, i, e.pattern)
	}
}

// from names the operations that a name comes from, the first of them.
func (n *noise) from() string {
	const shown = 3
	s := strings.Join(n.operations[:min(shown, len(n.operations))], ", ")
	if more := len(n.operations) - shown; more > 0 {
		s += fmt.Sprintf(", and %d more", more)
	}
	return s
}

// patterns writes the expressions as a list in one line.
func (n *noise) patterns() string {
	if n.always {
		return "[]"
	}
	var out []string
	for _, e := range n.expressions {
		out = append(out, yamlString(e))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// dotted returns the names of members on the way, with dots between them.
func dotted(way []segment) string {
	var keys []string
	for _, s := range way {
		if !s.each {
			keys = append(keys, s.key)
		}
	}
	return strings.Join(keys, ".")
}
