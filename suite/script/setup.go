package script

import (
	"regexp"
	"slices"
	"strings"

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
	// Made is the variable of an answer that must have the status MadeBy for a clean-up to be sent; "" where it always is.
	Made   string
	MadeBy int
	// Look is a request that is sent first, and whose answer the variable holds where that has the look's Status: the
	// request itself is only sent where it has another. nil where it always is.
	Look *SetUpRequest
}

// Variables are those that the request is sent with, and that it asks for before.
func (x SetUpRequest) Variables() (names []string) {
	parts := append(slices.Clone(x.Target), x.Body...)
	for _, h := range x.Headers {
		parts = append(parts, h.Value...)
	}
	for _, p := range append(parts, TextPart{Variable: x.Made}) {
		if p.Variable != "" && !slices.Contains(names, p.Variable) {
			names = append(names, p.Variable)
		}
	}
	if x.Look != nil {
		for _, name := range x.Look.Variables() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// setUpName begins the names of the variables of a set-up.
const SetUpPrefix = "setup_"

// FreshPrefix begins the names of the variables that hold another text in each run.
const FreshPrefix = "fresh_"

// FreshText is a text that is another in each run: some letters that are drawn, between what stays. What stays is
// printable ASCII without quotes, backslashes, braces, $, % and backquotes.
type FreshText struct {
	Name          string // of the variable that holds it
	Before, After string
	Letters       Letters
	Length        int // letters that are drawn, from 1 to 8
}

// Letters are those that are drawn.
type Letters string

// The letters that every dialect has an expression for.
const (
	HexDigits      Letters = "0123456789abcdef"
	UpperHexDigits Letters = "0123456789ABCDEF"
	Digits         Letters = "0123456789"
)

// FreshName is a variable of a test that holds another text in each run.
type FreshName struct {
	Variable string
	Value    string // that was written out before
	Outside  bool   // it is drawn outside of the tests, of which not all may send it
}

// freshRemark is what is said above the statement that draws a text; within JSON, its quotes are escaped.
var freshRemark = regexp.MustCompile(CommentMark + `(` + FreshPrefix + `\w+) stands for (\\?"[^"\\]+\\?"): `)

// freshNames finds what each test draws anew, by the comments above.
func (s *Script) freshNames() {
	if !strings.Contains(s.Text, FreshPrefix) {
		return
	}
	all := freshRemark.FindAllStringSubmatchIndex(s.Text, -1)
	for _, m := range all {
		name := FreshName{Variable: s.Text[m[2]:m[3]], Value: strings.Trim(s.Text[m[4]:m[5]], `\"`)}
		in := slices.IndexFunc(s.Tests, func(t *Test) bool { return t.Head.Start <= m[0] && m[0] < t.BodyEnd })
		if in >= 0 {
			s.Tests[in].Fresh = append(s.Tests[in].Fresh, name)
			continue
		}
		name.Outside = true
		for _, t := range s.Tests {
			t.Fresh = append(t.Fresh, name)
		}
	}
}

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
	// If, where it is not 0, is the status that an answer must have for the value to be taken from it; the variable holds
	// Otherwise where it has another.
	If        int
	Otherwise string
	// Into is a variable of the file that is given the value as the answer has it; "" for none. A set-up that has such is
	// sent only where one of these variables has no value.
	Into string
}

// StepsOf reads a place in a JSON body; kind gives the first byte of what the answer has at a place, and 0 where that
// is not known: a segment of digits is then an index.
func StepsOf(place exchange.Place, kind func(exchange.Place) byte) []expr.Expr {
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
