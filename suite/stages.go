package suite

import (
	"slices"
	"strings"
	"unicode"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Bounds on the words that are taken for the stages of something that goes on: how many there are, and how often each
// has to be seen, so that another one would have been seen too.
const (
	maxStages  = 4
	enoughSeen = 2
)

// stages says of a word that follows the clock that it is one of those that the test was answered with: a job is
// "running", and then "ready". Those that an earlier answer of the test had by the same name are stages as well. It
// gives nothing where a word was seen but once, or has digits.
func (w *weakening) stages(claimed any, seen []any) []expr.Expr {
	if w.a.Relation != exchange.Equal || w.field == nil || w.field.Category != mapfile.Time ||
		w.p.src.Redactor.Secret(w.a.Place) || !w.field.Place.Matches(w.a.Place) {
		return nil
	}
	h, ok := w.history()
	if !ok || len(seen) < enoughThere || !slices.ContainsFunc(seen, func(v any) bool { return expr.Equal(v, claimed) }) {
		return nil
	}
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
	for _, word := range w.earlierWords() {
		counts[word]++
	}
	var words []any
	for word, n := range counts {
		if n < enoughSeen {
			return nil
		}
		words = append(words, word)
	}
	set, ok := expr.SetOf(words)
	if !ok || total < EnoughAnswers || len(words) < 2 || len(words) > maxStages {
		return nil
	}
	return []expr.Expr{expr.Cmp(w.subject, expr.In, set)}
}

// isWord reports whether a text is a word, or some, without digits.
func isWord(text string) bool {
	const long = 30
	return text != "" && len(text) <= long && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !strings.ContainsRune("-_ ", r)
	})
}

// earlierWords are the words that earlier answers of the test had, by the name of the member that the assertion looks
// at.
func (w *weakening) earlierWords() []string {
	segments := w.a.Place.Segments()
	name := segments[len(segments)-1]
	var out []string
	for _, c := range w.t.Calls[:w.a.Call] {
		member := expr.Index{X: expr.Answer{Var: c.Var, Part: expr.JSON}, I: expr.Str{Value: name}}
		for _, s := range w.trials {
			if v, err := s.Eval(member); err == nil {
				if word, ok := v.(string); ok && isWord(word) {
					out = append(out, word)
				}
			}
		}
	}
	return out
}
