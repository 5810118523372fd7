package js

import (
	"slices"
	"strings"
)

// TopLevel is where the statement begins, of those that stand in nothing else, that a place of a file is within. It
// begins a line, as formatters have it.
func TopLevel(text string, tokens []Token, at int) int {
	first := 0
	for i, start := range topLevels(text, tokens) {
		if tokens[i].Start > at {
			break
		}
		first = start
	}
	return first
}

// topLevels are where the statements begin, of those that stand in nothing else, that tokens are within.
func topLevels(text string, tokens []Token) []int {
	out := make([]int, len(tokens))
	first, depth := 0, 0
	for i, t := range tokens {
		if depth == 0 && (t.Start == 0 || text[t.Start-1] == '\n') {
			first = t.Start
		}
		out[i] = first
		switch text[t.Start:t.End] {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
	}
	return out
}

// Reached is where the first statement begins, of those that stand in nothing else, that may run what stands at a place
// of a file: its own, or one above that names the function which it stands in, as a function is there before the line
// that declares it.
func Reached(text string, tokens []Token, at int) int {
	statements := topLevels(text, tokens)
	functions := map[int]string{} // by where they begin
	for i, t := range tokens {
		if t.Start == statements[i] {
			functions[t.Start] = functionOf(text, tokens[i:])
		}
	}
	out := TopLevel(text, tokens, at)
	names := []string{functions[out]}
	for n := 0; n < len(names) && names[n] != ""; n++ {
		for i, t := range tokens {
			word := text[t.Start:t.End]
			if word != names[n] && (t.Kind != JsTemplate || !strings.Contains(word, names[n])) {
				continue
			}
			if by := functions[statements[i]]; by == "" {
				out = min(out, statements[i])
			} else if !slices.Contains(names, by) {
				names = append(names, by)
			}
		}
	}
	return out
}

// functionOf is the name of the function that a statement declares; "" where it declares none.
func functionOf(text string, statement []Token) string {
	for i, t := range statement[:max(0, min(len(statement)-2, 4))] {
		switch text[t.Start:t.End] {
		case "export", "default", "async":
		case "function":
			if name := statement[i+1]; text[name.Start:name.End] != "*" {
				return text[name.Start:name.End]
			}
			return text[statement[i+2].Start:statement[i+2].End]
		default:
			return ""
		}
	}
	return ""
}
