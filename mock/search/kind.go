package search

import "strings"

// Kind is what type a field has, as far as it is known.
type Kind string

// The kinds.
const (
	Unknown Kind = ""
	Any     Kind = "any" // each type is taken
	String  Kind = "string"
	Number  Kind = "number"
	Integer Kind = "integer"
	Boolean Kind = "boolean"
	List    Kind = "list"
	Object  Kind = "object"
	null    Kind = "null"
)

// kindOf is the kind of a value.
func kindOf(v any) Kind {
	switch v.(type) {
	case nil:
		return null
	case string:
		return String
	case bool:
		return Boolean
	case []any:
		return List
	case map[string]any:
		return Object
	}
	return Number
}

// holds reports whether other values may lie in one of the kind.
func (k Kind) holds() bool { return k == List || k == Object }

// takes reports whether a value is of the kind.
func (k Kind) takes(v any) bool {
	got := kindOf(v)
	return got == k || k == Integer && got == Number || k == Unknown || k == Any
}

// usualKind is the kind that a field of a name has in most services; Unknown where the name tells nothing.
func usualKind(name string) Kind {
	low := strings.ToLower(name)
	if strings.HasPrefix(low, "is_") || strings.HasPrefix(low, "has_") || len(name) > 2 && strings.HasPrefix(name, "is") && name[2] < 'a' {
		return Boolean
	}
	for _, e := range endings {
		for _, end := range e.names {
			at := len(name) - len(end)
			if low == end || at > 0 && strings.HasSuffix(low, end) && (name[at-1] == '_' || name[at] < 'a') {
				return e.kind
			}
		}
	}
	return Unknown
}

// endings are how names of fields of a kind end, or the whole of them.
var endings = []struct {
	kind  Kind
	names []string
}{
	{Boolean, []string{"active", "enabled", "available", "ok", "success", "valid", "has_more", "hasmore", "more", "verified", "approved", "allowed", "open", "closed", "expired", "blocked"}},
	{Number, []string{"rate", "price", "amount", "total", "count", "quantity", "qty", "score", "left", "free", "stock", "limit", "balance", "size", "number",
		"weight", "temperature", "temp", "percent", "lat", "lon", "days", "hours", "minutes", "seconds", "expires_in", "version", "cost", "fee", "tax", "age", "page", "pages", "points"}},
	{List, []string{"items", "results", "data", "list", "tags", "lines", "entries", "rows", "records", "errors", "orders", "products", "users"}},
	{String, []string{"status", "state", "token", "id", "name", "code", "currency", "reason", "message", "type", "kind", "city", "country", "url", "key", "ref", "reference",
		"description", "text", "title", "email", "phone", "zone", "category", "level", "cursor", "next", "basis", "unit"}},
}
