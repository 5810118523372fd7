package setup

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/flow/words"
)

// Fresh is how a value is made that is another in each run and has the form of the one that it takes the place of: some
// letters are drawn, and stand between what stays.
type Fresh struct {
	Before, After string
	Letters       Letters // of which Length are drawn
	Length        int
}

// Letters are those of which a part of a fresh value is drawn.
type Letters string

// The letters that every language has an expression for.
const (
	HexDigits      Letters = "0123456789abcdef"
	UpperHexDigits Letters = "0123456789ABCDEF"
	Digits         Letters = "0123456789"
)

const (
	drawnLength = 8 // letters are drawn for a value: nobody draws the same ones twice
	leastDrawn  = 6 // are drawn for a value that is to stay as long as it is
	maxName     = 200
)

// With returns the value with letters that were drawn.
func (f Fresh) With(drawn string) string { return f.Before + drawn + f.After }

// anythingElse finds what keeps a text from being written into a test piece by piece in every language.
var anythingElse = regexp.MustCompile(`[^ -~]|["'\\{}$%` + "`" + `]`)

// numbered finds the digits that a number ends with, of a telephone or an article.
var numbered = regexp.MustCompile(`^[+(]?[0-9][0-9 ()/.-]*?([0-9]{6,})$`)

// formsOf are the ways to make a value another in each run, the one that changes the least of its form first.
func formsOf(value string) []Fresh {
	if len(value) < 2 || len(value) > maxName || anythingElse.MatchString(value) {
		return nil
	}
	letters := HexDigits
	if strings.ToUpper(value) == value && strings.ToLower(value) != value {
		letters = UpperHexDigits
	}
	if words.IsUUID(value) {
		return []Fresh{{Before: value[:len(value)-drawnLength], Letters: letters, Length: drawnLength}}
	}
	if at := numbered.FindStringSubmatchIndex(value); at != nil {
		from := max(at[2], len(value)-drawnLength)
		if from == 0 { // a number does not begin with a zero
			from = 1
		}
		return []Fresh{{Before: value[:from], Letters: Digits, Length: len(value) - from}}
	}
	if strings.Trim(value, string(Digits)) == "" { // so few would be drawn twice
		return nil
	}
	stem, after := value, ""
	if words.IsMail(value) {
		at := strings.IndexByte(value, '@')
		stem, after = value[:at], value[at:]
	}
	out := []Fresh{{Before: stem, After: after, Letters: letters, Length: drawnLength}}
	if n := min(drawnLength, len(stem)-1); n >= leastDrawn {
		out = append(out, Fresh{Before: stem[:len(stem)-n], After: after, Letters: letters, Length: n})
	}
	return out
}

// refusesName reports whether an answer may say that what a request makes is there already. APIs say that with a
// status of their own choice: 409, 422, 400, and 500 where the database alone minds.
func refusesName(r *exchange.Response) bool {
	return r != nil && r.Status >= 400 && !slices.Contains([]int{401, 403, 404, 405, 408, 413, 415, 429, 503}, r.Status)
}

// changes reports whether a request of a method may name something that is made.
func changes(method string) bool { return slices.Contains([]string{"POST", "PUT", "PATCH"}, method) }

// makes reports whether a call of a test is one that makes or names something, and is wanted to succeed.
func makes(w *Wanted) bool {
	if !changes(w.Request.Method) || w.CleanUp {
		return false
	}
	return slices.ContainsFunc(w.Claims, func(c exchange.Claim) bool {
		return c.Place == exchange.PlaceStatus && c.Relation == exchange.Equal && strings.HasPrefix(c.Value, "2")
	})
}

// Conflict returns the first call of a test that executions of the suite were refused though it is wanted to make
// something, in how many of how many; -1 where there is none. What it names may be taken since an earlier run, or by
// another test.
func Conflict(test []Wanted) (call, refused, of int) {
	for i := range test {
		if !makes(&test[i]) {
			continue
		}
		refused = 0
		for _, r := range test[i].Seen {
			if refusesName(r) {
				refused++
			}
		}
		if refused > 0 {
			return i, refused, len(test[i].Seen)
		}
	}
	return -1, 0, 0
}

// name is a value of a request that may have to be another each time.
type name struct {
	value  string
	as     string // how the request calls it
	likely int
}

// likelyName finds the names of what is often unique.
var likelyName = regexp.MustCompile(`(?i)mail|user|login|name|slug|code|sku|title|phone|number|handle|label|isbn|key|id$`)

// maxNames bounds the values of one request that are tried.
const maxNames = 5

// Names lists the values of a request by which an API may know that something is there already, the likeliest first:
// where some are called as names are, these alone. What is secret is none, nor is what has no form that is known.
func Names(r *exchange.Request) []string {
	var out []string
	for _, n := range namesOf(r) {
		out = append(out, n.value)
	}
	return out
}

func namesOf(r *exchange.Request) []name {
	var out []name
	for _, s := range message.Sites(r) {
		root := s.Place.Root()
		named := root == "path" && r.Method == "PUT"
		if root != "body" && !named || exchange.Secret(s.Place) || len(formsOf(s.Value)) == 0 ||
			slices.Contains(constants, s.Value) ||
			slices.ContainsFunc(out, func(n name) bool { return n.value == s.Value }) {
			continue
		}
		n := name{value: s.Value, as: cmp.Or(s.Name, "name")}
		switch {
		case words.IsMail(s.Value):
			n.likely = 2
		case likelyName.MatchString(s.Name):
			n.likely = 1
		}
		out = append(out, n)
	}
	slices.SortStableFunc(out, func(a, b name) int { return cmp.Compare(b.likely, a.likely) })
	if n := slices.IndexFunc(out, func(n name) bool { return n.likely == 0 }); n > 0 {
		out = out[:n]
	}
	return out[:min(len(out), maxNames)]
}

// unwritten says of a request that a name in its body is not drawn anew for the characters that it has; "" where it has
// none of the kind.
func unwritten(r *exchange.Request) string {
	for _, s := range message.Sites(r) {
		if s.Place.Root() == "body" && likelyName.MatchString(s.Name) && anythingElse.MatchString(s.Value) &&
			!exchange.Secret(s.Place) {
			return "no other " + s.Name + " is drawn, as it has quotes, backslashes, braces, $, % or letters other than " +
				"ASCII's: have the test send another in each run"
		}
	}
	return ""
}

// constants are words that are no names.
var constants = []string{"true", "false", "null"}

// carries reports whether a text is a value, or has it as a part that can mean nothing else.
func carries(text, value string) bool {
	return text == value || (words.Particular(value) || words.IsMail(value)) && len(message.Apart(text, value)) > 0
}

// usesOf lists where a value stands in a request.
func usesOf(r *exchange.Request, value string, in Part, at int) (out []BindUse) {
	for _, s := range message.Sites(r) {
		if carries(s.Value, value) {
			out = append(out, BindUse{in, at, s.Place})
		}
	}
	return out
}

// Sends reports whether a request has a value, by itself or as a part that can mean nothing else.
func Sends(r *exchange.Request, value string) bool { return len(usesOf(r, value, InCall, 0)) > 0 }

// Drawn returns the value that was drawn for another, as a request has it; false where it has none.
func Drawn(r *exchange.Request, value string) (string, bool) {
	for _, s := range message.Sites(r) {
		for _, f := range formsOf(value) {
			if f.made(s.Value) && s.Value != value {
				return s.Value, true
			}
		}
	}
	return "", false
}

// made reports whether a value may have been drawn.
func (f Fresh) made(value string) bool {
	rest, begins := strings.CutPrefix(value, f.Before)
	drawn, ends := strings.CutSuffix(rest, f.After)
	return begins && ends && len(drawn) == f.Length && strings.Trim(drawn, string(f.Letters)) == ""
}
