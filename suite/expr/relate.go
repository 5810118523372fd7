package expr

import (
	"math/big"
	"net/url"
	"strings"
)

// relate applies one comparison operator.
func relate(a any, op Op, b any) (bool, error) {
	switch op {
	case Eq, Ne:
		return Equal(a, b) == (op == Eq), nil
	case Is, IsNot:
		same, err := identical(a, b)
		return same == (op == Is) && err == nil, err
	case In, NotIn:
		in, err := contains(b, a)
		return in == (op == In) && err == nil, err
	}
	c, ok := order(a, b)
	if t, isText := a.(string); isText && !ok {
		var u string
		if u, ok = b.(string); ok {
			c = strings.Compare(t, u)
		}
	}
	if !ok {
		return false, Raised("values that have no order")
	}
	switch op {
	case Lt:
		return c < 0, nil
	case Le:
		return c <= 0, nil
	case Gt:
		return c > 0, nil
	}
	return c >= 0, nil
}

// identical reports whether two values are the same one of null, true and false.
func identical(a, b any) (bool, error) {
	if x, ok := a.(bool); ok {
		return x == b, nil
	}
	if _, ok := b.(bool); ok {
		return false, nil
	}
	if a != nil && b != nil {
		return false, NotKnown("identity of values")
	}
	return a == nil && b == nil, nil
}

// sameItems evaluates a [SameItems]. Elements are the same where their JSON is, the order of members apart.
func (s Scope) sameItems(x SameItems) (any, error) {
	both, err := s.all([]Expr{x.X, x.Y})
	if err != nil {
		return nil, err
	}
	a, isArray := both[0].(Items)
	b, ok := both[1].(Items)
	if _, isObject := both[0].(map[string]any); isObject {
		return nil, NotKnown("the items of an object") // its names, where a language goes through these
	}
	if !isArray || !ok {
		return nil, Raised("what is no array")
	}
	counts := map[string]int{}
	for _, v := range a {
		counts[string(appendJSON(nil, v))]++
	}
	for _, v := range b {
		counts[string(appendJSON(nil, v))]--
	}
	for _, n := range counts {
		if n != 0 {
			return false, nil
		}
	}
	return true, nil
}

// inOrder evaluates an [InOrder].
func inOrder(v any) (any, error) {
	items, ok := v.(Items)
	if !ok {
		return nil, NotKnown("the order of what is no array")
	}
	for i := 1; i < len(items); i++ {
		if less, err := relate(items[i], Lt, items[i-1]); err != nil || less {
			return false, err
		}
	}
	return true, nil
}

// contains reports whether x is in v, as [In] asks.
func contains(v, x any) (bool, error) {
	key, isText := x.(string)
	switch v := v.(type) {
	case string:
		if !isText {
			return false, Raised("something else looked for in a string")
		}
		return strings.Contains(v, key), nil
	case headers:
		return isText && v.of.message.Header.Has(key), nil
	case map[string]any:
		_, ok := v[key]
		return ok && isText, nil
	case Items:
		for _, e := range v {
			if Equal(e, x) {
				return true, nil
			}
		}
		return false, nil
	}
	return false, Raised("nothing to look in")
}

// textOf returns a text of which something is asked that only texts have. Objects may have anything by the same name.
func textOf(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case map[string]any, headers:
		return "", NotKnown("a member that is called like a method of texts")
	}
	return "", Raised("what is no text")
}

// negative turns the sign of a number.
func negative(v any) (any, error) {
	switch n := v.(type) {
	case *big.Int:
		return new(big.Int).Neg(n), nil
	case float64:
		return -n, nil
	}
	return nil, NotKnown("the sign of what is no number")
}

// toText is the value of a [ToText].
func toText(v any) (any, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case *big.Int:
		return v.String(), nil
	}
	return nil, NotKnown("the text of such a value")
}

// validURI is the generators' check of a location: a text that parses as a URI, the empty one too, or nothing.
func validURI(v any) bool {
	text, ok := v.(string)
	if !ok {
		return v == nil
	}
	_, err := url.Parse(strings.TrimSpace(text))
	return err == nil
}
