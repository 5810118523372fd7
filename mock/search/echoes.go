package search

import (
	"encoding/json"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/kind"
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
			!(kind.Of(v.value) == kind.Boolean && kind.Of(value) == kind.Boolean) &&
			tree.GivenBack(v.body, now, v.value, value) {
			return true
		}
	}
	if len(h.varied[key]) < maxVariants {
		h.varied[key] = append(h.varied[key], variant{value, seen, now})
	}
	return false
}
