package match

import (
	"bytes"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/flow/words"
	"github.com/flaketap/flaketap/internal/jsontree"
)

// Target returns path and query of a request-target as they are compared: without percent-encoding, of which clients
// use more or less, and without the question mark of an empty query. Where the encoding is broken it stays.
func Target(target string) string {
	path, query := exchange.SplitTarget(target)
	switch {
	case query == "":
	case target[0] == '/':
		path = target // as it is, without a copy: an alignment compares many
	default:
		path += "?" + query
	}
	return message.UnescapePath(path)
}

// SameTarget reports whether two request-targets ask for the same path and query.
func SameTarget(a, b string) bool { return a == b || Target(a) == Target(b) }

// route returns the path of a request-target with a blank for each segment that is no word.
func route(target string) string {
	path, _ := exchange.SplitTarget(target)
	var b strings.Builder
	for s := range strings.SplitSeq(strings.TrimSuffix(path, "/"), "/") {
		if s = message.UnescapePath(s); !words.LooksLikeWord(s) {
			s = " "
		}
		b.WriteByte('/')
		b.WriteString(s)
	}
	return b.String()
}

// SameBody reports whether two requests say the same in their bodies: the same bytes but for white space around them,
// or the same JSON.
func SameBody(a, b *exchange.Request) bool {
	x, errX := a.Payload()
	y, errY := b.Payload()
	if errX != nil || errY != nil {
		return false
	}
	return bytes.Equal(bytes.TrimSpace(x), bytes.TrimSpace(y)) || SameJSON(x, y)
}

// SameJSON reports whether two texts are the same JSON, however it is written. Only objects, arrays and texts are
// compared: of anything else the bytes tell as much.
func SameJSON(a, b []byte) bool {
	return len(a) <= jsontree.MaxText && len(b) <= jsontree.MaxText && structured(a) && structured(b) &&
		jsontree.Same(string(a), string(b))
}

// structured reports whether a text may be JSON of more than a number or a word.
func structured(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return len(text) > 0 && strings.IndexByte(`{["`, text[0]) >= 0
}

// Changed is a value that a client made up anew.
type Changed struct{ Recorded, Live string }

// maxValues bounds the values of a request that are compared.
const maxValues = 256

// MadeUp compares a request with a recorded one of the same operation. It returns the values of target and body that
// the client made up anew; ok is false where the two differ in anything else, or in nothing.
func MadeUp(recorded, live *exchange.Request) (changed []Changed, ok bool) {
	return SameBut(recorded, live, func(_ exchange.Place, c Changed) bool { return c.MadeUp() })
}

// SameBut is that for values of which somebody else says whether they may be others, by their places.
func SameBut(recorded, live *exchange.Request, other func(exchange.Place, Changed) bool) (changed []Changed, ok bool) {
	was, now := message.SitesOutsideHeader(recorded), message.SitesOutsideHeader(live)
	was, now = was[:min(len(was), maxValues)], now[:min(len(now), maxValues)]
	if len(was) != len(now) {
		return nil, false
	}
	for i, w := range was {
		n, c := now[i], Changed{w.Value, now[i].Value}
		if w.Place != n.Place || w.Value != n.Value && !other(w.Place, c) {
			return nil, false
		}
		if w.Value != n.Value {
			changed = append(changed, c)
		}
	}
	return changed, len(changed) > 0
}

// MadeUp reports whether both values look made up.
func (c Changed) MadeUp() bool { return bothMadeUp(c.Recorded, c.Live) }

// bothMadeUp reports whether two values may be what a client made up in two runs: both particular, or the same but for
// a stretch of digits or hex digits at the end.
func bothMadeUp(a, b string) bool {
	if words.Particular(a) && words.Particular(b) {
		return true
	}
	const hexDigits = "0123456789abcdefABCDEF"
	x, y := strings.TrimRight(a, hexDigits), strings.TrimRight(b, hexDigits)
	return x == y && x != "" && len(a)-len(x) >= 4 && len(b)-len(y) >= 4
}
