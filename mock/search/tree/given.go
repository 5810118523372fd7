package tree

import "strings"

// GivenBack reports whether two answers differ only where one has a value that was given, and the other another.
func GivenBack(a, b, givenA, givenB any) bool {
	if Same(a, b) || isGiven(a, givenA) && isGiven(b, givenB) {
		return true
	}
	switch x := a.(type) {
	case map[string]any:
		y, is := b.(map[string]any)
		if !is || len(x) != len(y) {
			return false
		}
		for name, v := range x {
			if w, there := y[name]; !there || !GivenBack(v, w, givenA, givenB) {
				return false
			}
		}
		return true
	case []any:
		y, is := b.([]any)
		if !is || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !GivenBack(x[i], y[i], givenA, givenB) {
				return false
			}
		}
		return true
	}
	return false
}

// isGiven reports whether a value is one that was given, be it in capitals.
func isGiven(v, given any) bool {
	text, is := v.(string)
	other, both := given.(string)
	if is && both {
		return strings.EqualFold(text, other)
	}
	return Same(v, given)
}

// Shifted is a value with all its numbers so much higher.
func Shifted(v any, by float64) any {
	switch v := v.(type) {
	case float64:
		return v + by
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, in := range v {
			out[name] = Shifted(in, by)
		}
		return out
	}
	return v
}
