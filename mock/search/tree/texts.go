package tree

import "encoding/json"

// Text is an object or a list that holds something, as a text by which it is found again; "" for other values.
func Text(v any) string {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return ""
		}
	case []any:
		if len(v) == 0 {
			return ""
		}
	default:
		return ""
	}
	raw, _ := json.Marshal(v) // it came from JSON, or is written here
	return string(raw)
}

// Texts adds the texts within a value, and the objects and lists that hold something.
func Texts(v any, to map[string]bool) {
	if raw := Text(v); raw != "" {
		to[raw] = true
	}
	switch v := v.(type) {
	case string:
		to[v] = true
	case map[string]any:
		for _, in := range v {
			Texts(in, to)
		}
	case []any:
		for _, in := range v {
			Texts(in, to)
		}
	}
}
