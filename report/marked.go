package report

import "unicode/utf8"

// Marked tells the part of a value that differs from the recorded one from what the two begin and end with alike. Words
// are marked whole: that two of them end in the same digit means nothing.
func Marked(recorded, value string) (before, differs, behind string) {
	a, b := recorded, value
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	for n > 0 && (n < len(b) && partOfWord(b[n]) || n < len(a) && partOfWord(a[n])) && partOfWord(b[n-1]) {
		n--
	}
	end := 0
	for end < min(len(a), len(b))-n && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	for end > 0 && partOfWord(b[len(b)-end]) &&
		(end < len(b) && partOfWord(b[len(b)-end-1]) || end < len(a) && partOfWord(a[len(a)-end-1])) {
		end--
	}
	return b[:n], b[n : len(b)-end], b[len(b)-end:]
}

// partOfWord reports whether a byte belongs to a word: a letter, a digit, or a part of a character beyond ASCII.
func partOfWord(c byte) bool {
	return c >= utf8.RuneSelf || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
