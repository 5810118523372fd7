package black

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Token is a token of a statement, and where it stands in that.
type Token struct {
	Kind       Kind
	Text       string
	Start, End int
}

// Kind is what a token is.
type Kind uint8

// The kinds of tokens.
const (
	Name Kind = iota
	Operator
	Other
)

// breaker breaks a statement that is too long for its line as black and ruff do: behind the opening bracket that closes
// last, or in parentheses of its own, with one operand a line where they do not fit into one.
type breaker struct {
	text  string
	width int
}

// Broken is a statement, assert or a call, in as many lines as it takes where they may have so many characters.
func Broken(text string, tokens []Token, width int) []string {
	b := breaker{text, width}
	switch {
	case b.fits(text, 0) || len(tokens) == 0:
		return []string{text}
	case tokens[0].Text == "assert":
		return b.asserted(tokens)
	}
	return b.bracket(tokens, "", 0)
}

func (b breaker) fits(text string, indent int) bool {
	return indent+utf8.RuneCountInString(text) <= b.width
}

func (b breaker) source(tokens []Token) string {
	if len(tokens) == 0 {
		return ""
	}
	return b.text[tokens[0].Start:tokens[len(tokens)-1].End]
}

// asserted breaks assert condition, message.
func (b breaker) asserted(tokens []Token) []string {
	after := ""
	if parts := splitAt(tokens, []string{","}); len(parts) > 1 {
		after, tokens = b.text[parts[0][len(parts[0])-1].End:], parts[0]
	}
	condition := tokens[1:]
	parts, _ := operands(condition)
	last := lastBracket(tokens)
	ends := last > 0 && (len(parts) == 1 || !subscript(tokens, last))
	begins := condition[0].Kind == Operator && strings.Contains("([{", condition[0].Text)
	for end := len(tokens); end > 1 && len(parts) <= 2; end-- { // the last pair of which the lines fit
		open := lastBracket(tokens[:end])
		if open < 0 || !ends && (open > 1 || !begins) {
			continue
		}
		lines := b.bracket(tokens[:end], b.text[tokens[end-1].End:tokens[len(tokens)-1].End]+after, 0)
		if b.fits(lines[0], 0) && b.fits(lines[len(lines)-1], 0) {
			return lines
		}
		end = open + 1
	}
	if len(parts) == 1 {
		return b.bracket(tokens, after, 0)
	}
	return append(append([]string{"assert ("}, b.inner(condition, "", 4)...), ")"+after)
}

// inner breaks what stands in brackets, where it does not fit into a line.
func (b breaker) inner(tokens []Token, after string, indent int) []string {
	if flat := b.source(tokens) + after; b.fits(flat, indent) {
		return []string{strings.Repeat(" ", indent) + flat}
	}
	parts, comma := operands(tokens)
	if len(parts) == 1 {
		return b.bracket(tokens, after, indent)
	}
	return b.each(parts, comma, after, indent)
}

// each writes one part a line, each with a comma behind it, if that is given, and what stands behind the last.
func (b breaker) each(parts [][]Token, comma, after string, indent int) (lines []string) {
	for i, part := range parts {
		behind := comma
		if i == len(parts)-1 {
			behind += after
		}
		if flat := b.source(part) + behind; b.fits(flat, indent) {
			lines = append(lines, strings.Repeat(" ", indent)+flat)
		} else if more, _ := operands(part); len(more) > 1 {
			lines = append(lines, b.each(more, "", behind, indent)...)
		} else {
			lines = append(lines, b.bracket(part, behind, indent)...)
		}
	}
	return lines
}

// bracket breaks behind the opening bracket of the pair that tokens end with.
func (b breaker) bracket(tokens []Token, after string, indent int) []string {
	margin := strings.Repeat(" ", indent)
	open := lastBracket(tokens)
	if open < 0 {
		return []string{margin + b.source(tokens) + after}
	}
	last := len(tokens) - 1
	body := tokens[open+1 : last]
	lines := []string{margin + b.source(tokens[:open+1])}
	parts, comma := operands(body)
	if comma != "" && !behindValue(tokens, open) {
		lines = append(lines, b.each(parts, comma, "", indent+4)...)
	} else {
		lines = append(lines, b.inner(body, "", indent+4)...)
	}
	return append(lines, margin+tokens[last].Text+after)
}

// lastBracket is the index of the opening bracket of the pair that tokens end with; -1 where there is none, or nothing
// in it.
func lastBracket(tokens []Token) int {
	last, depth := len(tokens)-1, 0
	for i, t := range slices.Backward(tokens) {
		switch {
		case t.Kind != Operator:
		case strings.Contains(")]}", t.Text):
			depth++
		case strings.Contains("([{", t.Text):
			depth--
		}
		if depth == 0 {
			if i >= last-1 {
				return -1
			}
			return i
		}
	}
	return -1
}

// behindValue reports whether what stands before a token is a value: a bracket behind it calls it, or takes a part.
func behindValue(tokens []Token, i int) bool {
	if i == 0 {
		return false
	}
	t := tokens[i-1]
	if t.Kind == Operator {
		return strings.Contains(")]}", t.Text)
	}
	return t.Kind != Name || !slices.Contains([]string{"and", "or", "not", "in", "is", "if", "else", "for", "assert"}, t.Text)
}

// subscript reports whether the bracket at an index takes a part of a value.
func subscript(tokens []Token, open int) bool {
	return tokens[open].Text == "[" && behindValue(tokens, open)
}

// operands takes tokens apart where they are bound the least: at for of a comprehension, else at commas, else at a
// condition, and so on. All but commas stand with what is behind them.
func operands(tokens []Token) (parts [][]Token, comma string) {
	for _, delimiters := range [][]string{{"for"}, {","}, {"if", "else"}, {"and", "or"},
		{"==", "!=", "<", "<=", ">", ">=", "in", "is", "not"}, {"+", "-"}} {
		if delimiters[0] == "for" && len(splitAt(tokens, []string{"for"})) > 1 {
			delimiters = []string{"for", "if"}
		}
		if parts = splitAt(tokens, delimiters); len(parts) > 1 || delimiters[0] == "," && endsWith(tokens, ",") {
			if delimiters[0] == "," {
				comma = ","
			}
			return parts, comma
		}
	}
	return parts, ""
}

func endsWith(tokens []Token, text string) bool {
	n := len(tokens)
	return n > 0 && tokens[n-1].Kind == Operator && tokens[n-1].Text == text
}

// splitAt splits tokens before delimiters that stand in no bracket, and at commas.
func splitAt(tokens []Token, delimiters []string) (parts [][]Token) {
	from, depth := 0, 0
	for i, t := range tokens {
		if t.Kind == Other {
			continue
		}
		switch {
		case t.Kind == Operator && strings.Contains("([{", t.Text):
			depth++
		case t.Kind == Operator && strings.Contains(")]}", t.Text):
			depth--
		}
		switch {
		case depth > 0 || i == from || !slices.Contains(delimiters, t.Text):
		case t.Text == ",":
			parts = append(parts, tokens[from:i])
			from = i + 1
		case behindValue(tokens, i):
			parts = append(parts, tokens[from:i])
			from = i
		}
	}
	if from < len(tokens) {
		parts = append(parts, tokens[from:])
	}
	return parts
}
