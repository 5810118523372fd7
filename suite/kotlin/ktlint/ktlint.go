package ktlint

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/layout"
)

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
func (s Style) Lines(source string, tokens []layout.Token) []string {
	if len(tokens) == 0 {
		return []string{source}
	}
	b := builder{source, s.Comma}
	return layout.Lines(b.expression(tokens), s.Width, s.Indent)
}

// builder makes layouts of tokens.
type builder struct{ source, comma string }

func (b builder) text(tokens []layout.Token) layout.Text { return layout.Source(b.source, tokens) }

// expression is the layout of a value: operands with operators between, each on its line where they do not fit.
func (b builder) expression(tokens []layout.Token) layout.Piece {
	if len(tokens) == 0 {
		return layout.Text("")
	}
	for _, operator := range []string{"||", "&&"} {
		operands := split(tokens, operator)
		if len(operands) == 1 || slices.ContainsFunc(operands, func(x []layout.Token) bool { return len(x) == 0 }) {
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
func (b builder) chain(tokens []layout.Token) layout.Piece {
	var head, calls layout.All
	n := 0 // calls of methods
	for i := 0; i < len(tokens); {
		from := i
		dotted := isDot(tokens[i])
		for i < len(tokens) && !isOpen(tokens[i]) && (i == from || !isDot(tokens[i])) {
			i = layout.Closes(tokens, i) + 1
		}
		link := layout.All{b.text(tokens[from:i])}
		called := i < len(tokens) && isOpen(tokens[i])
		for i < len(tokens) && isOpen(tokens[i]) {
			to := layout.Closes(tokens, i)
			if tokens[to].Text != ")" {
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
func (b builder) arguments(tokens []layout.Token, called bool) layout.Piece {
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
func known(tokens []layout.Token) bool {
	for i := 0; i < len(tokens); i = layout.Closes(tokens, i) + 1 {
		switch t := tokens[i]; {
		case t.Kind == layout.Name && slices.Contains([]string{"as", "is", "in", "if", "else"}, t.Text),
			t.Kind == layout.Bracket && (t.Text == "{" || t.Text == "}"),
			t.Kind == layout.Mark && !slices.Contains([]string{".", "?.", "<", ">", "?", ",", "*", "::", "!", "!!", "-"}, t.Text):
			return false
		}
	}
	return true
}

func isOpen(t layout.Token) bool { return t.Kind == layout.Bracket && t.Text == "(" }

func isDot(t layout.Token) bool { return t.Kind == layout.Mark && (t.Text == "." || t.Text == "?.") }

// split takes tokens apart at a mark that stands in no bracket; a comma between types is in one.
func split(tokens []layout.Token, mark string) [][]layout.Token {
	parts, _ := layout.Split(tokens, func(before []layout.Token, t layout.Token) bool {
		return t.Kind == layout.Mark && t.Text == mark && !inTypes(before)
	})
	return parts
}

// inTypes reports whether type arguments are open behind tokens: listOf<Pair<A.
func inTypes(tokens []layout.Token) bool {
	open := 0
	for i, t := range tokens {
		switch {
		case t.Kind == layout.Mark && t.Text == "<" && i > 0 && t.Start == tokens[i-1].End:
			open++
		case t.Kind == layout.Mark && open > 0:
			open -= strings.Count(t.Text, ">")
		}
	}
	return open > 0
}
