package compare

import "github.com/flaketap/flaketap/exchange"

// The bounds on what is compared part by part.
const (
	MaxDepth       = 512    // levels of nesting; a deeper body is compared as text
	MaxPlace       = 4096   // bytes of a place; what is below a longer one is compared as one token
	MaxDifferences = 10_000 // of one pair of answers; then one of kind [More] stands for the rest
)

// Kind says how two answers differ at a place.
type Kind string

// The kinds of difference.
const (
	Changed   Kind = "changed"   // both have a value of the same type there, and the values differ
	Retyped   Kind = "retyped"   // the JSON types differ; null is a type of its own
	Added     Kind = "added"     // only the second answer has the place
	Removed   Kind = "removed"   // only the first answer has the place
	Reordered Kind = "reordered" // an array: the same elements in another order
	Resized   Kind = "resized"   // an array: another number of elements
	Notation  Kind = "notation"  // the same value, written otherwise: 1 and 1.0, "A" and "\u0041"
	More      Kind = "more"      // there are more differences at and below this place than are listed
)

// Difference is one difference between two answers.
//
// A fault in the place of a response is a value of /status: the token "fault:reset", and so on by its kind.
type Difference struct {
	Place   exchange.Place // where it stands in the first answer; in the second where only that has it
	General exchange.Place // the same with each array index as a wildcard
	Kind    Kind
	Before  string // the raw JSON token of the first answer; "" where it has none
	After   string // the raw JSON token of the second answer; "" where it has none
	Sizes   [2]int // the numbers of elements, for Reordered and Resized
}

// Responses lists what differs between two responses. A nil response is one that has nothing.
func Responses(a, b *exchange.Response) []Difference {
	return Read(a, nil).Differences(Read(b, nil))
}

// Walk calls visit with every place of a response and its raw JSON token: see [Answer.Walk].
func Walk(r *exchange.Response, visit func(place exchange.Place, raw string)) {
	Read(r, nil).Walk(visit)
}
