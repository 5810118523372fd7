package ktlint

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/layout"
)

// Token is a token of a statement, and where it stands in that.
type Token struct {
	Text       string // as it is written
	Mark       bool   // it is an operator or a bracket
	Start, End int
}

// Style is how a file is formatted.
type Style struct {
	Width  int    // how many characters a line may have
	Indent int    // how many blanks what is within something stands further in
	Comma  string // what stands behind the last argument that has a line of its own: "," or nothing
}

// forcedChain is how many calls a chain has at least that has a line for each, however short they are
// (ktlint_chain_method_rule_force_multiline_when_chain_operator_count_greater_or_equal_than).
const forcedChain = 4

// Lines are the lines of an expression, given by its text and its tokens, the first of which begins at no indentation.
func (s Style) Lines(source string, tokens []Token) []string {
	if len(tokens) == 0 {
		return []string{source}
	}
	b := builder{source, s.Comma}
	return layout.Lines(b.expression(tokens), s.Width, s.Indent)
}

// builder makes layouts of tokens.
type builder struct{ source, comma string }

func (b builder) text(tokens []Token) layout.Text {
	if len(tokens) == 0 {
		return ""
	}
	return layout.Text(b.source[tokens[0].Start:tokens[len(tokens)-1].End])
}

// expression is the layout of a value: operands with operators between, each on its line where they do not fit.
func (b builder) expression(tokens []Token) layout.Piece {
	if len(tokens) == 0 {
		return layout.Text("")
	}
	for _, operator := range []string{"||", "&&"} {
		operands := split(tokens, operator)
		if len(operands) == 1 || slices.ContainsFunc(operands, func(x []Token) bool { return len(x) == 0 }) {
			continue
		}
		var rest layout.All
		for _, x := range operands[1:] {
			rest = append(rest, layout.Text(" "+operator), layout.Line(" "), b.expression(x))
		}
		return layout.Fit(layout.All{b.expression(operands[0]), layout.In(rest)})
	}
	return b.chain(tokens)
}

// chain is the layout of a chain of calls: res.headers().get("a"). What it does not know stays on its line.
func (b builder) chain(tokens []Token) layout.Piece {
	var head, calls layout.All
	n := 0 // calls of methods
	for i := 0; i < len(tokens); {
		from := i
		dotted := tokens[i].Text == "." || tokens[i].Text == "?."
		for i < len(tokens) && !opens(tokens[i], "(") && (i == from || tokens[i].Text != "." && tokens[i].Text != "?.") {
			i = closes(tokens, i) + 1
		}
		link := layout.All{b.text(tokens[from:i])}
		called := i < len(tokens) && opens(tokens[i], "(")
		for i < len(tokens) && opens(tokens[i], "(") {
			to := closes(tokens, i)
			if to >= len(tokens) {
				return b.text(tokens)
			}
			link = append(link, b.arguments(tokens[i+1:to], i > 0))
			i = to + 1
		}
		switch {
		case !known(tokens[from:i]) || from > 0 && tokens[from].Start > tokens[from-1].End:
			return b.text(tokens)
		case dotted && called:
			n++
			calls = append(calls, layout.Line(""), link)
		case n == 0:
			head = append(head, link)
		default:
			calls = append(calls, link)
		}
	}
	chained := layout.All{head, layout.In(calls)}
	if n >= forcedChain {
		return layout.Break(chained)
	}
	return flat(head, calls)
}

// flat is a chain on one line, but for what its brackets hold.
func flat(head, calls layout.All) layout.Piece {
	out := slices.Clone(head)
	for _, piece := range calls {
		if _, isLine := piece.(layout.Line); !isLine {
			out = append(out, piece)
		}
	}
	return out
}

// arguments is the layout of what stands in parentheses: the arguments of a call, or a value.
func (b builder) arguments(tokens []Token, called bool) layout.Piece {
	if len(tokens) == 0 {
		return layout.Text("()")
	}
	var inner layout.All
	comma := ""
	for i, x := range split(tokens, ",") {
		if len(x) == 0 {
			return "(" + b.text(tokens) + ")"
		}
		if i > 0 {
			inner = append(inner, layout.Text(","), layout.Line(" "))
		}
		inner = append(inner, b.expression(x))
	}
	if called {
		comma = b.comma
	}
	return layout.Fit(layout.All{layout.Text("("), layout.In(layout.All{layout.Line(""), inner}), layout.IfBroken(comma),
		layout.Line(""), layout.Text(")")})
}

// known reports whether tokens are a part of a chain: a name with types, or brackets, and no operator.
func known(tokens []Token) bool {
	for i := 0; i < len(tokens); i = closes(tokens, i) + 1 {
		switch t := tokens[i]; {
		case slices.Contains([]string{"as", "is", "in", "if", "else", "{", "}"}, t.Text):
			return false
		case t.Mark && !slices.Contains([]string{".", "?.", "(", ")", "[", "]", "<", ">", "?", ",", "*", "::", "!", "!!", "-"}, t.Text):
			return false
		}
	}
	return true
}

func opens(t Token, bracket string) bool { return t.Mark && t.Text == bracket }

// closes is the index of the bracket that closes the one at an index; that index itself where none is there.
func closes(tokens []Token, i int) int {
	depth := 0
	for n := i; n < len(tokens); n++ {
		if tokens[n].Mark {
			switch tokens[n].Text {
			case "(", "[", "{":
				depth++
			case ")", "]", "}":
				depth--
			}
		}
		if depth <= 0 {
			return n
		}
	}
	return len(tokens)
}

// split takes tokens apart at a mark that stands in no bracket; a comma between types is in one.
func split(tokens []Token, mark string) (parts [][]Token) {
	from := 0
	for i := 0; i < len(tokens); i = closes(tokens, i) + 1 {
		if t := tokens[i]; t.Mark && t.Text == mark && !inTypes(tokens[from:i]) {
			parts, from = append(parts, tokens[from:i]), i+1
		}
	}
	return append(parts, tokens[from:])
}

// inTypes reports whether type arguments are open behind tokens: listOf<Pair<A.
func inTypes(tokens []Token) bool {
	open := 0
	for i, t := range tokens {
		switch {
		case t.Mark && t.Text == "<" && i > 0 && t.Start == tokens[i-1].End:
			open++
		case t.Mark && open > 0:
			open -= strings.Count(t.Text, ">")
		}
	}
	return open > 0
}
