package flow

import (
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
)

// dateForms are the forms that a Date may have (RFC 9110, section 5.6.7).
var dateForms = []string{"Mon, 02 Jan 2006 15:04:05 GMT", time.RFC850, time.ANSIC}

// ownDate is how far a Date may be from the moment of its request to be that moment's own: clocks differ.
const ownDate = 5 * time.Minute

// Renew returns a request with its Date as the client would write it now: what RFC 9110, section 6.6.1, has a client
// say is when the message came into being. A Date that was not that of the recorded moment is something else, as a
// fuzzer's own choice, and stays; so does one that a signature vouches for. recordedAt is when the request was
// recorded.
func Renew(r exchange.Request, recordedAt, now time.Time) exchange.Request {
	if r.Malformed || recordedAt.IsZero() || !r.Header.Has("Date") {
		return r
	}
	if _, signed := Signed(&r); signed {
		return r
	}
	for name, at := range message.FieldLines(r.Head) {
		if !strings.EqualFold(strings.TrimSpace(name), "Date") {
			continue
		}
		for _, form := range dateForms {
			said, err := time.Parse(form, string(r.Head[at.Start:at.End]))
			if off := said.Sub(recordedAt); err != nil || off > ownDate || off < -ownDate {
				continue
			}
			text := now.UTC().Add(said.Sub(recordedAt.Truncate(time.Second))).Format(form)
			if form == time.RFC850 {
				text = strings.TrimSuffix(text, "UTC") + "GMT"
			}
			return message.EditHead(r, []message.Edit{{Span: at, Text: []byte(text)}})
		}
	}
	return r
}
