package wordings

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// longestMatch bounds a text that is made for a pattern.
const longestMatch = 200

// matching is a short text that matches a pattern; false where none is found.
func matching(pattern string) (string, bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	var b strings.Builder
	write(&b, re.Simplify())
	text := b.String()
	if is, err := regexp.MatchString(pattern, text); err != nil || !is || len(text) > longestMatch {
		return "", false // as where it looks at what is around
	}
	return text, true
}

// write writes what the first way through a pattern matches, each part as seldom as it may be, but once.
func write(b *strings.Builder, re *syntax.Regexp) {
	if b.Len() > longestMatch {
		return
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(member(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('x')
	case syntax.OpAlternate, syntax.OpCapture, syntax.OpPlus, syntax.OpStar:
		write(b, re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			write(b, sub)
		}
	}
}

// member is a character of a class, which is given by its ranges: one that people write, if there is one.
func member(ranges []rune) rune {
	for _, usual := range "x1XA-" {
		for i := 0; i+1 < len(ranges); i += 2 {
			if ranges[i] <= usual && usual <= ranges[i+1] {
				return usual
			}
		}
	}
	if len(ranges) == 0 {
		return 'x'
	}
	return ranges[0]
}
