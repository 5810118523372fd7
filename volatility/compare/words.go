package compare

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// words splits a text into what is fixed or variable as a whole: words with what joins them to one thing (a date, a
// version, an address, a qualified name: 2026-01-29T12:15:09.5Z, 10.0.0.1:8080, java.lang.String), runs of white
// space, and every other character alone. The parts joined give the text.
func words(s string) []string {
	var out []string
	for i := 0; i < len(s); {
		n := wordLength(s[i:])
		out = append(out, s[i:i+n])
		i += n
	}
	return out
}

func wordLength(s string) int {
	first, size := utf8.DecodeRuneInString(s)
	switch {
	case unicode.IsSpace(first):
		return runLength(s, unicode.IsSpace)
	case !wordRune(first):
		return size
	}
	n := runLength(s, wordRune)
	for n+1 < len(s) && joins(s[n]) {
		next, _ := utf8.DecodeRuneInString(s[n+1:])
		if !wordRune(next) {
			break
		}
		n += 1 + runLength(s[n+1:], wordRune)
	}
	return n
}

func wordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func joins(c byte) bool { return c == '.' || c == ':' || c == '+' || c == '-' }

func runLength(s string, in func(rune) bool) int {
	for i, r := range s {
		if !in(r) {
			return i
		}
	}
	return len(s)
}

// Shuffled reports whether two different texts are made of the same words in another order, as when a message lists
// the names that it knows and takes them from a hash table.
func Shuffled(a, b string) bool {
	if len(a) != len(b) || a == b || !sameBytes(a, b) {
		return false
	}
	x, y := words(a), words(b)
	if len(x) != len(y) || len(x) < 3 {
		return false
	}
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// sameBytes reports whether two texts of one length may be made of the same bytes. It is never wrong where it says no.
func sameBytes(a, b string) bool {
	var sum, squares int
	for i := range len(a) {
		x, y := int(a[i]), int(b[i])
		sum += x - y
		squares += x*x - y*y
	}
	return sum == 0 && squares == 0
}
