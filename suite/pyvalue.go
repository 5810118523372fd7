package suite

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Python value is one of: nil (None), bool, *big.Int, float64, string, pyItems (list or tuple), map[string]any
// (dict), and the kinds of pyeval.go. Equality and truth are Python's own, so that a claim is held against an answer
// exactly as the suite would hold it.

// pyItems is a list or a tuple.
type pyItems []any

// pyNumber reads a number literal, of JSON or of Python: an int where there is no point and no exponent.
func pyNumber(text string) (any, bool) {
	text = strings.ReplaceAll(text, "_", "")
	if i, ok := new(big.Int).SetString(text, 10); ok {
		return i, true
	}
	f, _, err := big.ParseFloat(text, 10, 64, big.ToNearestEven)
	if err != nil {
		return nil, false
	}
	v, _ := f.Float64()
	return v, true
}

// pyJSON reads a JSON text to Python values as Python's json module does: the last of equal keys wins, a number beyond
// a float's range is infinite.
func pyJSON(text []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if dec.More() {
		return nil, errors.New("more than one JSON value")
	}
	return fromJSON(v), nil
}

func fromJSON(v any) any {
	switch v := v.(type) {
	case json.Number:
		n, ok := pyNumber(v.String())
		if !ok {
			return math.Inf(1) // an exponent beyond big.Float's own range
		}
		return n
	case []any:
		out := make(pyItems, len(v))
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

// pyEqual is Python's ==: numbers and booleans compare by value across their types.
func pyEqual(a, b any) bool {
	if c, ok := pyOrder(a, b); ok {
		return c == 0
	}
	switch a := a.(type) {
	case nil:
		return b == nil
	case string:
		s, ok := b.(string)
		return ok && a == s
	case pyItems:
		l, ok := b.(pyItems)
		return ok && slices.EqualFunc(a, l, pyEqual)
	case map[string]any:
		d, ok := b.(map[string]any)
		if !ok || len(a) != len(d) {
			return false
		}
		for k, x := range a {
			if y, ok := d[k]; !ok || !pyEqual(x, y) {
				return false
			}
		}
		return true
	}
	return false
}

// pyOrder compares two numbers exactly, whatever their types; ok is false where one is none, or is not a number.
func pyOrder(a, b any) (c int, ok bool) {
	x, okX := pyFloat(a)
	y, okY := pyFloat(b)
	if !okX || !okY {
		return 0, false
	}
	return x.Cmp(y), true
}

// pyFloat returns a number exactly; booleans are 0 and 1.
func pyFloat(v any) (*big.Float, bool) {
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

// pyTrue is Python's truth of a value.
func pyTrue(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case pyItems:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	if f, ok := pyFloat(v); ok {
		return f.Sign() != 0
	}
	return true
}

// pyLen is Python's len.
func pyLen(v any) (int, bool) {
	switch v := v.(type) {
	case string:
		return utf8.RuneCountInString(v), true
	case pyItems:
		return len(v), true
	case map[string]any:
		return len(v), true
	}
	return 0, false
}

// pyIs reports whether a value is of the type that isinstance is asked for.
func pyIs(v any, name string) bool {
	switch v.(type) {
	case bool:
		return name == "bool" || name == "int"
	case *big.Int:
		return name == "int"
	case float64:
		return name == "float"
	case string:
		return name == "str"
	case pyItems:
		return name == "list"
	case map[string]any:
		return name == "dict"
	}
	return false
}
