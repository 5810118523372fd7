package message

import (
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// WithoutHeader returns a request without the fields of that name, in any case. One whose head cannot be read stays as
// it is.
func WithoutHeader(r exchange.Request, name string) exchange.Request {
	if r.Malformed {
		return r
	}
	var edits []Edit
	for field, at := range FieldLines(r.Head) {
		if strings.EqualFold(strings.TrimSpace(field), name) {
			edits = append(edits, Edit{line(r.Head, at), nil})
		}
	}
	if len(edits) == 0 {
		return r
	}
	return EditHead(r, edits)
}

// line is the whole line of a field, its end included, of which only the value is given.
func line(head []byte, value Span) Span {
	from := strings.LastIndexByte(string(head[:value.Start]), '\n') + 1
	to := value.Start + strings.IndexByte(string(head[value.Start:]), '\n') + 1
	return Span{from, to}
}
