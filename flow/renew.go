package flow

import (
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// dateForms are the forms that a Date may have (RFC 9110, section 5.6.7).
var dateForms = []string{"Mon, 02 Jan 2006 15:04:05 GMT", time.RFC850, time.ANSIC}

// ownDate is how far a Date may be from the moment of its request to be that moment's own: clocks differ.
const ownDate = 5 * time.Minute

// Renew returns a request with its Date as the client would write it now: what RFC 9110, section 6.6.1, has a client say
// is when the message came into being. A Date that was not that of the recorded moment is something else, as a fuzzer's
// own choice, and stays; so does one that a signature vouches for. recordedAt is when the request was recorded.
func Renew(r exchange.Request, recordedAt, now time.Time) exchange.Request {
	if r.Malformed || recordedAt.IsZero() || !r.Header.Has("Date") {
		return r
	}
	if _, signed := Signed(&r); signed {
		return r
	}
	for name, at := range fieldLines(r.Head) {
		if !strings.EqualFold(strings.TrimSpace(name), "Date") {
			continue
		}
		for _, form := range dateForms {
			said, err := time.Parse(form, string(r.Head[at.start:at.end]))
			if off := said.Sub(recordedAt); err != nil || off > ownDate || off < -ownDate {
				continue
			}
			text := now.UTC().Add(said.Sub(recordedAt.Truncate(time.Second))).Format(form)
			if form == time.RFC850 {
				text = strings.TrimSuffix(text, "UTC") + "GMT"
			}
			return withHead(r, apply(r.Head, []edit{{at, []byte(text)}}))
		}
	}
	return r
}

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
	if r.Malformed || end == len(r.Head) || !sendable(value) {
		return r
	}
	lineEnd := string(r.Head[end:])
	var edits []edit
	for field, at := range fieldLines(r.Head) {
		switch {
		case !strings.EqualFold(strings.TrimSpace(field), name):
		case len(edits) == 0:
			edits = append(edits, edit{at, []byte(value)})
		default: // the whole line
			from := strings.LastIndexByte(string(r.Head[:at.start]), '\n') + 1
			to := at.start + strings.IndexByte(string(r.Head[at.start:]), '\n') + 1
			edits = append(edits, edit{span{from, to}, nil})
		}
	}
	if len(edits) == 0 {
		if r.Proto == "HTTP/2.0" {
			name = strings.ToLower(name)
		}
		edits = append(edits, edit{span{end, end}, []byte(name + ": " + value + lineEnd)})
	}
	return withHead(r, apply(r.Head, edits))
}

func withHead(r exchange.Request, head []byte) exchange.Request {
	m := r.Message
	m.Head = head
	return exchange.ParseRequest(m)
}
