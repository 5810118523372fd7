package build

import (
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// idLike reports whether a place is named as ids are, or as what is made of one: id, orderId, order_id, number, self.
func idLike(place exchange.Place) bool {
	segments := place.Segments()
	name := segments[len(segments)-1]
	for strings.Trim(name, "0123456789") == "" && len(segments) > 2 { // an element of a list of ids
		segments = segments[:len(segments)-1]
		name = strings.TrimSuffix(segments[len(segments)-1], "s")
	}
	flat := strings.ToLower(strings.TrimLeft(name, "_@$"))
	switch flat {
	case "id", "uuid", "guid", "number", "no", "nr", "ref", "reference", "self", "href", "url", "uri", "link", "location",
		"etag", "slug", "code", "seq":
		return true
	}
	return strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "ID") || strings.HasSuffix(flat, "_id") ||
		strings.HasSuffix(flat, "-id") ||
		strings.HasSuffix(flat, "uuid") || strings.HasSuffix(name, "Number") || strings.HasSuffix(flat, "_number")
}

// refersTo reports whether a place is named for what a bound value is the id of: "user" for userId.
func refersTo(place exchange.Place, v *exchange.Binding) bool {
	segments := place.Segments()
	return strings.EqualFold(segments[len(segments)-1]+"Id", v.Name)
}

// shapeOf says of an id what holds of others of its kind.
func shapeOf(kind, text string) mapfile.Holds {
	h := mapfile.Holds{Type: kind}
	if kind == "string" {
		for _, format := range []string{"uuid4", "uuid", "digits"} {
			of := mapfile.Holds{Type: kind, Format: format}
			if of.Satisfied(literal.JSON(text), time.Time{}) == nil {
				return of
			}
		}
	}
	return h
}
