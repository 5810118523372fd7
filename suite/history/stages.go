package history

import (
	"strings"
	"unicode"
)

// Bounds on the words that are taken for the stages of something that goes on: how many there are, how often each has
// to be seen, so that another one would have been seen too, and all of them together.
const (
	maxStages  = 4
	enoughSeen = 2
	enoughAll  = 5
)

// Stages are the words that a place had, where those are the stages of something that goes on: a job is "running", and
// then "ready". Words that were seen elsewhere under the same name count as well. It is nil where a word was seen but
// once, or has digits.
func (h History) Stages(elsewhere []string) []any {
	counts, total := map[string]int{}, 0
	for _, l := range h.Lines {
		for _, v := range l.Values {
			word, ok := v.(string)
			if !ok || !isWord(word) || len(counts) > maxStages {
				return nil
			}
			counts[word]++
			total++
		}
	}
	for _, word := range elsewhere {
		if isWord(word) {
			counts[word]++
		}
	}
	var words []any
	for word, n := range counts {
		if n < enoughSeen {
			return nil
		}
		words = append(words, word)
	}
	if total < enoughAll || len(words) < 2 || len(words) > maxStages {
		return nil
	}
	return words
}

// isWord reports whether a text is a word, or some, without digits.
func isWord(text string) bool {
	const long = 30
	return text != "" && len(text) <= long && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !strings.ContainsRune("-_ ", r)
	})
}
