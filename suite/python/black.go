package python

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// breaker breaks a statement that is too long for its line as black and ruff do: behind the opening bracket that closes
// last, or in parentheses of its own, with one operand a line where they do not fit into one.
type breaker struct {
	text  string
	width int
}

// maxText is how long a text is at most in a line that says how long lines are: no formatter breaks a text.
const maxText = 40

// width is how long lines of the file may be: as black has it, or as the longest line of code is that could be broken.
func (w *suiteFile) width() int {
	ends, texts := map[int]int{}, map[int]bool{}
	for _, st := range w.stmts {
		for _, t := range st.tokens {
			texts[t.line] = texts[t.line] || (t.kind == tokenString || t.kind == tokenFormat) && t.end-t.start > maxText
			ends[t.line] = t.end - strings.LastIndexByte(w.script.Text[:t.end], '\n') - 1
		}
	}
	longest := lineWidth
	for line, end := range ends {
		if !texts[line] {
			longest = max(longest, end)
		}
	}
	return longest
}

// broken is a statement, assert or a call, in as many lines as it takes.
func (w *suiteFile) broken(text, indent string) string {
	b := breaker{text, w.width() - utf8.RuneCountInString(indent)}
	if b.fits(text, 0) {
		return text
	}
	stmts, err := statements("", text)
	if err != nil || len(stmts) != 1 {
		return text
	}
	tokens, lines := stmts[0].tokens, []string(nil)
	if stmts[0].is("assert") {
		lines = b.asserted(tokens)
	} else {
		lines = b.bracket(tokens, "", 0)
	}
	return strings.Join(lines, w.lineEnd()+indent)
}

func (b breaker) fits(text string, indent int) bool {
	return indent+utf8.RuneCountInString(text) <= b.width
}

func (b breaker) source(tokens []token) string {
	if len(tokens) == 0 {
		return ""
	}
	return b.text[tokens[0].start:tokens[len(tokens)-1].end]
}

// asserted breaks assert condition, message.
func (b breaker) asserted(tokens []token) []string {
	after := ""
	if comma := topLevel(tokens, ","); comma > 0 {
		after, tokens = b.text[tokens[comma].start:], tokens[:comma]
	}
	condition := tokens[1:]
	parts, _ := operands(condition)
	last := lastBracket(tokens)
	ends := last > 0 && (len(parts) == 1 || !subscript(tokens, last))
	begins := condition[0].kind == tokenOp && strings.Contains("([{", condition[0].text)
	for end := len(tokens); end > 1 && len(parts) <= 2; end-- { // the last pair of which the lines fit
		open := lastBracket(tokens[:end])
		if open < 0 || !ends && (open > 1 || !begins) {
			continue
		}
		lines := b.bracket(tokens[:end], b.text[tokens[end-1].end:tokens[len(tokens)-1].end]+after, 0)
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
func (b breaker) inner(tokens []token, after string, indent int) []string {
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
func (b breaker) each(parts [][]token, comma, after string, indent int) (lines []string) {
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
func (b breaker) bracket(tokens []token, after string, indent int) []string {
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
	return append(lines, margin+tokens[last].text+after)
}

// lastBracket is the index of the opening bracket of the pair that tokens end with; -1 where there is none, or nothing
// in it.
func lastBracket(tokens []token) int {
	last, depth := len(tokens)-1, 0
	for i, t := range slices.Backward(tokens) {
		switch {
		case t.kind != tokenOp:
		case strings.Contains(")]}", t.text):
			depth++
		case strings.Contains("([{", t.text):
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
func behindValue(tokens []token, i int) bool {
	if i == 0 {
		return false
	}
	t := tokens[i-1]
	if t.kind == tokenOp {
		return strings.Contains(")]}", t.text)
	}
	return t.kind != tokenName || !slices.Contains([]string{"and", "or", "not", "in", "is", "if", "else", "for", "assert"}, t.text)
}

// subscript reports whether the bracket at an index takes a part of a value.
func subscript(tokens []token, open int) bool {
	return tokens[open].text == "[" && behindValue(tokens, open)
}

// operands takes tokens apart where they are bound the least: at for of a comprehension, else at commas, else at a
// condition, and so on. All but commas stand with what is behind them.
func operands(tokens []token) (parts [][]token, comma string) {
	for _, delimiters := range [][]string{{"for"}, {","}, {"if", "else"}, {"and", "or"},
		{"==", "!=", "<", "<=", ">", ">=", "in", "is", "not"}, {"+", "-"}} {
		if delimiters[0] == "for" && topLevel(tokens, "for") > 0 {
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

func endsWith(tokens []token, text string) bool {
	n := len(tokens)
	return n > 0 && tokens[n-1].kind == tokenOp && tokens[n-1].text == text
}

// splitAt splits tokens before delimiters that stand in no bracket, and at commas.
func splitAt(tokens []token, delimiters []string) (parts [][]token) {
	from, depth := 0, 0
	for i, t := range tokens {
		if t.kind != tokenOp && t.kind != tokenName {
			continue
		}
		switch {
		case t.kind == tokenOp && strings.Contains("([{", t.text):
			depth++
		case t.kind == tokenOp && strings.Contains(")]}", t.text):
			depth--
		}
		switch {
		case depth > 0 || i == from || !slices.Contains(delimiters, t.text):
		case t.text == ",":
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
