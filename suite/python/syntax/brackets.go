package syntax

import (
	"slices"
	"strings"
)

// TopLevel is the index of the first token that is an operator or a keyword given and stands in no bracket; -1 where
// there is none.
func TopLevel(tokens []Token, text string) int {
	depth := 0
	return slices.IndexFunc(tokens, func(t Token) bool {
		if t.Kind != TokenOp && t.Kind != TokenName {
			return false
		}
		switch {
		case t.Kind == TokenOp && strings.Contains("([{", t.Text):
			depth++
		case t.Kind == TokenOp && strings.Contains(")]}", t.Text):
			depth--
		}
		return depth == 0 && t.Text == text
	})
}

// CallEnds are the indices of the parentheses that close the calls of a chain that tokens begin with: a.b(c).d().
func CallEnds(tokens []Token) (ends []int) {
	for i := 1; i < len(tokens); {
		switch {
		case tokens[i].Kind != TokenOp:
			return ends
		case tokens[i].Text == ".":
			i += 2
		case tokens[i].Text == "(", tokens[i].Text == "[":
			length := Closed(tokens[i:])
			if length < 0 {
				return ends
			}
			if tokens[i].Text == "(" {
				ends = append(ends, i+length)
			}
			i += length + 1
		default:
			return ends
		}
	}
	return ends
}

// Closed is the index of what closes the bracket that tokens begin with; -1 where nothing does.
func Closed(tokens []Token) int {
	depth := 0
	for i, t := range tokens {
		switch {
		case t.Kind != TokenOp:
		case strings.Contains("([{", t.Text):
			depth++
		case strings.Contains(")]}", t.Text):
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// Arguments are the arguments of a call that ends with what is given, and where their parenthesis stands.
func Arguments(tokens []Token) (out [][]Token, open int) {
	open = slices.IndexFunc(tokens, func(t Token) bool { return t.Kind == TokenOp && t.Text == "(" })
	for open >= 0 && open+Closed(tokens[open:]) != len(tokens)-1 {
		next := slices.IndexFunc(tokens[open+1:], func(t Token) bool { return t.Kind == TokenOp && t.Text == "(" })
		if next < 0 || Closed(tokens[open:]) < 0 {
			return nil, 0
		}
		open += 1 + next
	}
	if open < 0 {
		return nil, 0
	}
	return Split(tokens[open+1 : len(tokens)-1]), open
}

// Split takes tokens apart at the commas that stand in no bracket.
func Split(tokens []Token) (out [][]Token) {
	for len(tokens) > 0 {
		comma := TopLevel(tokens, ",")
		if comma < 0 {
			return append(out, tokens)
		}
		out, tokens = append(out, tokens[:comma]), tokens[comma+1:]
	}
	return out
}
