package layout

// Token is a token of a statement, and where it stands in the text of that, in bytes.
type Token struct {
	Kind       Kind
	Text       string // as it is written
	Start, End int
}

// Kind is what a token is.
type Kind uint8

// The kinds of tokens.
const (
	Name    Kind = iota // a name, a keyword
	Number              // a number
	Regexp              // a regular expression
	Other               // a text, a template
	Bracket             // one of ( ) [ ] { }
	Mark                // any other operator or punctuation
)

// Source is the text that tokens stand in, as it is there.
func Source(source string, tokens []Token) Text {
	if len(tokens) == 0 {
		return ""
	}
	return Text(source[tokens[0].Start:tokens[len(tokens)-1].End])
}

// Closes is the index of the bracket that closes the one at an index, or that index itself where none is there; that of
// the last token where nothing closes it.
func Closes(tokens []Token, i int) int {
	depth := 0
	for n, t := range tokens[i:] {
		if t.Kind == Bracket {
			switch t.Text {
			case "(", "[", "{":
				depth++
			default:
				depth--
			}
		}
		if depth <= 0 {
			return i + n
		}
	}
	return len(tokens) - 1
}

// Split takes tokens apart at those in no bracket that at says, which are returned, too; before are the tokens since
// the last one.
func Split(tokens []Token, at func(before []Token, t Token) bool) (parts [][]Token, by []Token) {
	from := 0
	for i := 0; i < len(tokens); i = Closes(tokens, i) + 1 {
		if t := tokens[i]; t.Kind != Bracket && at(tokens[from:i], t) {
			parts, by, from = append(parts, tokens[from:i]), append(by, t), i+1
		}
	}
	return append(parts, tokens[from:]), by
}
