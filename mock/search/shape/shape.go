package shape

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/lazy"
	"github.com/flaketap/flaketap/mock/search/tree"
)

// maxSaid bounds the texts of a shape that are told apart by what they say.
const maxSaid = 60

// Of is what is the same of answers that are of one kind: names, types, truth values and short texts without their
// numbers. Values that were given to the API are left out.
func Of(body []byte, given map[string]bool) string {
	var v any
	if json.Unmarshal(body, &v) != nil {
		return said(string(body), given)
	}
	return within(v, given, tree.MaxDepth)
}

func within(v any, given map[string]bool, depth int) string {
	if depth == 0 {
		return "…"
	}
	if raw := tree.Text(v); raw != "" && given[raw] {
		return "given"
	}
	switch v := v.(type) {
	case map[string]any:
		parts := make([]string, 0, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if exchange.Secret(exchange.Place("/body").Key(name)) {
				parts = append(parts, name+": secret")
				continue
			}
			parts = append(parts, name+": "+within(v[name], given, depth-1))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		if len(v) == 0 {
			return "[]"
		}
		return "[" + within(v[0], given, depth-1) + "]"
	case string:
		return said(v, given)
	case float64:
		return "number"
	}
	return fmt.Sprint(v) // true, false, or nil
}

var digits = lazy.Regexp(`[0-9]+`)

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
	return fmt.Sprintf("%q", digits().ReplaceAllString(text, "0"))
}

// lastLine is where a trace of Python says what happened, without values.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last, _, _ := strings.Cut(lines[len(lines)-1], ":")
	return digits().ReplaceAllString(last[:min(len(last), maxSaid)], "0")
}
