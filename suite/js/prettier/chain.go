package prettier

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/layout"
)

// link is a part of a chain: its first value, .name, [index] or (arguments).
type link struct {
	tokens []layout.Token
	piece  layout.Piece
}

func (l link) isCall() bool { return l.tokens[0].Text == "(" }

// value is the layout of a value without operators between: what stands before it, and the chain that it is.
func (b builder) value(tokens []layout.Token) layout.Piece {
	n := 0
	for n < len(tokens)-1 && isPrefix(tokens[n]) {
		n++
	}
	var before layout.Text
	if n > 0 {
		before = b.text(tokens[:n])
		if tokens[n-1].Kind == layout.Name {
			before += " "
		}
	}
	links, ok := b.links(tokens[n:])
	if !ok {
		return b.text(tokens)
	}
	calls := len(links)
	for calls > 0 && !links[calls-1].isCall() {
		calls--
	}
	return append(layout.All{before, chain(links[:max(calls, 1)])}, names(links[max(calls, 1):], calls > 0)...)
}

// names is the layout of what stands behind the last call of a chain, or behind its first value where there is none:
// each may begin a line. A name behind a name alone does not.
func names(links []link, called bool) (out layout.All) {
	for _, l := range links {
		if l.tokens[0].Text == "[" || !called && len(links) == 1 {
			out = append(out, l.piece)
		} else {
			out = append(out, layout.Fit(layout.In(layout.All{layout.Line(""), l.piece})))
		}
	}
	return out
}

// links takes a chain apart; false where it is none.
func (b builder) links(tokens []layout.Token) (out []link, ok bool) {
	to := layout.Closes(tokens, 0) + 1
	out = append(out, link{tokens[:to], b.first(tokens[:to])})
	for tokens = tokens[to:]; len(tokens) > 0; tokens = tokens[to:] {
		switch first := tokens[0].Text; {
		case (first == "." || first == "?.") && len(tokens) > 1 && tokens[1].Kind == layout.Name:
			to = 2
			out = append(out, link{tokens[:to], b.text(tokens[:to])})
		case first == "[":
			to = layout.Closes(tokens, 0) + 1
			out = append(out, link{tokens[:to], b.text(tokens[:to])})
		case first == "(":
			to = layout.Closes(tokens, 0) + 1
			out = append(out, link{tokens[:to], b.arguments(tokens[1 : to-1])})
		default:
			return nil, false
		}
	}
	return out, true
}

// first is the layout of what a chain begins with.
func (b builder) first(tokens []layout.Token) layout.Piece {
	inner := tokens[min(1, len(tokens)):max(len(tokens)-1, 1)]
	switch tokens[0].Text {
	case "[":
		return b.array(inner)
	case "{":
		blank := " "
		if b.Tight {
			blank = ""
		}
		return b.list(inner, "{", blank, "}", b.member)
	}
	return b.text(tokens)
}

// arguments is the layout of those of a call. A list or an object that comes last opens on the line of the call.
func (b builder) arguments(tokens []layout.Token) layout.Piece {
	args := commas(tokens)
	if slices.ContainsFunc(args, func(arg []layout.Token) bool { return len(arg) == 0 }) || len(args) == 0 {
		return layout.Text("(") + b.text(tokens) + ")"
	}
	each := make([]layout.Piece, len(args))
	for i, arg := range args {
		each[i] = b.expression(arg)
	}
	apart := func(of []layout.Piece) layout.All {
		out := layout.All{}
		for i, one := range of {
			if i > 0 {
				out = append(out, layout.Text(","), layout.Line(" "))
			}
			out = append(out, one)
		}
		return out
	}
	broken := func() layout.Piece {
		return layout.All{layout.Text("("), layout.In(layout.All{layout.Line(""), apart(each)}), layout.IfBroken(b.comma("(")),
			layout.Line(""), layout.Text(")")}
	}
	last := args[len(args)-1]
	opens := len(last) > 1 && layout.Closes(last, 0) == len(last)-1 &&
		(last[0].Text == "{" || last[0].Text == "[" && (len(args) == 1 || !numbers(last[1:len(last)-1])))
	if !opens {
		return layout.Fit(broken())
	}
	inner, ok := b.first(last).(layout.Group)
	if !ok { // it is empty
		return layout.Fit(broken())
	}
	inner.Broken = true
	opened := slices.Clone(each)
	opened[len(args)-1] = inner
	hugged := layout.All{layout.Text("("), apart(opened), layout.Text(")")}
	if layout.Breaks(each[len(args)-1]) {
		return hugged
	}
	return layout.States{layout.All{layout.Text("("), apart(each), layout.Text(")")}, hugged, layout.Break(broken())}
}

// chain lays a chain of calls out: on one line as far as it goes, or, where there are more than two calls, each on a
// line of its own, as it is where one of them takes more than a short text or a name.
func chain(links []link) layout.Piece {
	flat := layout.All{}
	for _, l := range links {
		flat = append(flat, l.piece)
	}
	head, groups := grouped(links)
	if len(groups) < 2 {
		return flat
	}
	rest := layout.All{}
	for _, g := range groups {
		rest = append(rest, layout.Line(""))
		for _, l := range g {
			rest = append(rest, l.piece)
		}
	}
	start := layout.All{}
	for _, l := range head {
		start = append(start, l.piece)
	}
	expanded := layout.Break(append(start, layout.In(rest)))
	calls, involved := 0, false
	for _, l := range links {
		if l.isCall() {
			calls++
			involved = involved || !simple(l.tokens)
		}
	}
	if calls > 2 && involved {
		return expanded
	}
	return layout.States{flat, expanded}
}

// grouped takes a chain apart into what stands on its first line, and what may have a line each: names up to a call.
func grouped(links []link) (head []link, groups [][]link) {
	n := 1
	for n < len(links) && (links[n].isCall() || links[n].tokens[0].Text == "[") {
		n++
	}
	if n == 1 {
		for n+1 < len(links) && !links[n].isCall() && !links[n+1].isCall() {
			n++
		}
	}
	head = links[:n]
	for from := n; from < len(links); from = n {
		for n < len(links) && !links[n].isCall() {
			n++
		}
		for n < len(links) && (links[n].isCall() || links[n].tokens[0].Text == "[") {
			n++
		}
		groups = append(groups, links[from:n])
	}
	return head, groups
}

// simple reports whether the arguments of a call are short: names, texts, numbers, and lists of them.
func simple(tokens []layout.Token) bool {
	const short = 5 // characters of a regular expression
	return !slices.ContainsFunc(tokens, func(t layout.Token) bool {
		switch t.Kind {
		case layout.Regexp:
			return len(t.Text)-len("//") > short || strings.LastIndex(t.Text, "/") > short+1
		case layout.Mark:
			return !slices.Contains([]string{",", ".", ":", "!", "-", "..."}, t.Text)
		}
		return false
	})
}
