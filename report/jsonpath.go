package report

import (
	"bufio"
	"fmt"
	"io"

	"github.com/flaketap/flaketap/volatility/mapfile"
)

// JSONPath writes the JSONPath (RFC 9535) of each volatile place within a JSON body on a line of its own, behind its
// operation and a tab. A status or a header has none.
func JSONPath(w io.Writer, m *mapfile.Map, o FormOptions) error {
	out := bufio.NewWriter(w)
	for _, op := range m.Operations {
		for _, f := range op.Fields {
			way, ok := wayTo(f.Place)
			if !ok || !o.All && !unsettled(f) || !inJSON(op, f.Place) {
				continue
			}
			fmt.Fprintf(out, "%s %s\t%s\n", show(op.Operation.String(), maxOperation), status(op.Status), visiblePath(way))
		}
	}
	return out.Flush()
}

// maxOperation is how much of an operation's name the forms for other tools keep.
const maxOperation = 4096

// visiblePath is jsonPath with what a terminal may obey or not show as escapes, which mean the same.
func visiblePath(way []segment) string { return string(escapeUnseen([]byte(jsonPath(way)))) }
