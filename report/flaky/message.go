package flaky

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
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
		if len(text) < enoughTogether || !hasWord(trace, text) {
			continue
		}
		if len(text) >= enoughAlone && text != "false" {
			return true
		}
		recorded, other = recorded || was, other || !was
	}
	return recorded && other
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
