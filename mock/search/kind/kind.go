// Package kind says what types values of JSON have, and what type a name tells: one of a type, in the languages in
// which APIs and their parsers are written, or one of a field, as most services use it.
package kind

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
	Null    Kind = "null"
)

// Of is the kind of a value.
func Of(v any) Kind {
	switch v.(type) {
	case nil:
		return Null
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

// Holds reports whether other values may lie in one of the kind.
func (k Kind) Holds() bool { return k == List || k == Object }

// Takes reports whether a value is of the kind.
func (k Kind) Takes(v any) bool {
	got := Of(v)
	return got == k || k == Integer && got == Number || k == Unknown || k == Any
}

// kinds are the words that parsers have for types.
var kinds = map[string]Kind{
	"string": String, "str": String, "text": String, "java.lang.String": String, "String": String, "CharSequence": String, "&str": String,
	"number": Number, "float": Number, "double": Number, "float64": Number, "float32": Number, "f64": Number, "f32": Number, "Double": Number,
	"java.lang.Double": Number, "java.math.BigDecimal": Number, "BigDecimal": Number, "Float": Number, "decimal": Number, "System.Double": Number, "System.Decimal": Number,
	"integer": Integer, "int": Integer, "long": Integer, "Int": Integer, "Long": Integer, "Integer": Integer, "java.lang.Integer": Integer, "java.lang.Long": Integer,
	"i32": Integer, "i64": Integer, "u32": Integer, "u64": Integer, "int32": Integer, "int64": Integer, "uint": Integer, "uint64": Integer, "uint32": Integer,
	"System.Int32": Integer, "System.Int64": Integer, "bigint": Integer,
	"bool": Boolean, "boolean": Boolean, "Boolean": Boolean, "java.lang.Boolean": Boolean, "System.Boolean": Boolean,
	"list": List, "array": List, "BEGIN_ARRAY": List, "sequence": List, "List": List, "tuple": List, "iterable": List, "Array": List,
	"object": Object, "dict": Object, "dictionary": Object, "BEGIN_OBJECT": Object, "mapping": Object, "map": Object, "struct": Object, "Map": Object, "record": Object,
}

// Named is the kind that a name of a type stands for, in most languages and in JSON Schema; Unknown for others.
func Named(name string) Kind {
	name = strings.TrimSpace(name)
	if k, known := kinds[name]; known {
		return k
	}
	base := name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case strings.HasPrefix(name, "[]"), strings.Contains(name, "List<"), strings.HasSuffix(name, "[]"), strings.HasPrefix(strings.ToLower(name), "list["),
		strings.HasPrefix(name, "Array<"), strings.Contains(name, "Set<"):
		return List
	case strings.HasPrefix(name, "map["), strings.Contains(name, "Map<"), strings.HasPrefix(name, "Record<"):
		return Object
	case strings.HasPrefix(name, "*"):
		return Named(name[1:])
	}
	return kinds[base]
}

// Usual is the kind that a field of a name has in most services; Unknown where the name tells nothing.
func Usual(name string) Kind {
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
