package js

// Declared are the names of the constants and variables that a file declares outside of any brackets.
func Declared(tokens []Token) map[string]bool {
	names, depth := map[string]bool{}, 0
	for i, x := range tokens {
		switch {
		case x.Is("{") || x.Is("("):
			depth++
		case x.Is("}") || x.Is(")"):
			depth--
		case depth == 0 && x.Kind == Word && declares(tokens, i):
			names[x.Text] = true
		}
	}
	return names
}
