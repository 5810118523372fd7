package read

import (
	"strings"
	"unicode"
)

// linesOf are the words of the lines of a text: names, their parts, and what stands in texts. Numbers are none, as lines
// are alike whatever their times.
func linesOf(tokens []token) []wordsOf {
	var out []wordsOf
	for _, t := range tokens {
		if t.kind != name && t.kind != text {
			continue
		}
		if len(out) == 0 || out[len(out)-1].line != t.line {
			out = append(out, wordsOf{line: t.line})
		}
		l := &out[len(out)-1]
		if len(l.words) >= maxWords {
			continue
		}
		if t.kind == text {
			l.words = append(l.words, partsOf(t.text)...)
			continue
		}
		whole := strings.ToLower(t.text)
		if keywords[whole] || len(whole) > maxWord {
			continue
		}
		l.words = append(l.words, whole)
		if p := partsOf(t.text); len(p) > 1 {
			l.words = append(l.words, p...)
		}
	}
	return out
}

// partsOf are the words of a text or a name, of two letters or more, without keywords.
func partsOf(s string) []string {
	var out []string
	for _, p := range parts(s[:min(len(s), 4*maxWord)]) {
		if len(p) > 1 && len(p) <= maxWord && !keywords[p] && len(out) < maxWords {
			out = append(out, p)
		}
	}
	return out
}

// parts cuts a name into its words, in lower case: waitForLONG_MS is wait, for, long, ms. What is no letter cuts, and so
// does an upper case letter behind a lower case one, or before one behind another of its case.
func parts(s string) []string {
	var out []string
	letters := []rune(s)
	from := 0
	for i, r := range letters {
		switch {
		case !unicode.IsLetter(r):
			out = appendWord(out, letters[from:i])
			from = i + 1
		case i > from && unicode.IsUpper(r) && (unicode.IsLower(letters[i-1]) ||
			i+1 < len(letters) && unicode.IsLower(letters[i+1])):
			out = appendWord(out, letters[from:i])
			from = i
		}
	}
	return appendWord(out, letters[from:])
}

func appendWord(words []string, letters []rune) []string {
	if len(letters) == 0 {
		return words
	}
	return append(words, strings.ToLower(string(letters)))
}

// Words are the parts of a name, in lower case: waitForLONG_MS has wait, for, long and ms.
func Words(name string) []string { return parts(name) }
