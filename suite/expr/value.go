package expr

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/flaketap/flaketap/internal/literal"
)

// Items is the value of an array. The other values are nil (null), bool, *big.Int (a number without point and
// exponent), float64, string and map[string]any (an object).
type Items []any

// headers is the value of an answer's headers.
type headers struct{ of *Response }

// Number reads a number literal: a *big.Int where there is no point and no exponent, else a float64. ok is false where
// the text is no number.
func Number(text string) (v any, ok bool) {
	text = strings.ReplaceAll(text, "_", "")
	if i, ok := new(big.Int).SetString(text, 10); ok {
		return i, true
	}
	f, _, err := big.ParseFloat(text, 10, 64, big.ToNearestEven)
	if err != nil {
		return nil, false
	}
	x, _ := f.Float64()
	return x, true
}

// ParseJSON reads a JSON text to a value, as Python's json module does: the last of equal keys wins, a number beyond a
// float's range is infinite, a byte-order mark before the text is stepped over. An error tells why the text is no JSON.
func ParseJSON(text []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		if deeper(text) {
			return nil, fmt.Errorf("%w: it is nested more than %d deep", ErrUnread, maxNested)
		}
		return nil, err
	}
	if dec.More() {
		return nil, errors.New("more than one JSON value")
	}
	return fromJSON(v), nil
}

// maxNested is how deep encoding/json reads arrays and objects in each other.
const maxNested = 10000

// deeper reports whether a JSON text has more in each other than is read.
func deeper(text []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			if depth++; depth > maxNested {
				return true
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return false
}

func fromJSON(v any) any {
	switch v := v.(type) {
	case json.Number:
		n, ok := Number(v.String())
		if !ok {
			return math.Inf(1) // an exponent beyond big.Float's own range
		}
		return n
	case []any:
		out := make(Items, len(v))
		for i, x := range v {
			out[i] = fromJSON(x)
		}
		return out
	case map[string]any:
		for k, x := range v {
			v[k] = fromJSON(x)
		}
		return v
	}
	return v
}

// Equal reports whether two values are equal: numbers and booleans compare by value across their types.
func Equal(a, b any) bool {
	if c, ok := order(a, b); ok {
		return c == 0
	}
	switch a := a.(type) {
	case nil:
		return b == nil
	case string:
		s, ok := b.(string)
		return ok && a == s
	case Items:
		l, ok := b.(Items)
		return ok && slices.EqualFunc(a, l, Equal)
	case map[string]any:
		d, ok := b.(map[string]any)
		if !ok || len(a) != len(d) {
			return false
		}
		for k, x := range a {
			if y, ok := d[k]; !ok || !Equal(x, y) {
				return false
			}
		}
		return true
	}
	return false
}

// order compares two numbers exactly, whatever their types; ok is false where one is none, or is not a number.
func order(a, b any) (c int, ok bool) {
	x, okX := exact(a)
	y, okY := exact(b)
	if !okX || !okY {
		return 0, false
	}
	return x.Cmp(y), true
}

// exact returns a number exactly; booleans are 0 and 1.
func exact(v any) (*big.Float, bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return big.NewFloat(1), true
		}
		return new(big.Float), true
	case *big.Int:
		return new(big.Float).SetInt(v), true // SetInt takes the precision that the integer needs
	case float64:
		if math.IsNaN(v) {
			return nil, false
		}
		return big.NewFloat(v), true
	}
	return nil, false
}

func isFalse(v any) bool { return !isTrue(v) }

// isTrue is the truth of a value: null, false, zero, and what is empty are false.
func isTrue(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case Items:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	if f, ok := exact(v); ok {
		return f.Sign() != 0
	}
	return true
}

// length is what [Len] counts; ok is false for what has no length.
func length(v any) (n int, ok bool) {
	switch v := v.(type) {
	case string:
		return utf8.RuneCountInString(v), true
	case Items:
		return len(v), true
	case map[string]any:
		return len(v), true
	}
	return 0, false
}

// jsLength is the value of a [Length].
func jsLength(v any) (any, error) {
	switch v := v.(type) {
	case Items:
		return big.NewInt(int64(len(v))), nil
	case string:
		return big.NewInt(int64(len(utf16.Encode([]rune(v))))), nil
	case map[string]any:
		if n, ok := v["length"]; ok {
			return n, nil
		}
	}
	return nil, Raised("no length")
}

// TypeOf returns the type of a value.
func TypeOf(v any) Type {
	switch v.(type) {
	case bool:
		return TypeBool
	case *big.Int:
		return TypeInt
	case float64:
		return TypeFloat
	case string:
		return TypeString
	case Items:
		return TypeArray
	case map[string]any:
		return TypeObject
	}
	return TypeNull
}

// isOf reports whether a value is of a type as [IsType] asks: a boolean is a whole number too, and null is of no type.
func isOf(v any, t Type) bool {
	switch own := TypeOf(v); own {
	case TypeNull:
		return false
	case TypeBool:
		return t == TypeBool || t == TypeInt
	default:
		return t == own
	}
}

// Show shows a value in one line for people, and so that different values look different: scalars as None, True, 4,
// 4.5, 'text', arrays and objects as JSON, members in the order of their names.
func Show(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case *big.Int:
		return v.String()
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		return literal.Python(v)
	case Items, map[string]any:
		return string(appendJSON(nil, v))
	}
	return "?"
}

// appendJSON appends a value as JSON without blanks, the members of objects in the order of their names. An infinite
// number, which JSON lacks, is a number that every reader takes for one.
func appendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case string:
		return append(b, literal.JSON(v)...)
	case float64:
		if math.IsInf(v, 0) {
			v = math.Copysign(1, v)
			return append(strconv.AppendFloat(b, v, 'f', -1, 64), "e999"...)
		}
		return strconv.AppendFloat(b, v, 'g', -1, 64)
	case Items:
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, e)
		}
		return append(b, ']')
	case map[string]any:
		b = append(b, '{')
		for i, k := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(append(append(b, literal.JSON(k)...), ':'), v[k])
		}
		return append(b, '}')
	}
	return append(b, Show(v)...)
}
