package flaky

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/flaketap/flaketap/suite/results"
)

// The lengths from which one value is particular enough to tell by itself, and from which two do together. Numbers of
// so few digits stand in any message: as lines, as counts, as times.
const (
	enoughAlone    = 5
	enoughTogether = 1
)

// shownBy reports whether a failure shows what stood at the place: a recorded and another value, or one that is
// particular.
func (m *movement) shownBy(trace string) bool {
	if trace == "" {
		return false
	}
	var recorded, other bool
	for raw, was := range m.tokens {
		text := plainText(raw)
		if len(text) < enoughTogether || !hasWord(trace, text) || m.hides(raw) {
			continue
		}
		if len(text) >= enoughAlone && text != "false" {
			return true
		}
		recorded, other = recorded || was, other || !was
	}
	return recorded && other
}

// shownInEach reports whether each failure shows what stood at the place in its own execution, which was not the same
// in all: that a message has a number may be chance, that several have each its own is none.
func (m *movement) shownInEach(failures []ran) bool {
	shown := map[string]bool{}
	for _, r := range failures {
		if _, comparable := m.seen[r.run]; !comparable || r.Trace == "" || len(r.Trace) > results.MaxMessage {
			continue
		}
		had := m.had(r.run)
		i := slices.IndexFunc(had, func(token string) bool {
			text := plainText(token)
			return len(text) >= enoughTogether && hasWord(r.Trace, text)
		})
		if i < 0 {
			return false
		}
		shown[had[i]] = true
	}
	return len(shown) > 1
}

// seenBy reports whether the place had, in each execution, what an assertion saw in it: one value that is particular,
// or several. Where an assertion saw several values in one execution, as in a loop, another turn may have been about
// the place.
func (m *movement) seenBy(failures []ran) bool {
	had, longest := map[string]bool{}, 0
	for _, r := range failures {
		if _, comparable := m.seen[r.run]; len(r.saw) == 0 || !comparable {
			continue
		}
		value, ok := seenAmong(m.had(r.run), r.saw)
		if !ok && len(r.saw) <= 2 { // one, and what it was compared with
			return false
		}
		if ok {
			had[value], longest = true, max(longest, len(value))
		}
	}
	return len(had) > 1 || len(had) == 1 && longest >= enoughAlone
}

// had are the raw tokens that stood at the place in a run.
func (m *movement) had(run int) []string {
	if tokens := m.in[run]; len(tokens) > 0 {
		return slices.DeleteFunc(slices.Clone(tokens), m.hides)
	}
	var out []string
	for token, recorded := range m.tokens {
		if recorded && !m.hides(token) {
			out = append(out, token)
		}
	}
	slices.Sort(out)
	return out
}

// hides reports whether a raw token that stood at the place is a secret, or has one in it.
func (m *movement) hides(raw string) bool { return m.redactor.Show(m.place, raw) != raw }

// seenAmong returns one of some raw tokens that is among the values which an assertion saw.
func seenAmong(tokens, saw []string) (string, bool) {
	for _, token := range tokens {
		text := plainText(token)
		if text == "" || text == "false" || text == "true" || text == "null" {
			continue
		}
		for _, s := range saw {
			if other := plainText(s); other == text || sameNumber(text, other) {
				return text, true
			}
		}
	}
	return "", false
}

// sameNumber reports whether two texts are one number, as it may be written.
func sameNumber(a, b string) bool {
	x, err := strconv.ParseFloat(a, 64)
	if err != nil {
		return false
	}
	y, err := strconv.ParseFloat(b, 64)
	return err == nil && x == y
}

// plainText is what a raw JSON token stands for, as a message shows it; "" for arrays, objects and nothing.
func plainText(raw string) string {
	switch {
	case raw == "" || raw[0] == '{' || raw[0] == '[':
		return ""
	case raw[0] == '"':
		text, err := strconv.Unquote(raw)
		if err != nil {
			return strings.Trim(raw, `"`)
		}
		return text
	}
	return raw
}

// hasWord reports whether a text holds another one that no letter or digit touches.
func hasWord(text, word string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(word):])
		if !inWord(before) && !inWord(after) {
			return true
		}
		from = i + 1
	}
}

func inWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
