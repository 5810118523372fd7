package prettier

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/layout"
)

// Style is how a file is formatted.
type Style struct {
	Spelling
	Width  int    // how many characters a line may have
	Indent int    // how many blanks what is within something stands further in
	End    string // what ends a statement: ";" or nothing
}

// Statements are statements, given by their text and its tokens, in as many lines as they take, the first of which
// begins at no indentation.
func (s Style) Statements(source string, tokens []layout.Token) []string {
	b := builder{source, s.Spelling}
	var lines []string
	for _, one := range b.statements(tokens) {
		lines = append(lines, layout.Lines(b.statement(one, s.End), s.Width, s.Indent)...)
	}
	return lines
}

// builder makes layouts of tokens.
type builder struct {
	source string
	Spelling
}

func (b builder) text(tokens []layout.Token) layout.Text { return layout.Source(b.source, tokens) }

// statements takes a block apart. A block within ends a statement, as ; does.
func (b builder) statements(tokens []layout.Token) (out [][]layout.Token) {
	for len(tokens) > 0 {
		n := 0
		for n < len(tokens) && tokens[n].Text != ";" {
			opens := tokens[n].Text == "{" && (n == 0 || tokens[0].Text == "if" && tokens[n-1].Text == ")" && layout.Closes(tokens, 1) == n-1)
			if n = layout.Closes(tokens, n) + 1; opens {
				break
			}
		}
		if n > 0 {
			out = append(out, tokens[:n])
		}
		for n < len(tokens) && tokens[n].Text == ";" {
			n++
		}
		tokens = tokens[n:]
	}
	return out
}

// statement is the layout of one statement.
func (b builder) statement(tokens []layout.Token, end string) layout.Piece {
	last := len(tokens) - 1
	switch {
	case tokens[0].Text == "{" && layout.Closes(tokens, 0) == last:
		return b.block(tokens[1:last], end)
	case tokens[0].Text == "if" && last > 1 && tokens[1].Text == "(":
		to := layout.Closes(tokens, 1)
		head := layout.All{layout.Text("if ("), layout.Fit(layout.All{layout.In(layout.All{layout.Line(""), b.operands(tokens[2:to])}), layout.Line("")}), layout.Text(") ")}
		body := tokens[min(to+1, last):]
		if to >= last {
			break
		}
		if body[0].Text == "{" && layout.Closes(body, 0) == len(body)-1 {
			return append(head, b.block(body[1:len(body)-1], end))
		}
		head[2] = layout.Text(")")
		return layout.Fit(append(head, layout.In(layout.All{layout.Line(" "), b.statement(body, end)})))
	}
	return layout.All{b.expression(tokens), layout.Text(end)}
}

func (b builder) block(tokens []layout.Token, end string) layout.Piece {
	var inner layout.All
	for _, one := range b.statements(tokens) {
		inner = append(inner, layout.Line(""), b.statement(one, end))
	}
	return layout.Break(layout.All{layout.Text("{"), layout.In(inner), layout.Line(""), layout.Text("}")})
}

// levels are the operators that join two values, those that bind the least first.
func levels() [][]string {
	return [][]string{{"??"}, {"||"}, {"&&"}, {"===", "!==", "==", "!="}, {"<", "<=", ">", ">=", "in", "instanceof"},
		{"+", "-"}, {"*", "/", "%"}}
}

// expression is the layout of a value. What this package does not know stays on one line.
func (b builder) expression(tokens []layout.Token) layout.Piece {
	if len(tokens) == 0 {
		return layout.Text("")
	}
	arrow, _ := layout.Split(tokens, func(_ []layout.Token, t layout.Token) bool { return t.Text == "=>" })
	if len(arrow) > 1 {
		if len(arrow) > 2 || len(arrow[1]) == 0 || arrow[1][0].Text == "{" {
			return b.text(tokens)
		}
		return layout.Fit(layout.All{b.text(arrow[0]), layout.Text(" =>"), layout.In(layout.All{layout.Line(" "), b.expression(arrow[1])})})
	}
	if slices.ContainsFunc(outside(tokens), func(t layout.Token) bool { return t.Text == "?" || t.Text == "=" || t.Text == "," }) {
		return b.text(tokens)
	}
	if parts := b.parts(tokens); parts != nil {
		return layout.Fit(layout.All{parts[0], layout.In(parts[1:])})
	}
	return b.value(tokens)
}

// operands is the layout of a condition that stands in brackets of its own.
func (b builder) operands(tokens []layout.Token) layout.Piece {
	if parts := b.parts(tokens); parts != nil {
		return parts
	}
	return b.expression(tokens)
}

// parts are the operands of the operators that bind the least, the operator at the end of the line; nil where there are
// none.
func (b builder) parts(tokens []layout.Token) layout.All {
	for _, operators := range levels() {
		operands, by := layout.Split(tokens, func(before []layout.Token, t layout.Token) bool {
			return slices.Contains(operators, t.Text) && len(before) > 0 && endsValue(before[len(before)-1])
		})
		if len(operands) == 1 {
			continue
		}
		out := layout.All{b.expression(operands[0])}
		for i, t := range by {
			out = append(out, layout.All{layout.Text(" " + t.Text), layout.Line(" "), b.expression(operands[i+1])})
		}
		return out
	}
	return nil
}

// endsValue reports whether a value may end with a token: an operator behind it joins two.
func endsValue(t layout.Token) bool {
	switch t.Kind {
	case layout.Mark:
		return false
	case layout.Bracket:
		return strings.Contains(")]}", t.Text)
	case layout.Name:
		return !isPrefix(t)
	}
	return true
}

// isPrefix reports whether a token stands before a value and belongs to it.
func isPrefix(t layout.Token) bool {
	return slices.Contains([]string{"typeof", "await", "new", "void", "delete", "!", "-", "+", "~", "..."}, t.Text)
}

// outside are the tokens that stand in no bracket.
func outside(tokens []layout.Token) (out []layout.Token) {
	for i := 0; i < len(tokens); i = layout.Closes(tokens, i) + 1 {
		out = append(out, tokens[i])
	}
	return out
}

// list is what stands in brackets: values with commas between. A comma behind the last one is written where each has a
// line of its own.
func (b builder) list(tokens []layout.Token, open, blank, shut string,
	one func([]layout.Token) layout.Piece) layout.Piece {
	items := commas(tokens)
	if len(items) == 0 {
		return layout.Text(open + shut)
	}
	inner := layout.All{layout.Line(blank)}
	for i, item := range items {
		if i > 0 {
			inner = append(inner, layout.Text(","), layout.Line(" "))
		}
		inner = append(inner, one(item))
	}
	all := layout.All{layout.Text(open), layout.In(inner), layout.IfBroken(b.comma(open)), layout.Line(blank),
		layout.Text(shut)}
	return layout.Group{Piece: all, Broken: b.parted(open, items)}
}

// parted reports whether each element of an array has a line of its own whatever room there is: where all are
// objects, or all are arrays, with more than one part.
func (b builder) parted(open string, items [][]layout.Token) bool {
	if open != "[" || len(items) < 2 {
		return false
	}
	return !slices.ContainsFunc(items, func(item []layout.Token) bool {
		if len(item) < 2 || len(items[0]) == 0 {
			return true
		}
		first := item[0].Text
		return first != "{" && first != "[" || first != items[0][0].Text || layout.Closes(item, 0) != len(item)-1 ||
			len(commas(item[1:len(item)-1])) < 2
	})
}

// member is one of an object: key: value.
func (b builder) member(tokens []layout.Token) layout.Piece {
	if len(tokens) > 2 && tokens[1].Text == ":" {
		return layout.All{b.text(tokens[:2]), layout.Text(" "), b.expression(tokens[2:])}
	}
	return b.text(tokens)
}

// array is a list, of which numbers fill the lines.
func (b builder) array(tokens []layout.Token) layout.Piece {
	if !numbers(tokens) {
		return b.list(tokens, "[", "", "]", b.expression)
	}
	items := commas(tokens)
	inner := layout.All{layout.Line(""), b.text(items[0])}
	for _, item := range items[1:] {
		inner = append(inner, layout.Text(","), layout.Fit(layout.All{layout.Line(" "), b.text(item)}))
	}
	return layout.Fit(layout.All{layout.Text("["), layout.In(inner), layout.IfBroken(b.comma("[")), layout.Line(""), layout.Text("]")})
}

// numbers reports whether what stands in brackets are numbers, more than one.
func numbers(tokens []layout.Token) bool {
	items := commas(tokens)
	return len(items) > 1 && !slices.ContainsFunc(items, func(item []layout.Token) bool {
		return len(item) == 0 || item[len(item)-1].Kind != layout.Number || len(item) > 2 ||
			len(item) == 2 && item[0].Text != "-"
	})
}

// commas takes tokens apart at commas; behind the last one there need not be anything.
func commas(tokens []layout.Token) [][]layout.Token {
	parts, _ := layout.Split(tokens, func(_ []layout.Token, t layout.Token) bool { return t.Text == "," })
	if n := len(parts); len(parts[n-1]) == 0 {
		return parts[:n-1]
	}
	return parts
}
