package search

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/flaketap/flaketap/exchange"
)

// Bounds of what a shape tells: texts up to these lengths are told apart by what they say.
const (
	maxSaid  = 60
	maxDepth = 8
)

// Shape is what is the same of answers that are of one kind: names, types, truth values and short texts without their
// numbers. Values that were given to the API are left out.
func Shape(body []byte, given map[string]bool) string {
	var v any
	if json.Unmarshal(body, &v) != nil {
		return said(string(body), given)
	}
	return shapeOf(v, given, maxDepth)
}

func shapeOf(v any, given map[string]bool, depth int) string {
	if depth == 0 {
		return "…"
	}
	switch v := v.(type) {
	case map[string]any:
		parts := make([]string, 0, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if exchange.Secret(exchange.Place("/body").Key(name)) {
				parts = append(parts, name+": secret")
				continue
			}
			parts = append(parts, name+": "+shapeOf(v[name], given, depth-1))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		if len(v) == 0 {
			return "[]"
		}
		return "[" + shapeOf(v[0], given, depth-1) + "]"
	case string:
		return said(v, given)
	case float64:
		return "number"
	}
	return fmt.Sprint(v) // true, false, or nil
}

var digits = regexp.MustCompile(`[0-9]+`)

// said is a text as far as it is the API's own.
func said(text string, given map[string]bool) string {
	switch {
	case given[text]:
		return "text given"
	case Trace(text) != "":
		return "trace, " + lastLine(text)
	case len(text) > maxSaid || strings.ContainsFunc(text, unicode.IsControl):
		return "text"
	}
	return fmt.Sprintf("%q", digits.ReplaceAllString(text, "0"))
}

// lastLine is where a trace of Python says what happened, without values.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last, _, _ := strings.Cut(lines[len(lines)-1], ":")
	return digits.ReplaceAllString(last[:min(len(last), maxSaid)], "0")
}

var named = []*regexp.Regexp{
	regexp.MustCompile(`KeyError: \\?['"]([\w.-]+)`),
	regexp.MustCompile(`\(reading \\?['"]([\w.-]+)`),
	regexp.MustCompile(`no attribute \\?['"]([\w.-]+)`),
	regexp.MustCompile(`"loc":\s*\[(?:"\w+",\s*)*"([\w.-]+)"\]`),
	regexp.MustCompile(`(?m)^([\w.-]+)\n\s+Field required`),
	regexp.MustCompile(`(?i)(?:missing|required|unrecognized) (?:field|property) \\?['"]([\w.-]+)`),
}

// NamesInErrors are the fields that an answer says are missing, or wrong, in the words of known parsers.
func NamesInErrors(body []byte) []string {
	var out []string
	for _, re := range named {
		for _, m := range re.FindAllSubmatch(body, 20) {
			if name := string(m[1]); !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// path is a target's path with its varying segments as {}: those with a digit, and those that were given.
func path(target string, given map[string]bool) string {
	target, _, _ = strings.Cut(target, "?")
	segments := strings.Split(target, "/")
	for i, s := range segments {
		if s != "" && (given[s] || digits.MatchString(s) && !version.MatchString(s)) {
			segments[i] = "{}"
		}
	}
	return strings.Join(segments, "/")
}

var version = regexp.MustCompile(`^v[0-9]+$`)
