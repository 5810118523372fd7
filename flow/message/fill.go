package message

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
)

// Fill puts one text in the place of another at a place of a request, which may hold more than that text.
type Fill struct {
	Place         exchange.Place // as the package comment says: /path/1, /query/q, /body/id
	Before, After string         // unescaped
}

// Filled returns a request with other texts at some places, escaped as each place needs it, and the framing mended.
// Everything else stays byte for byte; a place that is not there, or does not hold the text, is passed over.
func Filled(r *exchange.Request, fills ...Fill) exchange.Request {
	at := map[exchange.Place][]Swap{}
	for _, f := range fills {
		at[f.Place] = append(at[f.Place], Swap{f.Before, f.After})
	}
	return Rewrite(r, at)
}

// MaxMarkers is how many values of one request can have a marker each.
const MaxMarkers = 10_000

// Marker is a text that holds the place of the n-th of some values, so that what is written around it can be told from
// what is put there: n is less than [MaxMarkers]. It needs no escaping anywhere; in the place of a number it is one, so
// that what stands around it stays as it was.
func Marker(n int, value string) string {
	if literal.IsNumber(value) {
		return fmt.Sprintf("70931%04d13907", n)
	}
	return fmt.Sprintf("qZv%04dvZq", n)
}

var markers = regexp.MustCompile(`qZv(\d{4})vZq|70931(\d{4})13907`)

// Mark is a [Marker] that stands in a text.
type Mark struct {
	Start, End int // in bytes
	N          int
}

// Marks lists the markers of a text, in order, of less than n values.
func Marks(text string, n int) []Mark {
	var out []Mark
	for _, m := range markers.FindAllStringSubmatchIndex(text, -1) {
		if i, err := strconv.Atoi(text[max(m[2], m[4]):max(m[3], m[5])]); err == nil && i < n {
			out = append(out, Mark{m[0], m[1], i})
		}
	}
	return out
}
