package flow

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/internal/jsontree"
)

// maxShaped bounds, in bytes, the bodies whose shapes are compared.
const maxShaped = 64 << 10

// shapeOf returns a hash of the names of the members of a JSON body: how many elements a list has is no matter of it.
func shapeOf(r *exchange.Response) uint64 {
	body, err := r.Payload()
	if err != nil || len(body) > maxShaped {
		return 0
	}
	names := map[uint64]bool{}
	out := uint64(0)
	jsontree.Scalars(body, func(path []jsontree.Step, _, _ int) {
		name, parent := message.LastKey(path)
		if h := hashOn(hashOn(hash(parent), "/"), name); !names[h] {
			names[h] = true
			out ^= h
		}
	})
	return out
}

// bodyShape is the shape of an answer that others are held against. It is worked out when it is needed, which it nearly
// never is: most answers to one request are the same but for what their scalars hold.
type bodyShape struct {
	of             *exchange.Response
	outlined, full bool // which of the two are known
	outline, hash  uint64
	told           bool // outline tells
}

// alike reports whether another answer has the same shape.
func (s *bodyShape) alike(r *exchange.Response) bool {
	if !s.outlined {
		s.outlined = true
		s.outline, s.told = outlineOf(s.of)
	}
	if other, ok := outlineOf(r); ok && s.told && other == s.outline {
		return true
	}
	if !s.full {
		s.full = true
		s.hash = shapeOf(s.of)
	}
	return s.hash == shapeOf(r)
}

// outlineOf returns a hash of a body without what its scalars hold, for the same shape of another with the same one. It
// looks at each byte once, and gives up where that does not tell whether the body is JSON: at escapes, at control
// characters in strings, at numbers that begin with a needless 0.
func outlineOf(r *exchange.Response) (h uint64, ok bool) {
	body, err := r.Payload()
	if err != nil || len(body) > maxShaped {
		return 0, false
	}
	h = hash("")
	for i := 0; i < len(body); {
		c := body[i]
		if isDigit(c) {
			h = outlined(h, '0')
		} else {
			h = outlined(h, c)
		}
		switch {
		case c == '"':
			end := stringEnd(body, i+1)
			if end < 0 {
				return 0, false
			}
			if isKey(body, end) {
				for _, c := range body[i+1 : end] {
					h = outlined(h, c)
				}
			}
			i = end
		case isDigit(c):
			if c == '0' && i+1 < len(body) && isDigit(body[i+1]) && (i == 0 || body[i-1] != '.') {
				return 0, false
			}
			for i+1 < len(body) && isDigit(body[i+1]) {
				i++
			}
		}
		i++
	}
	return h, true
}

func outlined(h uint64, c byte) uint64 { return (h ^ uint64(c)) * 1099511628211 }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// stringEnd returns where the quote stands that ends the string whose text begins at i, -1 where that cannot be told.
func stringEnd(body []byte, i int) int {
	for ; i < len(body); i++ {
		switch c := body[i]; {
		case c == '"':
			return i
		case c == '\\' || c < ' ':
			return -1
		}
	}
	return -1
}

// isKey reports whether a string that ends with the quote at end is the key of a member.
func isKey(body []byte, end int) bool {
	for i := end + 1; i < len(body); i++ {
		if !message.IsBlank(body[i]) {
			return body[i] == ':'
		}
	}
	return false
}
