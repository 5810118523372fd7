package cmdline

import (
	"fmt"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Gate is what --fail-on takes of a map: what a command fails for. The empty Gate lets everything pass.
type Gate string

// The gates.
const (
	GateAny Gate = "any" // a volatile place
	GateNew Gate = "new" // one that was not volatile in the earlier map
)

// ReadGate reads --fail-on.
func ReadGate(text string) (Gate, error) {
	switch g := Gate(text); g {
	case "", GateAny, GateNew:
		return g, nil
	default:
		return "", console.Usage(fmt.Errorf("unknown --fail-on %q: want one of new, any", g))
	}
}

// Trips reports whether the map, or what began to move since the earlier one, has what the gate names.
func (g Gate) Trips(m *mapfile.Map, began []mapfile.Change) bool {
	return g == GateAny && m.Summary.Volatile() > 0 || g == GateNew && len(began) > 0
}
