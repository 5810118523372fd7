package compare

import (
	"math/bits"
	"strconv"
	"strings"
)

// Each byte of these words is one that a string cannot hold as it is, or the highest bit, or the lowest.
const (
	quotes    = 0x2222222222222222
	slashes   = 0x5c5c5c5c5c5c5c5c
	blanks    = 0x2020202020202020 // below them are the control characters
	highest   = 0x8080808080808080
	ones      = 0x0101010101010101
	wordBytes = 8
)

// special marks, by its highest bit, the first byte of a word that is a quote, a backslash or a control character. Bits
// of bytes behind that one say nothing.
func special(w uint64) uint64 {
	q, b := w^quotes, w^slashes
	return ((q-ones)&^q | (b-ones)&^b | (w-blanks)&^w) & highest
}

// scanString returns the position after the quote that ends the string whose text begins at i, the hash of the text as
// it is written, and whether it has escapes. The position is -1 where the string does not end, holds a control
// character or a broken escape.
func scanString(s string, i int) (end int, hash uint64, escaped bool) {
	from, h, by := i, seed.first, seed.by
	for ; i+wordBytes <= len(s); i += wordBytes {
		w := load(s, i)
		m := special(w)
		if m == 0 {
			h = fold(h, w, by)
			continue
		}
		n := bits.TrailingZeros64(m) / wordBytes
		if s[i+n] != '"' {
			break
		}
		i += n
		return i + 1, finish(h, w&(1<<(wordBytes*n)-1), i-from), false
	}
	end, escaped = scanSlowly(s, i)
	if end < 0 {
		return end, 0, escaped
	}
	return end, hashWithin(s, from, end-1), escaped
}

// scanSlowly does what scanString does but for the hash, byte by byte.
func scanSlowly(s string, i int) (end int, escaped bool) {
	for i < len(s) {
		c := s[i]
		switch {
		case c == '"':
			return i + 1, escaped
		case c == '\\':
			escaped = true
			n := escapeLength(s[i:])
			if n == 0 {
				return -1, true
			}
			i += n
		case c < 0x20:
			return -1, escaped
		default:
			i++
		}
	}
	return -1, escaped
}

// escapeLength returns the number of bytes of the escape that s begins with, 0 where it is none.
func escapeLength(s string) int {
	if len(s) < 2 {
		return 0
	}
	switch s[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(s) < 6 {
			return 0
		}
		for _, c := range []byte(s[2:6]) {
			if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
				return 0
			}
		}
		return 6
	}
	return 0
}

// scanNumber returns the position after the number that begins at i, -1 where there is none.
func scanNumber(s string, i int) int {
	if i < len(s) && s[i] == '-' {
		i++
	}
	switch {
	case i < len(s) && s[i] == '0':
		i++
	case i < len(s) && s[i] >= '1' && s[i] <= '9':
		i = digits(s, i)
	default:
		return -1
	}
	if i < len(s) && s[i] == '.' {
		end := digits(s, i+1)
		if end == i+1 {
			return -1
		}
		i = end
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		end := digits(s, i)
		if end == i {
			return -1
		}
		i = end
	}
	return i
}

// digits returns the position of the first byte from i on that is no digit.
func digits(s string, i int) int {
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return i
}

// sameValue reports whether two raw scalars that are not the same bytes mean the same value.
func sameValue(k kind, a, b string) bool {
	switch k {
	case number:
		return sameNumber(a, b)
	case text:
		return sameText(a, b)
	}
	return false
}

// sameNumber compares exactly, whatever the size: as digits and a power of ten. Exponents beyond int64 are left alone.
func sameNumber(a, b string) bool {
	x, okX := decimalOf(a)
	y, okY := decimalOf(b)
	return okX && okY && x == y
}

// decimal is the number 0.digits × 10^exp; zero has no digits.
type decimal struct {
	negative bool
	digits   string
	exp      int64
}

func decimalOf(raw string) (d decimal, ok bool) {
	rest, negative := strings.CutPrefix(raw, "-")
	var exp int64
	if i := strings.IndexAny(rest, "eE"); i >= 0 {
		var err error
		if exp, err = strconv.ParseInt(rest[i+1:], 10, 64); err != nil || exp > 1<<60 || exp < -1<<60 {
			return d, false
		}
		rest = rest[:i]
	}
	whole, fraction, _ := strings.Cut(rest, ".")
	exp += int64(len(whole))
	all := whole + fraction
	trimmed := strings.TrimLeft(all, "0")
	exp -= int64(len(all) - len(trimmed))
	trimmed = strings.TrimRight(trimmed, "0")
	if trimmed == "" {
		return decimal{}, true
	}
	return decimal{negative, trimmed, exp}, true
}

// sameText compares strings by what they mean. Lone surrogates all read as U+FFFD, so a text that has them is equal to
// no other.
func sameText(a, b string) bool {
	if !strings.Contains(a, `\`) && !strings.Contains(b, `\`) {
		return false
	}
	x, y := unquote(a), unquote(b)
	return x == y && !strings.Contains(x, "\ufffd")
}
