package plan

import (
	"cmp"
	"strings"
	"unicode"
)

// Slug makes a name of words.
func Slug(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !('a' <= r && r <= 'z' ||
			'0' <= r && r <= '9')
	})
	name := strings.Join(words, "_")
	if len(name) > 60 {
		name = strings.TrimRight(name[:60], "_")
	}
	return cmp.Or(name, "root")
}

// Camel joins words by capitals: "post_orders" is "PostOrders".
func Camel(words string) string {
	var b strings.Builder
	for w := range strings.SplitSeq(words, "_") {
		if w != "" {
			b.WriteString(strings.ToUpper(w[:1]) + w[1:])
		}
	}
	return b.String()
}

// LowerCamel is a name made of words that are joined by "_": "post_orders" is postOrders.
func LowerCamel(words string) string {
	name := Camel(words)
	return strings.ToLower(name[:1]) + name[1:]
}

// maxShown bounds a value in a comment, in characters.
const maxShown = 60

// OneLine makes a text fit for a comment.
func OneLine(s string) string {
	s = Visible(s)
	if runes := []rune(s); len(runes) > 2*maxShown {
		return string(runes[:2*maxShown]) + "…"
	}
	return s
}

// Visible puts a text on one line, in UTF-8 and without what a reader of the file cannot see.
func Visible(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\ufffd")), " ")
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
