package search

import (
	"encoding/json"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/tree"
)

// varied is a field of a base that is changed alone.
type varied struct {
	base     *base
	endpoint Endpoint
	field    exchange.Place
}

// variant is what came of one value of a field.
type variant struct {
	value any
	seen  sight
	body  any
}

// maxVariants bounds the values of a field that others are held against.
const maxVariants = 4

// echo reports whether the outcome of a change differs from that of another value of the field in nothing but this
// value, which the API gives back: that is no other behavior. A truth value that turns is one.
func (h *hunt) echo(c change, seen sight, body []byte) bool {
	value, there := tree.Get(c.answer.JSON, tree.Within(c.field))
	var now any
	if c.field == "" || !there || json.Unmarshal(body, &now) != nil {
		return false
	}
	key := varied{c.base, c.endpoint, c.field}
	if old, is := tree.Get(c.base.current(c.endpoint).JSON, tree.Within(c.field)); is && h.varied[key] == nil {
		h.varied[key] = []variant{{old, c.base.sight, c.base.body}}
	}
	for _, v := range h.varied[key] {
		if v.seen.rest == seen.rest && v.seen.log == seen.log && v.seen.toldKey == seen.toldKey &&
			!(kindOf(v.value) == Boolean && kindOf(value) == Boolean) && givenBack(v.body, now, v.value, value) {
			return true
		}
	}
	if len(h.varied[key]) < maxVariants {
		h.varied[key] = append(h.varied[key], variant{value, seen, now})
	}
	return false
}

// givenBack reports whether two answers differ only where one has a value that was given, and the other another.
func givenBack(a, b, givenA, givenB any) bool {
	if tree.Same(a, b) || isGiven(a, givenA) && isGiven(b, givenB) {
		return true
	}
	switch x := a.(type) {
	case map[string]any:
		y, is := b.(map[string]any)
		if !is || len(x) != len(y) {
			return false
		}
		for name, v := range x {
			if w, there := y[name]; !there || !givenBack(v, w, givenA, givenB) {
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
			if !givenBack(x[i], y[i], givenA, givenB) {
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
	return tree.Same(v, given)
}
