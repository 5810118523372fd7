package read

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// near gives each wait the words of its lines, and of those around. Tokens are in the order of lines.
func (f *File) near(tokens []token) {
	if len(f.Waits) == 0 {
		return
	}
	v := vocabulary{}
	spoken := make([]token, 0, len(tokens)/2)
	for _, t := range tokens {
		if t.kind == name || t.kind == text {
			spoken = append(spoken, t)
		}
	}
	for i := range f.Waits {
		w := &f.Waits[i]
		from, _ := slices.BinarySearchFunc(spoken, w.From, byLine)
		to, _ := slices.BinarySearchFunc(spoken, w.Line+1, byLine)
		if w.Own = v.wordsFrom(spoken, from, w.From); w.Line > w.From {
			last, _ := slices.BinarySearchFunc(spoken, w.Line, byLine)
			w.Own = append(w.Own, v.wordsFrom(spoken, last, w.Line)...)
		}
		if from > 0 {
			above := spoken[from-1].line
			first, _ := slices.BinarySearchFunc(spoken, above, byLine)
			w.Around = v.wordsFrom(spoken, first, above)
		}
		if to < len(spoken) {
			w.Around = append(w.Around, v.wordsFrom(spoken, to, spoken[to].line)...)
		}
	}
}

func byLine(t token, line int) int { return cmp.Compare(t.line, line) }

// vocabulary are the words of names and texts, which come again and again in a file.
type vocabulary map[token][]string

// wordsFrom are the words of a line whose tokens begin at a place: names, their parts, and what stands in texts.
// Numbers are none, as lines are alike whatever their times.
func (v vocabulary) wordsFrom(tokens []token, at, line int) []string {
	words := make([]string, 0, 16)
	for ; at < len(tokens) && tokens[at].line == line && len(words) < maxWords; at++ {
		words = append(words, v.words(tokens[at])...)
	}
	return words
}

// words are those of one token.
func (v vocabulary) words(t token) []string {
	key := token{kind: t.kind, text: t.text}
	words, known := v[key]
	if known {
		return words
	}
	switch t.kind {
	case text:
		words = partsOf(t.text)
	case name:
		whole := strings.ToLower(t.text)
		if keywords[whole] || len(whole) > maxWord {
			break
		}
		words = []string{whole}
		if p := partsOf(t.text); len(p) > 1 {
			words = append(words, p...)
		}
	}
	v[key] = words
	return words
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

// parts cuts a name into its words, in lower case: waitForLONG_MS is wait, for, long, ms. What is no letter cuts, and
// so does an upper case letter behind a lower case one, or before one behind another of its case.
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
