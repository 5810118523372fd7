package mutant

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// Kind is what a mutant does.
type Kind string

// faults lists what mutants can do, each in a file of its own.
func faults() []fault {
	return []fault{change(), drop(), add(), retype(), status(), reorder(), truncate()}
}

// fault is what mutants of one kind do. Of its functions those are nil that it has no use for.
type fault struct {
	kind Kind
	// breaks reports whether there is a mutant of a place that would be wrong there, by what the place held and what is
	// known of it. The place is that of a header, of the body or within it.
	breaks func(m Mutant, v *seen, known Judgement) bool
	// token returns what stands in the place of a raw JSON token, and whether that is another one.
	token func(m Mutant, raw []byte) ([]byte, bool)
	// member returns what stands in the place of the raw JSON object or array that has a member or element of that
	// name. It comes before token.
	member func(container []byte, name string) ([]byte, bool)
	// text returns what stands in the place of a body that is no JSON.
	text func(m Mutant, body []byte) ([]byte, bool)
	// body returns what stands in the place of a whole body, whatever it is.
	body func(body []byte) []byte
	// field returns what stands in the place of a line of a head, with its line feed, and whether that is another one.
	field func(m Mutant, line []byte) ([]byte, bool)
}

// faultOf returns the fault of a kind; of one that is not known, a fault that does nothing.
func faultOf(k Kind) fault {
	for _, f := range faults() {
		if f.kind == k {
			return f
		}
	}
	return fault{kind: k}
}

// inBody reports whether a mutant is of the body or a place within it.
func inBody(m Mutant) bool { return m.Place.Root() == "body" }

// Kinds returns all kinds.
func Kinds() []Kind {
	var out []Kind
	for _, f := range faults() {
		out = append(out, f.kind)
	}
	return out
}

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
			return nil, fmt.Errorf("unknown kind of fault %.40q: want all, or a list of %s", name, joined(Kinds()))
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
