package js

import (
	"slices"
	"strings"
)

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

// Reached is where the first statement begins, of those that stand in nothing else, that may run what stands at a place
// of a file: its own, or one above that names the function which it stands in, as a function is there before the line
// that declares it.
func Reached(text string, tokens []Token, at int) int {
	statements := make([]int, len(tokens)) // that the tokens stand in
	functions := map[int]string{}          // by where they begin
	first, depth := 0, 0
	for i, t := range tokens {
		if depth == 0 && (t.Start == 0 || text[t.Start-1] == '\n') {
			first = t.Start
			if name := functionOf(text, tokens[i:]); name != "" {
				functions[first] = name
			}
		}
		statements[i] = first
		switch text[t.Start:t.End] {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
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
