package exchange

// Binding is a value that one response gave and later requests used, and that a replay must carry over: an id, a
// token, a cookie, an ETag, a Location.
type Binding struct {
	Name     string // a name for the value, fit for a variable: "orderId"; unique within a recording
	Value    string // the value as recorded, unescaped
	Producer Ref    // where it first stood in a response
	Uses     []Ref  // where later requests held it
}

// Ref is a place in one message of a recording.
type Ref struct {
	Seq   uint64 `json:"seq"`
	Place Place  `json:"place"`
}

// Claim is one assertion of a suite, parsed to its meaning.
type Claim struct {
	Place    Place    // what it looks at, in the response of Call
	Relation Relation // how it compares
	Value    string   // what it compares with, as a JSON token; a number for Length
	Call     int      // the request of the test that it looks at, counted from 0
	File     string
	Line     int // from 1
	Test     string
}

// Relation is how a [Claim] compares.
type Relation string

// The relations that suites use.
const (
	Equal    Relation = "equal"    // the value at Place is Value
	Contains Relation = "contains" // the text at Place holds Value
	Length   Relation = "length"   // the array, object or string at Place has Value elements
	Absent   Relation = "absent"   // Place is not there
	Present  Relation = "present"  // Place is there
	Empty    Relation = "empty"    // the body is empty
	URI      Relation = "uri"      // the text at Place is empty or a URI
)
