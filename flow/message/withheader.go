package message

import (
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// WithHeader returns a request with a value in the field of that name, in any case: in the place of the first, with the
// others left out; behind all fields where there is none. One whose head cannot be read stays as it is.
func WithHeader(r exchange.Request, name, value string) exchange.Request {
	end := len(r.Head)
	for _, blank := range []string{"\r\n\r\n", "\n\n"} {
		if strings.HasSuffix(string(r.Head), blank) {
			end = len(r.Head) - len(blank)/2
			break
		}
	}
	if r.Malformed || end == len(r.Head) || !Sendable(value) {
		return r
	}
	lineEnd := string(r.Head[end:])
	var edits []Edit
	for field, at := range FieldLines(r.Head) {
		switch {
		case !strings.EqualFold(strings.TrimSpace(field), name):
		case len(edits) == 0:
			edits = append(edits, Edit{at, []byte(value)})
		default: // the whole line
			edits = append(edits, Edit{line(r.Head, at), nil})
		}
	}
	if len(edits) == 0 {
		if r.Proto == "HTTP/2.0" {
			name = strings.ToLower(name)
		}
		edits = append(edits, Edit{Span{end, end}, []byte(name + ": " + value + lineEnd)})
	}
	return EditHead(r, edits)
}

// EditHead returns a request with edits made in its head.
func EditHead(r exchange.Request, edits []Edit) exchange.Request {
	m := r.Message
	m.Head = apply(r.Head, edits)
	return exchange.ParseRequest(m)
}
