package mutant

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
	"github.com/flaketap/flaketap/volatility/compare"
)

// Apply plants the mutant in an answer of its operation. It returns the whole message to give in the answer's stead, without
// the 1xx answers before it, and whether that is another one. An answer with another status than the mutant's, one
// without the place, one that was cut or cannot be read, and one of HTTP/2 stay as they are.
//
// Where the body changes, its content coding and transfer coding are undone and its length is stated; else it stays as it
// was on the wire.
func (m Mutant) Apply(r *exchange.Response) (raw []byte, changed bool) {
	if r.Status != m.Status || r.Malformed || r.Cut > 0 || wire.IsHTTP2(r.Head) || len(r.Tunnel) > 0 {
		return nil, false
	}
	head, body := r.Head, r.Body
	switch m.Place.Root() {
	case "status":
		head, changed = withStatus(head, m.To), true
		if m.Status == 204 || m.Status == 304 {
			head, body = withLength(head, 0), nil // other statuses have a body, and this is it
		}
	case "header":
		head, changed = m.editHeader(head)
	case "body":
		payload, err := r.Payload()
		if err != nil || len(payload) == 0 {
			return nil, false
		}
		if body, changed = m.editBody(payload, compare.IsJSON(r.MediaType())); changed {
			head = withLength(head, len(body))
		}
	}
	if !changed {
		return nil, false
	}
	return slices.Concat(head, body), true
}

// editBody returns the payload with the mutant in it.
func (m Mutant) editBody(payload []byte, isJSON bool) ([]byte, bool) {
	if m.Place == exchange.PlaceBody && m.Kind == Truncate {
		return payload[:len(payload)/2], true
	}
	if !isJSON || !json.Valid(payload) {
		if m.Place != exchange.PlaceBody || m.Kind != Change {
			return nil, false
		}
		return m.otherText(payload)
	}
	segments := strings.Split(strings.TrimPrefix(string(m.Place), "/"), "/")[1:]
	edit := m.editValue
	if m.Kind == Drop {
		if len(segments) == 0 {
			return nil, false
		}
		name := segments[len(segments)-1]
		segments = segments[:len(segments)-1]
		edit = func(raw []byte) ([]byte, bool) { return without(raw, name) }
	}
	return edited(payload, segments, edit)
}

// otherText is another text for one that is no JSON.
func (m Mutant) otherText(text []byte) ([]byte, bool) {
	if m.Volatile {
		return []byte(nonsense), string(text) != nonsense
	}
	return nextText(text), true
}

// nonsense is a text of no format.
const nonsense = "~"

// editValue returns what stands in the place of a raw token.
func (m Mutant) editValue(raw []byte) ([]byte, bool) {
	switch m.Kind {
	case Change:
		return m.other(raw)
	case Add:
		return larger(raw)
	case Retype:
		return retyped(raw), true
	case Reorder:
		out := reverse(raw)
		return out, !bytes.Equal(out, raw)
	case Truncate:
		return half(raw)
	}
	return nil, false
}

// other returns another value of the same type.
func (m Mutant) other(raw []byte) ([]byte, bool) {
	switch {
	case raw[0] == '"' && m.Volatile:
		return []byte(`"` + nonsense + `"`), true
	case raw[0] == '"':
		return append(append([]byte{'"'}, nextText(raw[1:len(raw)-1])...), '"'), true
	case string(raw) == "true":
		return []byte("false"), !m.Volatile
	case string(raw) == "false":
		return []byte("true"), !m.Volatile
	case !isNumber(raw):
		return nil, false
	case m.Volatile:
		return farNumber(raw), true
	}
	return nextNumber(raw), true
}

func isNumber(raw []byte) bool { return raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9' }

// nextText returns a text with its last letter or digit turned into the next one; one that has none gets a letter. What
// follows a backslash is no letter: this may be the inside of a JSON string.
func nextText(text []byte) []byte {
	at := -1
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && text[i+1] == 'u':
			i += 5
		case c == '\\':
			i++
		case isAlnum(c):
			at = i
		}
	}
	if at < 0 {
		return append(bytes.Clone(text), 'x')
	}
	out := bytes.Clone(text)
	switch out[at] {
	case 'z':
		out[at] = 'a'
	case 'Z':
		out[at] = 'A'
	case '9':
		out[at] = '0'
	default:
		out[at]++
	}
	return out
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// nextNumber returns a number with the last digit before its exponent turned into the next one.
func nextNumber(raw []byte) []byte {
	out := bytes.Clone(raw)
	end := len(out)
	if i := bytes.IndexAny(out, "eE"); i >= 0 {
		end = i
	}
	out[end-1] = '0' + (out[end-1]-'0'+1)%10
	return out
}

// farNumber returns a number of the other sign and a thousand times as far from 0, 1000 at least; integers stay such.
func farNumber(raw []byte) []byte {
	digits, negative := bytes.CutPrefix(raw, []byte("-"))
	sign := "-"
	if negative {
		sign = ""
	}
	whole, _, fraction := bytes.Cut(digits, []byte("."))
	switch {
	case bytes.ContainsAny(digits, "eE"):
		return []byte(sign + "1e99")
	case string(whole) == "0":
		whole = []byte("1")
	}
	out := sign + string(whole) + "000"
	if fraction {
		out += ".5"
	}
	return []byte(out)
}

// retyped returns a value of another type.
func retyped(raw []byte) []byte {
	switch raw[0] {
	case '"':
		if inner := raw[1 : len(raw)-1]; len(inner) > 0 && isNumber(inner) && json.Valid(inner) {
			return bytes.Clone(inner)
		}
		return strconv.AppendInt(nil, int64(len(raw)-2), 10)
	case 'n':
		return []byte("0")
	case '[':
		return []byte("{}")
	case '{':
		return []byte("[]")
	}
	return fmt.Appendf(nil, `"%s"`, raw)
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
