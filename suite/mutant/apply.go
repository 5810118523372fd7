package mutant

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
	"github.com/flaketap/flaketap/volatility/compare"
)

// Apply plants the mutant in an answer of its operation. It returns the whole message to give in the answer's stead,
// without the 1xx answers before it, and whether that is another one. An answer with another status than the mutant's,
// one without the place, one that was cut or cannot be read, and one of HTTP/2 stay as they are.
//
// Where the body changes, its content coding and transfer coding are undone and its length is stated; else it stays as
// it was on the wire.
func (m Mutant) Apply(r *exchange.Response) (raw []byte, changed bool) {
	if r.Status != m.Status || r.Malformed || r.Cut > 0 || wire.IsHTTP2(r.Head) || len(r.Tunnel) > 0 {
		return nil, false
	}
	f, head, body := faultOf(m.Kind, m.Way), r.Head, r.Body
	switch m.Place.Root() {
	case "status":
		head, changed = withStatus(head, m.To), true
		if m.Status == 204 || m.Status == 304 {
			head, body = withLength(head, 0), nil // other statuses have a body, and this is it
		}
	case "header":
		head, changed = m.editHeader(head, f)
	case "body":
		payload, err := r.Payload()
		if err != nil || len(payload) == 0 {
			return nil, false
		}
		if body, changed = m.editBody(payload, compare.IsJSON(r.MediaType()), f); changed {
			head = withLength(head, len(body))
		}
	}
	if !changed {
		return nil, false
	}
	return slices.Concat(head, body), true
}

// editBody returns the payload with a fault at the mutant's place.
func (m Mutant) editBody(payload []byte, isJSON bool, f fault) ([]byte, bool) {
	whole := m.Place == exchange.PlaceBody
	switch {
	case whole && f.body != nil:
		return f.body(payload), true
	case !isJSON || !json.Valid(payload):
		if !whole || f.text == nil {
			return nil, false
		}
		return f.text(m, payload)
	}
	segments := strings.Split(strings.TrimPrefix(string(m.Place), "/"), "/")[1:]
	switch {
	case f.member != nil && len(segments) > 0:
		name := segments[len(segments)-1]
		return edited(payload, segments[:len(segments)-1], func(raw []byte) ([]byte, bool) { return f.member(raw, name) })
	case f.token != nil:
		done := false
		return edited(payload, segments, func(raw []byte) ([]byte, bool) {
			if done && f.once {
				return nil, false
			}
			out, changed := f.token(m, raw)
			done = done || changed
			return out, changed
		})
	}
	return nil, false
}

func isNumber(raw []byte) bool { return raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9' }
