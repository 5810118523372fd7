package suite

import (
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Instead is what a person could write in the place of an assertion that is not followed, of which it is found out
// otherwise at which place of an answer it looks: the strongest statement that its language has of what holds there and
// of all values that were seen, raw JSON tokens; "" where there is none. Secrets are not to be among what holds.
func Instead(s *script.Script, t *script.Test, a *script.Assertion, holds mapfile.Holds, seen []string) string {
	if a.Looked == nil || s.Writer.Assert == nil {
		return ""
	}
	var values []any
	var texts []string
	for _, token := range seen {
		v, err := expr.ParseJSON([]byte(token))
		if err != nil {
			return "" // there is none, in some answer
		}
		values = append(values, v)
		if text, ok := v.(string); ok && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	if len(values) == 0 {
		return ""
	}
	for _, x := range append(expr.Learned(a.Looked, holds, texts), expr.Shapes(a.Looked, values)...) {
		if slices.ContainsFunc(values, func(v any) bool { return !expr.HoldsOf(x, a.Looked, v) }) {
			continue
		}
		if text, ok := s.Writer.Assert(s, t, a, x); ok {
			return text
		}
	}
	return ""
}
