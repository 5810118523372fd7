package js

import "github.com/flaketap/flaketap/internal/layout"

// Layout are the tokens of a source as those who lay them out take them.
func Layout(source string, tokens []Token) []layout.Token {
	out := make([]layout.Token, len(tokens))
	for i, t := range tokens {
		kind := map[kind]layout.Kind{Word: layout.Name, numberToken: layout.Number, regexpToken: layout.Regexp,
			JsString: layout.Other, JsTemplate: layout.Other, mark: layout.Mark}[t.Kind]
		text := source[t.Start:t.End]
		if t.match >= 0 {
			kind = layout.Bracket
		}
		out[i] = layout.Token{Kind: kind, Text: text, Start: t.Start, End: t.End}
	}
	return out
}

// Bare is an expression without the brackets around it, if it stands in some as a whole.
func Bare(text string) string {
	tokens, err := Tokens("", text)
	if last := len(tokens) - 1; err == nil && last > 1 && tokens[0].Is("(") && tokens[0].match == last {
		return text[tokens[1].Start:tokens[last-1].End]
	}
	return text
}
