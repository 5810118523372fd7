package suite

import (
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
)

// grafter is a language in which a test can be given requests that go before and after its own.
type grafter interface {
	// setUp returns the lines, without the test's indentation, that send what is given before a test's first statement,
	// and those that stand behind its last one so that clean is sent whether the test passes or fails. Each sending asserts
	// its status, where it has one, and assigns what it takes.
	setUp(s *Script, t *Test, before, clean []sending) (open, end []string)
	// url returns the expression of a call's URL, base URL included, for that of Call.target. It is "", here and below,
	// where there is none.
	url(s *Script, c *Call, target []part) string
	// payload returns the expression of a call's body, for that of Call.body.
	payload(s *Script, c *Call, body []part) string
	// header returns the expression of a header's value, for one of Call.headers.
	header(s *Script, c *Call, value []part) string
}

// chooser is a language that cannot write each request.
type chooser interface {
	// able reports whether a request can be written for a test, so that it is sent as it is.
	able(s *Script, t *Test, x sending) bool
}

// placer is a language in which a set-up is more than lines above and below a test's own.
type placer interface {
	// place returns the edits that put into the file what setUp returned.
	place(s *Script, t *Test, open, end []string) []edit
}

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

// stepsOf reads a place in a JSON body; kind gives the first byte of what the answer has at a place, and 0 where that is not known:
// a segment of digits is then an index.
func stepsOf(place exchange.Place, kind func(exchange.Place) byte) []expr.Expr {
	at := exchange.PlaceBody
	var out []expr.Expr
	for _, k := range place.Segments()[1:] {
		digits := k == "0" || k != "" && k[0] != '0' && strings.Trim(k, "0123456789") == ""
		if holder := kind(at); digits && holder == '[' || digits && holder == 0 {
			out = append(out, expr.Num{Text: k})
		} else {
			out = append(out, expr.Str{Value: k})
		}
		at = at.Key(k)
	}
	return out
}
