// What the tests assert of values that change: what holds for every value that was observed.

package apitest

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// split cuts a JSON pointer at its slashes; what it gives is still escaped, so that * is a wildcard.
func split(pointer string) []string {
	if pointer == "" {
		return nil
	}
	return strings.Split(pointer, "/")[1:]
}

// segments are the unescaped parts of a place.
func segments(place string) []string {
	out := split(place)
	for i, s := range out {
		out[i] = unescape(s)
	}
	return out
}

// unescape undoes the escaping of a segment; a literal star is ~2, an @ that begins a marker ~3.
func unescape(s string) string {
	return strings.NewReplacer("~1", "/", "~0", "~", "~2", "*", "~3", "@").Replace(s)
}

// values returns every value at a place such as /body/items/*/id or /header/etag.
func (a *answer) values(place string) []any {
	path := split(place)
	switch path[0] {
	case "status":
		return []any{json.Number(strconv.Itoa(a.code))}
	case "header":
		if lines := a.lines(unescape(path[1])); len(lines) > 0 {
			return each(strings.Join(lines, "\n"), path[2:])
		}
		return nil
	}
	body, err := parse(a.body)
	if err != nil || !a.saysJSON() {
		body = strings.ToValidUTF8(string(a.body), "\ufffd")
	}
	return each(body, path[1:])
}

// saysJSON reports whether an answer says that its body is JSON, or does not say what it is: one line of what is
// separated by lines could be read as JSON, too.
func (a *answer) saysJSON() bool {
	kind, _, _ := strings.Cut(a.head.Get("Content-Type"), ";")
	switch kind = strings.ToLower(strings.TrimSpace(kind)); kind {
	case "", "application/json", "text/json":
		return true
	}
	return strings.HasSuffix(kind, "+json")
}

func each(value any, path []string) []any {
	found := []any{value}
	for _, segment := range path {
		var next []any
		for _, v := range found {
			switch v := v.(type) {
			case []any:
				for i, e := range v {
					if segment == "*" || segment == strconv.Itoa(i) {
						next = append(next, e)
					}
				}
			case *object:
				if segment == "*" {
					next = append(next, v.values...)
				} else if e, ok := v.get(unescape(segment)); ok {
					next = append(next, e)
				}
			case string:
				if parts := tokenParts(v); segment == "@jwt" && parts != nil {
					next = append(next, parts)
				}
			}
		}
		found = next
	}
	return found
}

func isContainer(v any) bool { return typeOf(v) == "array" || typeOf(v) == "object" }

// typeOf names the JSON type of a value.
func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "number"
		}
		return "integer"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

// textOf is the text that stands for a scalar in a path, a query or a header.
func textOf(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	if n, ok := v.(json.Number); ok {
		return n.String()
	}
	return canonical(v)
}

// equal asserts that the text of the value at a place is this one.
func (a *answer) equal(place, want string) {
	a.t.Helper()
	if got, ok := a.textAt(place); ok && got != want {
		a.t.Errorf("%s is %q, want %q", place, got, want)
	}
}

// ends asserts that the text of the value at a place ends with this one.
func (a *answer) ends(place, want string) {
	a.t.Helper()
	if got, ok := a.textAt(place); ok && !strings.HasSuffix(got, want) {
		a.t.Errorf("%s is %q, want it to end with %q", place, got, want)
	}
}

// some asserts that one of the values at a place has a text.
func (a *answer) some(place, want string) {
	a.t.Helper()
	texts := []string{}
	for _, v := range a.values(place) {
		texts = append(texts, textOf(v))
	}
	if !slices.Contains(texts, want) {
		a.t.Errorf("%s has %q, want %q among them", place, texts, want)
	}
}

func (a *answer) textAt(place string) (string, bool) {
	a.t.Helper()
	values := a.values(place)
	if len(values) == 0 {
		a.t.Errorf("nothing at %s", place)
		return "", false
	}
	return textOf(values[0]), true
}

// says is what is asserted of a value that changes; a member that is not set asserts nothing.
type says struct {
	Type      string // types as in "null|string"
	Equal     string // JSON
	OneOf     string // a JSON array
	Pattern   string // a regular expression that all of the text matches
	Format    string // "rfc3339", "uuid", "hex:32"
	Low, High string // numbers
	MinLength int
	MaxLength int // 0 for any
	After     int // seconds after the answer was made
	Within    int // at most so many seconds from there
	Host      bool
	Optional  bool // there may be nothing at the place
}

// holds asserts that every value at a place is as given.
func (a *answer) holds(place string, s says) {
	a.t.Helper()
	values := a.values(place)
	if len(values) == 0 && !s.Optional {
		a.t.Errorf("nothing at %s", place)
	}
	for _, v := range values {
		if not := s.not(v, a); not != "" {
			a.t.Errorf("%s: %s is not %s", place, show(v), not)
		}
	}
}

// not names what does not hold for a value; "" if everything does.
func (s says) not(v any, a *answer) string {
	text, isText := v.(string)
	_, isNumber := v.(json.Number)
	switch {
	case s.Type != "" && !isOf(v, s.Type):
		return s.Type
	case s.Equal != "" && canonical(v) != canonical(mustParse(s.Equal)):
		return s.Equal
	case s.OneOf != "" && !slices.ContainsFunc(mustParse(s.OneOf).([]any), func(w any) bool { return canonical(v) == canonical(w) }):
		return "one of " + s.OneOf
	case s.Pattern != "" && isText && !compiled(s.Pattern).MatchString(text):
		return "like " + s.Pattern
	case s.Format != "" && isText && !isFormat(text, s.Format):
		return "written as " + s.Format
	case isNumber && !between(s.Low, textOf(v), s.High):
		return fmt.Sprintf("between %s and %s", s.Low, s.High)
	case v == nil:
		return ""
	case size(v) < s.MinLength || s.MaxLength > 0 && size(v) > s.MaxLength:
		return fmt.Sprintf("of %d to %d", s.MinLength, s.MaxLength)
	case s.Within > 0 && !isNear(v, s.Within, a.made().Add(time.Duration(s.After)*time.Second)):
		return fmt.Sprintf("a time %d s after the answer, within %d s", s.After, s.Within)
	case s.Host && isText && !strings.Contains(text, a.host):
		return "a text with the host in it"
	}
	return ""
}

func isOf(v any, types string) bool {
	is := typeOf(v)
	for t := range strings.SplitSeq(types, "|") {
		if t == is || t == "number" && is == "integer" {
			return true
		}
	}
	return false
}

func size(v any) int {
	switch v := v.(type) {
	case string:
		return utf8.RuneCountInString(v)
	case []any:
		return len(v)
	case *object:
		return len(v.keys)
	}
	return 0
}

func between(low, text, high string) bool {
	n := number(text)
	if low == "" && high == "" {
		return true
	}
	return n != nil && (low == "" || n.Cmp(number(low)) >= 0) && (high == "" || n.Cmp(number(high)) <= 0)
}

var patterns sync.Map

// compiled is a regular expression that the whole of a text is to match.
func compiled(pattern string) *regexp.Regexp {
	if re, ok := patterns.Load(pattern); ok {
		return re.(*regexp.Regexp)
	}
	re := regexp.MustCompile(`\A(?:` + pattern + `)\z`)
	patterns.Store(pattern, re)
	return re
}

func isFormat(text, name string) bool {
	if digits, ok := strings.CutPrefix(name, "hex:"); ok {
		return compiled("[0-9a-fA-F]{" + digits + "}").MatchString(text)
	}
	return compiled(formats[name]).MatchString(text) && (name != "jwt" || tokenParts(text) != nil)
}

const (
	months = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
	clock  = `(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)`
)

// moments are how services write a point in time: ISO 8601 and what is like it, without any separators, as in HTTP, as in
// C and Unix, and a day in words or with dots.
var moments = []*regexp.Regexp{
	compiled(`(?P<year>\d{4})[-/.](?P<month>\d\d)[-/.](?P<day>\d\d)([Tt ](?P<hour>\d\d):(?P<minute>\d\d)(:(?P<second>\d\d)([.,](?P<fraction>\d{1,9}))?)?` +
		` ?(?P<zone>[Zz]|UTC|GMT|[+-]\d\d(:?\d\d)?)?)?(\[.*\])?`),
	compiled(`(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)([Tt]?(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)Z?)?`),
	compiled(`[A-Z][a-z]+, (?P<day>\d\d?)[ -](?P<month>` + months + `)[ -](?P<year>\d{4}|\d\d) ` + clock + `( (?P<zone>GMT|UTC|[+-]\d{4}))?`),
	compiled(`[A-Z][a-z]{2} (?P<month>` + months + `) (?P<day>[ \d]\d) ` + clock + ` ([A-Z]{3,4} )?(?P<year>\d{4})`),
	compiled(`(?P<day>\d\d?)\.? (?P<month>` + months + `)[a-z]* (?P<year>20\d\d)`),
	compiled(`(?P<month>` + months + `)[a-z]* (?P<day>\d\d?), (?P<year>20\d\d)`),
	compiled(`(?P<day>\d\d?)\.(?P<month>\d\d?)\.(?P<year>20\d\d)`),
}

// epochs are counts since 1970, by their number of digits: how many make a second, and where the counting began.
var epochs = map[int]struct{ perSecond, begin int64 }{
	10: {1, 0}, 13: {1e3, 0}, 16: {1e6, 0}, 18: {1e7, 62135596800}, 19: {1e9, 0},
}

// isNear reports whether a value is a time within that many seconds of another, in any notation. A time without a
// zone is taken for UTC, a date is the whole day.
func isNear(v any, seconds int, at time.Time) bool {
	begin, lasts, ok := moment(textOf(v))
	within := time.Duration(seconds) * time.Second
	return ok && !at.Before(begin.Add(-within)) && !at.After(begin.Add(lasts+within))
}

// moment is the time that a text denotes, and its precision.
func moment(text string) (time.Time, time.Duration, bool) {
	whole, _, _ := strings.Cut(text, ".")
	if strings.Trim(text, "0123456789.") == "" && len(whole) > 4 && len(whole) != 8 && len(whole) != 14 {
		n := number(text)
		if days := number(whole); len(whole) == 5 && days != nil {
			return time.Unix(days.Num().Int64()*86400, 0), 24 * time.Hour, true
		}
		unit, known := epochs[len(whole)]
		if n == nil || !known {
			return time.Time{}, 0, false
		}
		n.Mul(n, big.NewRat(1e9, unit.perSecond))
		nanos := new(big.Int).Quo(n.Num(), n.Denom())
		nanos.Sub(nanos, new(big.Int).Mul(big.NewInt(unit.begin), big.NewInt(1e9)))
		return time.Unix(0, nanos.Int64()), time.Second / time.Duration(unit.perSecond), nanos.IsInt64()
	}
	for _, re := range moments {
		if m := re.FindStringSubmatch(text); m != nil {
			parts := map[string]string{}
			for i, name := range re.SubexpNames() {
				if m[i] != "" {
					parts[name] = m[i]
				}
			}
			return momentOf(parts)
		}
	}
	return time.Time{}, 0, false
}

func momentOf(parts map[string]string) (time.Time, time.Duration, bool) {
	n := func(name string) int {
		v, _ := strconv.Atoi(strings.TrimSpace(parts[name]))
		return v
	}
	year, month := n("year"), n("month")
	if len(parts["year"]) == 2 {
		year += 2000
		if year >= 2069 {
			year -= 100
		}
	}
	if i := strings.Index(months, parts["month"]); month == 0 && i >= 0 {
		month = i/4 + 1
	}
	if month < 1 || month > 12 || n("day") > 31 {
		return time.Time{}, 0, false
	}
	nanos, _ := strconv.Atoi((parts["fraction"] + "000000000")[:9])
	t := time.Date(year, time.Month(month), n("day"), n("hour"), n("minute"), n("second"), nanos, time.UTC)
	if zone := strings.ReplaceAll(parts["zone"], ":", ""); len(zone) >= 3 && (zone[0] == '+' || zone[0] == '-') {
		offset, _ := time.ParseDuration(zone[:3] + "h")
		rest, _ := strconv.Atoi((zone + "00")[3:5])
		if offset += time.Duration(rest) * time.Minute; zone[0] == '-' {
			offset -= 2 * time.Duration(rest) * time.Minute
		}
		t = t.Add(-offset)
	}
	switch {
	case parts["second"] != "":
		return t, time.Second, true
	case parts["minute"] != "":
		return t, time.Minute, true
	}
	return t, 24 * time.Hour, true
}
