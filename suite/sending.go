package suite

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
)

// sending is a request that flaketap writes into a test.
type sending struct {
	name    string // the variable for the answer: "setup_0"
	about   string // for a comment above it: "POST /news made /news/4 in the session; State"
	method  string
	target  []part // path and query below the base URL
	headers []field
	body    []part // nil for none
	status  int    // that the answer must have for the test to mean anything; 0 for any
	takes   []take
}

// setUpName begins the names of the variables of a set-up.
const setUpName = "setup_"

// setUpSucceeds is said above what asserts the status of a sending.
const setUpSucceeds = "the set-up has to succeed"

// field is a header that a test sends.
type field struct {
	name  string
	value []part
}

// part is a piece of a text that a test sends: exactly one of the two members is set.
type part struct {
	text     string
	variable string // one that holds a text
}

// take is a variable, a text always, that a sending assigns from its answer.
type take struct {
	name string
	// place is where in the answer, as message.Value reads it: /body/id, /body (the whole, without white space around it),
	// /header/location, /header/location/path/1 (the second segment of its path, unescaped).
	place exchange.Place
	// steps lead to a place in a JSON body: an [expr.Num] where an element of an array is gone to, an [expr.Str] where a member of an object.
	steps []expr.Expr
}
