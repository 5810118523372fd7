package js

// TopLevel is where the statement begins, of those that stand in nothing else, that a place of a file is within. It
// begins a line, as formatters have it.
func TopLevel(text string, tokens []Token, at int) int {
	first, depth := 0, 0
	for _, t := range tokens {
		if t.Start > at {
			break
		}
		if depth == 0 && (t.Start == 0 || text[t.Start-1] == '\n') {
			first = t.Start
		}
		switch text[t.Start:t.End] {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
	}
	return first
}
