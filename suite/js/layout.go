package js

import "github.com/flaketap/flaketap/suite/js/prettier"

// Layout are the tokens of a source as package prettier takes them.
func Layout(source string, tokens []Token) []prettier.Token {
	out := make([]prettier.Token, len(tokens))
	for i, t := range tokens {
		kind := map[kind]prettier.Kind{Word: prettier.Name, numberToken: prettier.Number, regexpToken: prettier.Regexp,
			JsString: prettier.Other, JsTemplate: prettier.Other, mark: prettier.Mark}[t.Kind]
		text := source[t.Start:t.End]
		if t.match >= 0 {
			kind = prettier.Bracket
		}
		out[i] = prettier.Token{Kind: kind, Text: text, Start: t.Start, End: t.End}
	}
	return out
}
