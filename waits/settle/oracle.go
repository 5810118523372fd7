package settle

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/jsontree"
	"github.com/flaketap/flaketap/volatility/compare"
)

// Oracle says what a read answers when the API is ready.
type Oracle struct {
	Status int
	Values []Value
	// Needed are those of Values that tell an answer that is ready from all others that were seen with its status.
	Needed []Value
	// Body are those by which the body of an answer that is ready is told from all others that were seen, whatever their
	// status, for who does not see that; nil where no body tells that.
	Body []Value
	// Early are the other statuses of answers that were not ready, in order.
	Early []int
	// InVain are the words at places of Values with which the wait is over: what comes then is not what is waited for.
	InVain []Value
	Times  Times
}

// Value is what is wanted of the value at a place.
type Value struct {
	Place exchange.Place // concrete, within the body
	JSON  string         // the raw token of a scalar; "" where the type alone counts
	Type  Type
	Least int // how many elements an array has at least
}

// Type is a type of JSON.
type Type string

// The types.
const (
	Null    Type = "null"
	Boolean Type = "boolean"
	Number  Type = "number"
	String  Type = "string"
	Array   Type = "array"
	Object  Type = "object"
)

// Times are how long reads took from the write to the answer that was ready, as far as that was seen.
type Times struct {
	N       int // how many reads
	Median  time.Duration
	Longest time.Duration
	All     []time.Duration // the shortest first
}

// TimesOf sums up how long reads took, in any order.
func TimesOf(took []time.Duration) Times {
	if len(took) == 0 {
		return Times{}
	}
	all := slices.Sorted(slices.Values(took))
	return Times{N: len(all), Median: all[(len(all)-1)/2], Longest: all[len(all)-1], All: all}
}

// Ready reports whether an answer is what is waited for.
func (o *Oracle) Ready(r *exchange.Response) bool {
	return r != nil && r.Status == o.Status &&
		!slices.ContainsFunc(o.Values, func(v Value) bool { return !v.fits(r) })
}

// words are the status and the words of the oracle, by which reads wait for the same.
func (o *Oracle) words() string {
	out := strconv.Itoa(o.Status)
	for _, v := range o.Values {
		if IsWord(v.JSON) {
			out += " " + string(v.Place) + "=" + v.JSON
		}
	}
	return out
}

// Vain returns the word by which an answer tells that what is waited for will not come.
func (o *Oracle) Vain(r *exchange.Response) (Value, bool) {
	if r == nil || r.Status != o.Status {
		return Value{}, false
	}
	for _, v := range o.InVain {
		if v.fits(r) {
			return v, true
		}
	}
	return Value{}, false
}

// Cap is how long an answer may be waited for: five times what the slowest read took, and a second at least.
func (o *Oracle) Cap() time.Duration { return max(time.Second, 5*o.Times.Longest) }

// The bounds of [Oracle.Every].
const (
	leastPause = 10 * time.Millisecond
	mostPause  = time.Second
)

// Every is how long a read is to be left alone before it is sent again: a tenth of what the middle one took.
func (o *Oracle) Every() time.Duration {
	return min(max(o.Times.Median/10, leastPause), mostPause).Round(time.Millisecond)
}

// fits reports whether an answer has the value.
func (v Value) fits(r *exchange.Response) bool {
	raw, ok := compare.At(r, v.Place)
	return ok && v.is(raw)
}

// is reports whether a raw token, "" for nothing, is the value.
func (v Value) is(raw string) bool {
	switch {
	case typeOf(raw) != v.Type:
		return false
	case v.JSON != "":
		return compare.Same(raw, v.JSON)
	case v.Type == Array:
		return lengthOf(raw) >= v.Least
	}
	return true
}

// typeOf returns the type of a raw token; "" where there is none.
func typeOf(raw string) Type {
	if raw == "" {
		return ""
	}
	switch raw[0] {
	case '"':
		return String
	case '{':
		return Object
	case '[':
		return Array
	case 't', 'f':
		return Boolean
	case 'n':
		return Null
	}
	return Number
}

// SameType reports whether two raw tokens of JSON are of one type.
func SameType(a, b string) bool { return typeOf(a) == typeOf(b) }

// lengthOf counts the elements of an array, 0 where it cannot be read.
func lengthOf(raw string) int {
	n, err := jsontree.Parse(raw, jsontree.Bounds{})
	if err != nil {
		return 0
	}
	return len(n.Children)
}

// maxWord is the longest text, in bytes, that counts as a word: what names a state is short.
const maxWord = 40

// IsWord reports whether a raw token is true, false, or a short text without digits.
func IsWord(raw string) bool {
	if raw == "true" || raw == "false" {
		return true
	}
	return len(raw) > 2 && len(raw) <= maxWord && raw[0] == '"' && !strings.ContainsAny(raw, `0123456789\`)
}

// failures are words that name a bad end. None is one by its name alone.
var failures = []string{"failed", "failure", "fail", "error", "errored", "cancelled", "canceled", "aborted", "rejected",
	"refused", "expired", "timeout", "timedout", "dead", "crashed", "denied", "declined", "invalid"}

// namesFailure reports whether a raw token holds a word that names a bad end.
func namesFailure(raw string) bool {
	letters := func(r rune) bool { return r < 'a' || r > 'z' }
	return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(raw), letters), func(word string) bool {
		return slices.Contains(failures, word)
	})
}
