package mutant

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// Kind is what a mutant does.
type Kind string

// The kinds of mutants.
const (
	// Change gives a stable value another of its type: the next digit or letter, the other boolean. A volatile text becomes
	// "~", which is of no format, a volatile number one of the other sign and a thousand times as far from 0.
	Change Kind = "change"
	// Drop takes a member out of its object, the last element out of an array, or a header out of the head.
	Drop Kind = "drop"
	// Add gives an object a further member, or an array its last element once more.
	Add Kind = "add"
	// Retype writes a number or a boolean as a string, a string and null as a number, an array as an object and the
	// other way round.
	Retype Kind = "retype"
	// Status gives the answer another status, which the operation was not seen to answer with.
	Status Kind = "status"
	// Reorder turns the order of an array round.
	Reorder Kind = "reorder"
	// Truncate cuts off the second half of the body, of a string or of an array.
	Truncate Kind = "truncate"
)

// Kinds returns all kinds.
func Kinds() []Kind { return []Kind{Change, Drop, Add, Retype, Status, Reorder, Truncate} }

// ParseKinds reads the names of kinds; "all" names all of them.
func ParseKinds(names []string) ([]Kind, error) {
	var out []Kind
	for _, name := range names {
		switch k := Kind(strings.TrimSpace(name)); {
		case k == "all":
			out = append(out, Kinds()...)
		case slices.Contains(Kinds(), k):
			out = append(out, k)
		default:
			return nil, fmt.Errorf("%.40q is no kind of mutant: they are all, %s", name, joined(Kinds()))
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func joined(kinds []Kind) string {
	var names []string
	for _, k := range kinds {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

// Mutant is one fault: what is done at one place to every answer of an operation that has the recorded status.
type Mutant struct {
	Operation exchange.Operation
	Status    int            // of the answers that are changed
	Place     exchange.Place // array indexes are wildcards: every element is changed
	Kind      Kind
	To        int  // the status that answers get, for Status
	Volatile  bool // the place moves without any fault
}

// String names a mutant: "change /body/price of GET /orders/{id} 200". No two of a survey have the same name.
func (m Mutant) String() string {
	if m.Kind == Status {
		return fmt.Sprintf("status %d to %d of %s", m.Status, m.To, m.Operation)
	}
	return fmt.Sprintf("%s %s of %s %d", m.Kind, m.Place, m.Operation, m.Status)
}
