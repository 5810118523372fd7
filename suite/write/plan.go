package write

import (
	"encoding/json"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/relation"
)

// Plan is a suite in no language: what each form of it sends, keeps, asserts and leaves behind. A writer of a form adds
// how that is said, and decides nothing.
type Plan struct {
	Target  string            // the base URL of most exchanges, as recorded: the default where the environment names none
	Bound   []Value           // what answers gave and later requests use
	Secrets map[string]string // the values of secrets, by token; they belong into a file for the owner's eyes alone
	Tests   []Test            // in the order in which they run
	Codings []string          // the content codings that recorded answers had, in lower case, sorted: "br", "gzip"
}

// Value is a value that one answer gave and later requests use: an id, a token, an ETag.
type Value struct {
	Name     string // unique in the plan, fit for a variable: "orderId"
	Recorded Text   // what it was in the recording: used until an answer gives another
	From     string // for a comment: "POST /orders /body/id"
}

// Test is one test: it makes what it needs, sends, asserts, and cleans up.
type Test struct {
	Name  string   // words of a-z and 0-9, joined by "_", unique in the plan: "post_orders_gives_201"
	About []string // what it does, a line each, fit for a comment
	Group string   // words, as Name's: the tests of a group stand in one file
	Steps []Step
}

// Role says what a step of a test is for.
type Role string

// The roles of steps, in the order in which they stand in a test.
const (
	SetUp   Role = "set-up"   // makes what the test leans on; of its answer the status alone is asserted, where it is not Single
	Tested  Role = "tested"   // what the test is about
	CleanUp Role = "clean-up" // takes away what the test made, whether it passed or failed; asserts nothing
)

// Step is one request of a test, and what is asserted of its answer.
type Step struct {
	Role Role
	// Once says that a set-up is needed but once, as a login is: what it gave the first time serves all tests of one
	// execution. A form that cannot share it sends it in each test.
	Once bool
	// Single says of such a set-up that it is refused where it is sent again, as signing up is: there is one of it in all files
	// of a suite. It carries the checks of a test.
	Single bool
	// Ends says that the test is over, and passed, where the status is another of the check's Statuses than the first, which
	// is the recorded one: what follows leans on what was not made.
	Ends     bool
	Seq      uint64 // the recorded exchange
	Title    string // for a comment: "GET /orders/{id}"
	Left     string // why the exchange cannot be sent, for a comment in its stead; "" where it can
	Method   string
	Target   Text   // path and query, as sent
	Base     string // the base URL where it is not the plan's; "" mostly
	Headers  []Header
	Body     *Body // nil where the request has none
	Captures []Capture
	Checks   []Check // in the order in which they are to be asserted; the status is the first
}

// Text is a text of which parts come from answers or from the secrets.
type Text []Piece

// Piece is a part of a text: exactly one of the first four members is set, or none for an empty literal.
type Piece struct {
	Literal string
	Bound   string // the name of a [Value]
	Secret  string // the token of a secret
	Host    bool   // the authority that was asked, as the Host header of the request has it
	Escape  Escape // how a bound value or a secret is written here
}

// Escape is how a value is written where it stands.
type Escape string

// The ways of escaping.
const (
	Plain      Escape = ""            // as it is
	InPath     Escape = "path"        // percent-encoded, for a segment of a path
	InQuery    Escape = "query"       // percent-encoded, for a query or a form
	InJSON     Escape = "json"        // within a JSON string
	AsJSON     Escape = "json-value"  // as a JSON value: a number where it is one, else a string with its quotes
	FromBase64 Escape = "from-base64" // the secret is the base64 of what is to be written
)

// Header is a request header; texts of a head hold a character for each byte (Latin-1). Host and what frames the message are the client's own business and never among them.
type Header struct {
	Name  string
	Value Text
}

// Body is the body of a request: text, or bytes where it is none.
type Body struct {
	Text    Text
	Bytes   []byte // set where the body is no text; Text is empty then
	Chunked bool   // it was sent chunked
}

// Capture keeps a value of an answer under a name. Where the answer has none, the value known so far stays.
type Capture struct {
	Name  string         // of the [Value]
	Place exchange.Place // with the spots that flow knows: /body/id, /header/location/path/1, /header/set-cookie/sid
	// Find says that the value stands in a list whose order may differ: while any element of that list still holds the
	// value known so far, that value is meant.
	Find bool
}

// CheckKind says what a [Check] asserts.
type CheckKind string

// The kinds of check. In brackets are the members that each uses beside Place, Why and Off.
const (
	CheckStatus  CheckKind = "status"  // the status is one of (Statuses), the recorded one first; any status where the list is empty
	CheckHeader  CheckKind = "header"  // the header has these lines (Lines)
	CheckCookie  CheckKind = "cookie"  // the answer sets a cookie of that name (Name)
	CheckEmpty   CheckKind = "empty"   // the body is empty
	CheckText    CheckKind = "text"    // the body, decoded as UTF-8, is this text (Text)
	CheckDigest  CheckKind = "digest"  // the body has this length and SHA-256 (Length, SHA256)
	CheckSize    CheckKind = "size"    // the body has this many bytes (Length), or any but none where that is 0
	CheckJSON    CheckKind = "json"    // the body is this JSON, but for what is masked or absent (JSON, Masks, Absent)
	CheckOutline CheckKind = "outline" // the JSON body has these keys, or is an array of this length (Keys, Length)
	CheckHolds   CheckKind = "holds"   // every value at the place is as said (Holds); there may be none
	CheckItems   CheckKind = "items"   // the array at the place has these elements in any order (JSON); with AsSet, each as often as may be
	CheckEqual   CheckKind = "equal"   // the text of the value at the place is (Text); with Suffix it ends so
	CheckRelated CheckKind = "related" // the value at the place follows from others (Relation, Of)
)

// Check is one assertion about an answer.
type Check struct {
	Kind  CheckKind
	Place exchange.Place // wildcards stand for every element; "" for the whole answer
	// Why says why less is asserted than was recorded, for a comment: "Time, moved in 9 of 10"; "" where nothing is lost.
	Why string
	// Off says, in comment mode, which assertion is not made: "/body/id == 37". It stands in a comment below Why; "" else.
	// A check that has nothing but Place, Why and Off asserts nothing.
	Off string
	// If is the status that the answer must have for the check to be made; 0 for any.
	If int

	Statuses []int
	Lines    []Text
	Name     Text
	Text     Text
	Suffix   bool
	Length   int
	SHA256   string // hex
	// JSON is the recorded value as a raw token, the value at each of Masks replaced by the string [Masked], without what
	// is at Absent.
	JSON json.RawMessage
	// Masks are places within the value at Place, as JSON Pointers from its root; wildcards stand for every element of an
	// array and every member of an object.
	Masks  []exchange.Place
	Absent []exchange.Place // the same, of what is not always there: it is left out before comparing
	Keys   []string
	AsSet  bool

	Holds    mapfile.Holds
	Optional bool // there may be nothing at the place
	Relation relation.Kind
	Of       []exchange.Place
}

// Masked stands in [Check.JSON], and in the answer before it is compared, for a value that is not compared.
const Masked = "<volatile>"
