package script

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
)

// SetUpRequest is a request that flaketap writes into a test.
type SetUpRequest struct {
	Var      string // the variable for the answer: "setup_0"
	Comment  string // for a comment above it: "POST /news made /news/4 in the session; State"
	Method   string
	Target   []TextPart // path and query below the base URL
	Headers  []HeaderField
	Body     []TextPart // nil for none
	Status   int        // that the answer must have for the test to mean anything; 0 for any
	Captures []Capture
}

// setUpName begins the names of the variables of a set-up.
const SetUpPrefix = "setup_"

// setUpSucceeds is said above what asserts the status of a sending.
const SetUpMustSucceed = "the set-up has to succeed"

// HeaderField is a header that a test sends.
type HeaderField struct {
	Name  string
	Value []TextPart
}

// TextPart is a piece of a text that a test sends: exactly one of the two members is set.
type TextPart struct {
	Text     string
	Variable string // one that holds a text
}

// Capture is a variable, a text always, that a sending assigns from its answer.
type Capture struct {
	Name string
	// place is where in the answer, as message.Value reads it: /body/id, /body (the whole, without white space around
	// it), /header/location, /header/location/path/1 (the second segment of its path, unescaped).
	Place exchange.Place
	// steps lead to a place in a JSON body: an [expr.Num] where an element of an array is gone to, an [expr.Str] where
	// a member of an object.
	Steps []expr.Expr
}
