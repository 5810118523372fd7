package mutant

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// Kind is what a mutant does.
type Kind string

// faults lists what mutants can do, each kind in a file of its own.
func faults() []fault {
	return slices.Concat([]fault{change(), drop(), add(), retype(), status(), reorder(), truncate()},
		element(), []fault{empty(), transpose()}, off(), format(), []fault{relation(), stale(), resource()})
}

// fault is what mutants of one kind, done one way, do. Of its functions those are nil that it has no use for; breaks
// and tells are always there.
type fault struct {
	kind Kind
	way  string // which of the things that the kind can do; "" where it does one
	once bool   // of several values at one place of an answer the first is meant
	// what comes of it is an answer that a sound API could give at another time; what it does to volatile places with
	// otherToken is not
	plausible bool
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
	// again returns the answer that is given again in the place of another one; nil for none.
	again func(a answered) *exchange.Response
	// tells says what an assertion that fails of the mutant says, to follow "assert"; "" where none can be relied on,
	// as the place could hold that without a fault.
	tells func(m Mutant) string
}

// faultOf returns the fault of a kind, done one way; of one that is not known, a fault that does nothing.
func faultOf(k Kind, way string) fault {
	for _, f := range faults() {
		if f.kind == k && f.way == way {
			return f
		}
	}
	return fault{kind: k, breaks: nowhere, tells: func(Mutant) string { return "" }}
}

// inBody reports whether a mutant is of the body or a place within it.
func inBody(m Mutant) bool { return m.Place.Root() == "body" }

// Kinds returns all kinds.
func Kinds() []Kind {
	var out []Kind
	for _, f := range faults() {
		out = append(out, f.kind)
	}
	return slices.Compact(out) // the ways of a kind stand together
}

// Names are those of all kinds, with commas between.
func Names() string {
	var names []string
	for _, k := range Kinds() {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
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
	Way       string // which of the things that the kind can do; "" where it does one
	To        int    // the status that answers get, for Status
	Volatile  bool   // the place moves without any fault
	// the answer with it is one that a sound API could give at another time: what most bugs in handlers make
	Plausible bool
	// what the place was first seen to hold, as a raw JSON token; "" where that is long, secret or no scalar
	Held    string
	Varied  bool   // it was seen with other values
	Repeats string // for Relation: what it repeats, to follow "the value"
}

// String names a mutant: "change /body/price of GET /orders/{id} 200". No two of a survey have the same name.
func (m Mutant) String() string {
	if m.Kind == Status {
		return fmt.Sprintf("status %d to %d of %s", m.Status, m.To, m.Operation)
	}
	kind := string(m.Kind)
	if m.Way != "" {
		kind += " " + m.Way
	}
	return fmt.Sprintf("%s %s of %s %d", kind, m.Place, m.Operation, m.Status)
}

// Assertion says in words which assertion about the place would fail of the mutant, to follow "assert": "that it equals
// 12.5". It is "" where none can be relied on: the place moves by itself, and could hold that without a fault.
func (m Mutant) Assertion() string { return faultOf(m.Kind, m.Way).tells(m) }

// equality is the assertion that a place holds what it held.
func (m Mutant) equality() string {
	switch {
	case m.Held == "":
		return "what it holds"
	case m.Varied:
		return "its value in each answer (first: " + m.Held + ")"
	}
	return "that it equals " + m.Held
}

// unlessVolatile is an assertion that holds of places that stay as they are.
func (m Mutant) unlessVolatile(assertion string) string {
	if m.Volatile {
		return ""
	}
	return assertion
}
