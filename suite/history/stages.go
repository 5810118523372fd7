package history

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/flaketap/flaketap/exchange"
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

// outlasts is how many times as late after a request as a stage was first seen it has to be seen still, before it is
// taken for the last one: of stages that follow each other in equal steps, none but the last one is.
const outlasts = 4

// Lasts reports whether the last stage of something that goes on is known: whether what a read had at a place long
// after the first of some earlier requests that changes something was there soon after it too. Where nothing was
// changed, nobody knows since when it goes on, and what was seen has to do. A slower machine comes to a stage that no
// execution has seen, where the last one is not known.
func Lasts(read *exchange.Step, earlier []*exchange.Step, place exchange.Place) bool {
	change := slices.IndexFunc(earlier, func(s *exchange.Step) bool { return s != nil && !s.Exchange.Request.Safe() })
	if read == nil || change < 0 {
		return true
	}
	begun := map[int]time.Time{} // by run
	for _, e := range executionsOf(earlier[change]) {
		begun[e.Run] = e.Start
	}
	first := map[string]time.Duration{}
	last, longest := "", time.Duration(-1)
	for _, e := range executionsOf(read) {
		since, known := begun[e.Run]
		if !known {
			continue
		}
		after := e.Start.Sub(since)
		Gather(e.Response, place, func(v any) bool {
			word, _ := v.(string)
			if soonest, seen := first[word]; !seen || after < soonest {
				first[word] = after
			}
			if after > longest {
				last, longest = word, after
			}
			return true
		})
	}
	return longest >= outlasts*first[last]
}

// isWord reports whether a text is a word, or some, without digits.
func isWord(text string) bool {
	const long = 30
	return text != "" && len(text) <= long && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !strings.ContainsRune("-_ ", r)
	})
}
