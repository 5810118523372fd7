package hurl

import (
	"fmt"
	"regexp/syntax"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
)

// holds asserts what is said of a place: by predicates where there is one value, by a filter that finds nothing where
// there are several, or may be none.
func (b *asserts) holds(c *plan.Check) {
	h := c.Holds
	query, many := b.query(c.Place)
	if c.Place == exchange.PlaceBody && h.Type != "" && h.Type != "string" {
		query = `jsonpath "$"`
	}
	optional := c.Optional || h.Optional
	plain := !many && !optional && !strings.Contains(h.Type, "|") && len(h.OneOf) == 0
	switch {
	case query == "":
		b.comment(string(c.Place) + ": Hurl has no assert for this")
	case plain || c.Place.Root() == "header" && !optional || query == "body":
		b.predicates(query, c)
	case c.Place.Root() == "header" || query == `jsonpath "$"`:
		b.comment(string(c.Place) + ": Hurl has no assert for what may be missing here, or of several types")
	case strings.Contains(query, " nth "):
		b.comment(string(c.Place) + ": Hurl has no assert for what may be missing in a token")
	default:
		b.filtered(c)
	}
}

// predicates asserts what holds of one value that is there.
func (b *asserts) predicates(query string, c *plan.Check) {
	h := c.Holds
	before := len(b.lines)
	if len(h.Equal) > 0 {
		if n := scalarNode(h.Equal); n != nil {
			if value, ok := literalOf(n); ok {
				b.line("%s == %s", query, value)
			}
		}
		return
	}
	inJSON := strings.HasPrefix(query, "jsonpath")
	is := map[string]string{
		"string": "isString", "integer": "isInteger", "number": "isNumber", "boolean": "isBoolean", "array": "isList",
		"object": "isObject", "null": "== null",
	}[h.Type]
	if inJSON && is != "" {
		b.line("%s %s", query, is)
	}
	pattern := stringPattern(h)
	if pattern != "" && (h.Type == "string" || !inJSON) {
		b.line("%s matches %s", query, regex("^(?:"+pattern+")$"))
	}
	if h.Format == "jwt" {
		for _, part := range []exchange.Place{"header/alg", "claims"} {
			inner, _ := b.query(c.Place.Part(exchange.PartJWT) + "/" + part)
			b.line("%s exists", inner)
		}
	}
	if h.Echo == string(plan.HostPlace) && b.step.Base == "" {
		b.line("%s contains \"{{host}}\"", query)
	}
	if h.Type == "integer" || h.Type == "number" {
		if low := h.Min.String(); aJSONNumber.MatchString(low) {
			b.line("%s >= %s", query, low)
		}
		if high := h.Max.String(); aJSONNumber.MatchString(high) {
			b.line("%s <= %s", query, high)
		}
	}
	b.lengths(query, h, pattern)
	b.near(query, c)
	if len(b.lines) == before {
		b.line("%s exists", query)
	}
}

// lengths asserts how long an array, or a string of no known form, is.
func (b *asserts) lengths(query string, h mapfile.Holds, pattern string) {
	switch {
	case h.Type == "array":
		if h.MinLength != nil {
			b.line("%s count >= %d", query, *h.MinLength)
		}
		if h.MaxLength != nil {
			b.line("%s count <= %d", query, *h.MaxLength)
		}
	case h.Type == "string" && pattern == "" && h.Echo == "" && (h.MinLength != nil || h.MaxLength != nil):
		low, high := 0, ""
		if h.MinLength != nil {
			low = *h.MinLength
		}
		if h.MaxLength != nil {
			high = strconv.Itoa(*h.MaxLength)
		}
		if low <= 1000 && len(high) <= 3 {
			b.line("%s matches /^(?s:.{%d,%s})$/", query, low, high)
		}
	}
}

const day = 24 * 60 * 60

// near asserts that a time is of today: Hurl counts whole days, by the clock of the machine that it runs on.
func (b *asserts) near(query string, c *plan.Check) {
	if c.Near == nil {
		return
	}
	if c.Holds.Format == "rfc3339" && c.Near.After == 0 && c.Near.Within < day {
		b.line("%s toDate \"%%+\" daysBeforeNow == 0", query)
	}
	b.comment(fmt.Sprintf("%s: %d s after the answer, within %d s, which Hurl cannot tell", c.Place, c.Near.After,
		c.Near.Within))
}

// filtered asserts that no value of a place is otherwise than is said.
func (b *asserts) filtered(c *plan.Check) {
	place, value, scope := c.Place, "", "$"
	if i := lastWildcard(place); i >= 0 {
		scope = jsonPath(place[:i], "$")
		value = jsonPath("/body"+place[i+2:], "@")
	} else {
		value = jsonPath(place, "$")
	}
	wrong := violation(c.Holds, value)
	if wrong == "" {
		b.comment(string(place) + ": Hurl has no assert for this")
		return
	}
	b.nothing(scope + "[?" + value + " && (" + wrong + ")]")
}

// violation is a condition of JSONPath (RFC 9535) that is true of a value which is otherwise than is said. The language
// has no types: search is true of strings alone, < and >= of numbers, or of strings among themselves.
func violation(h mapfile.Holds, v string) string {
	if len(h.Equal) > 0 {
		value, ok := pathValue(h.Equal)
		if !ok {
			return ""
		}
		return v + " != " + value
	}
	if len(h.OneOf) > 0 {
		var all []string
		for _, raw := range h.OneOf {
			value, ok := pathValue(raw)
			if !ok {
				return ""
			}
			all = append(all, v+" != "+value)
		}
		return strings.Join(all, " && ")
	}
	text, number := "search("+v+", '')", "("+v+" >= 0 || "+v+" < 0)"
	var types, wrong []string
	for t := range strings.SplitSeq(h.Type, "|") {
		types = append(types, map[string]string{
			"string": text, "integer": number, "number": number, "null": v + " == null", "boolean": v + " == true || " + v +
				" == false",
			"array": "length(" + v + ") >= 0 && !" + text, "object": "length(" + v + ") >= 0 && !" + text,
		}[t])
	}
	if h.Type != "" {
		wrong = append(wrong, "!("+strings.Join(types, " || ")+")")
	}
	pattern := stringPattern(h)
	switch {
	case pattern != "" && h.Type == "string": // match is true of strings alone
		wrong = []string{"!match(" + v + ", " + pathQuote(pattern) + ")"}
	case pattern != "" && strings.Contains(h.Type, "string"):
		wrong = append(wrong, text+" && !match("+v+", "+pathQuote(pattern)+")")
	}
	only := strings.TrimPrefix(h.Type, "null|")
	if only == "integer" || only == "number" {
		if low := h.Min.String(); aJSONNumber.MatchString(low) {
			wrong = append(wrong, v+" < "+low)
		}
		if high := h.Max.String(); aJSONNumber.MatchString(high) {
			wrong = append(wrong, v+" > "+high)
		}
	}
	if only == "array" || only == "string" && pattern == "" && h.Echo == "" {
		if h.MinLength != nil && *h.MinLength > 0 {
			wrong = append(wrong, "length("+v+") < "+strconv.Itoa(*h.MinLength))
		}
		if h.MaxLength != nil {
			wrong = append(wrong, "length("+v+") > "+strconv.Itoa(*h.MaxLength))
		}
	}
	return strings.Join(wrong, " || ")
}

// stringPattern is the expression that a text matches, "" where nothing is known of it, or none that Hurl's engine
// reads as RE2 does.
func stringPattern(h mapfile.Holds) string {
	pattern := strings.TrimSuffix(strings.TrimPrefix(h.Pattern, "^"), "$")
	if pattern == "" {
		return notation.FormatPattern(h.Format)
	}
	if _, err := syntax.Parse(pattern, syntax.Perl); err != nil || strings.Contains(pattern, `\Q`) ||
		strings.Contains(pattern, `\C`) {
		return ""
	}
	return pattern
}
