package mutant

import (
	"encoding/json"

	"github.com/flaketap/flaketap/exchange"
)

// Truncate cuts off the second half of the body, of a string or of an array.
const Truncate Kind = "truncate"

// truncate cuts off the second half of a body, of a string or of an array.
func truncate() fault {
	return fault{
		kind: Truncate,
		breaks: func(m Mutant, v *seen, known Judgement) bool {
			// Half of a text that is long at times and short at others may be another such text.
			return m.Place == exchange.PlaceBody || inBody(m) && v.long && (!known.Volatile || v.has(`"`) && v.length > 0)
		},
		token: func(_ Mutant, raw []byte) ([]byte, bool) { return half(raw) },
		body:  func(payload []byte) []byte { return payload[:len(payload)/2] },
		tells: func(m Mutant) string {
			switch {
			case m.Place == exchange.PlaceBody:
				return "that the body is whole"
			case m.Volatile:
				return "its format or length"
			}
			return m.equality()
		},
	}
}

// half returns the first half of a string or an array.
func half(raw []byte) ([]byte, bool) {
	switch raw[0] {
	case '"':
		var text string
		if json.Unmarshal(raw, &text) != nil {
			return nil, false
		}
		runes := []rune(text)
		if len(runes) < 2 {
			return nil, false
		}
		out, err := json.Marshal(string(runes[:len(runes)/2]))
		return out, err == nil
	case '[':
		parts := elements(raw)
		if len(parts) < 2 {
			return nil, false
		}
		return container(raw, parts[:len(parts)/2]), true
	}
	return nil, false
}
