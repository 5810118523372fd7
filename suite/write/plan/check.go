package plan

import (
	"encoding/json"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/relation"
)

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
	// the status is one of (Statuses), the recorded one first; any status where the list is empty
	CheckStatus  CheckKind = "status"
	CheckHeader  CheckKind = "header"  // the header has these lines (Lines)
	CheckCookie  CheckKind = "cookie"  // the answer sets a cookie of that name (Name)
	CheckEmpty   CheckKind = "empty"   // the body is empty
	CheckText    CheckKind = "text"    // the body, decoded as UTF-8, is this text (Text)
	CheckDigest  CheckKind = "digest"  // the body has this length and SHA-256 (Length, SHA256)
	CheckSize    CheckKind = "size"    // the body has this many bytes (Length), or any but none where that is 0
	CheckJSON    CheckKind = "json"    // the body is this JSON, but for what is masked or absent (JSON, Masks, Absent)
	CheckOutline CheckKind = "outline" // the JSON body has these keys, or is an array of this length (Keys, Length)
	CheckHolds   CheckKind = "holds"   // every value at the place is as said (Holds, Near); there may be none
	// the array at the place has these elements in any order (JSON, Extent)
	CheckItems CheckKind = "items"
	// the text of the value at the place is (Text); with Suffix it ends so, with the extent Among that of some value does
	CheckEqual CheckKind = "equal"
	// the value at the place follows from others (Relation): those at places (Of), then others that are known (Given)
	CheckRelated CheckKind = "related"
	// the text of the value at the place holds a digest (Hash) of the text at another, or of what is known (Of, Given: one
	// of them); /body is the body as it came. Where Length is set, it holds so many digits of the hex.
	CheckHash CheckKind = "hash"
	// the status is that one (Statuses), and the head is as those of most answers are, but for some headers (Except).
	// No plan has it: [Common.Fold] makes it.
	CheckCommon CheckKind = "common"
)

// Check is one assertion about an answer.
type Check struct {
	Kind  CheckKind
	Place exchange.Place // wildcards stand for every element; "" for the whole answer
	// Why says why less is asserted than was recorded, for a comment: "Time, moved in 9 of 10"; "" where nothing is
	// lost.
	Why string
	// Off says, in comment mode, which assertion is not made: "/body/id == 37". It stands in a comment below Why; ""
	// else. A check that has nothing but Place, Why and Off asserts nothing.
	Off string
	// If is the status that the answer must have for the check to be made; 0 for any.
	If int

	Statuses []int
	Except   []string // in lower case
	Lines    []Text
	Name     Text
	Text     Text
	Suffix   bool
	Length   int
	SHA256   string // hex
	// JSON is the recorded value as a raw token, the value at each of Masks replaced by the string [Masked], without
	// what is at Absent.
	JSON json.RawMessage
	// Masks are places within the value at Place, as JSON Pointers from its root; wildcards stand for every element of
	// an array and every member of an object.
	Masks  []exchange.Place
	Absent []exchange.Place // the same, of what is not always there: it is left out before comparing
	Keys   []string
	Extent Extent

	Holds    mapfile.Holds
	Near     *Near // the value is a time that lies so; nil where that is not known
	Optional bool  // there may be nothing at the place
	Relation relation.Kind
	Of       []exchange.Place
	Given    []Text
	Hash     Digest
}

// Extent says what an array has beside the elements that a check names.
type Extent string

// The extents.
const (
	Whole Extent = ""      // nothing; each element as often as it is named
	AsSet Extent = "set"   // nothing, but each element as often as may be
	Among Extent = "among" // whatever; each element as often as it is named at least
)

// The relations that suites assert beside those that maps state: of a value to one that an earlier answer of the test
// gave, and of an array to its elements.
const (
	Other  relation.Kind = "other"  // they are not the same text
	Above  relation.Kind = "above"  // it is the larger number
	Unique relation.Kind = "unique" // no two elements of the array have the same value at a place
)

// Operands are what a value is related to, as the suites' helpers take it: places, and behind "=" what is known.
func (c *Check) Operands() []Text {
	out := make([]Text, 0, len(c.Of)+len(c.Given))
	for _, p := range c.Of {
		out = append(out, Text{{Literal: string(p)}})
	}
	for _, t := range c.Given {
		if len(t) > 0 && t[0].IsLiteral() {
			out = append(out, append(Text{{Literal: "=" + t[0].Literal}}, t[1:]...))
			continue
		}
		out = append(out, append(Text{{Literal: "="}}, t...))
	}
	return out
}

// Near says how far a time lies from that of its answer, which is the answer's Date, or the clock of whoever asked
// where it has none: After seconds later, at most Within seconds more or less.
type Near struct{ After, Within int }

// Masked stands in [Check.JSON], and in the answer before it is compared, for a value that is not compared.
const Masked = "<volatile>"

// HostPlace is the authority that the client asked for, as [mapfile.Holds] names it.
var HostPlace = exchange.HeaderPlace("Host")
