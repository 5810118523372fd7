package kotlin

import (
	"strings"

	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/script"
)

// expression tells an expression to where its statement ends, and returns where what follows it begins.
func (t *teller) expression(i, to int) int {
	ifs := 0 // that wait for their else
	for from := i; i < to && !t.is(i, to, ")", "]", "}"); {
		if t.is(i, to, "else") {
			if ifs--; ifs < 0 {
				break
			}
		} else if i > from && t.ends(i) || t.is(i, to, ";") {
			break
		}
		condition := t.is(i, to, "if") && t.is(i+1, to, "(")
		i = t.piece(i, to)
		if condition {
			ifs++
			i = t.piece(i, to)
			from = i // what it gives may stand on the next line
		}
	}
	return i
}

// within tells what stands in parentheses or brackets, where lines end nothing.
func (t *teller) within(i, to int) {
	if t.depth++; t.depth > script.MaxDepth {
		t.depth--
		return
	}
	defer func() { t.depth-- }()
	for i < to {
		switch {
		case t.is(i, to, "*"): // the elements of an array
			i++
		case t.isName(i, to) && t.is(i+1, to, "="):
			t.copy(i)
			t.copy(i + 1)
			t.out[len(t.out)-1].Text = ":"
			i += 2
		}
		if i = t.argument(i, to); i+1 < to { // no comma behind the last
			t.copy(i)
		}
		i++
	}
}

// argument tells what stands before a comma, and returns where that is.
func (t *teller) argument(i, to int) int {
	for i < to && !t.is(i, to, ",") {
		i = t.piece(i, to)
	}
	return i
}

// piece tells a token with all that stands in its brackets.
func (t *teller) piece(i, to int) int {
	switch x := &t.in[i]; {
	case i >= to:
	case x.Kind == java.StringToken:
		t.text(x)
	case t.is(i, to, "(", "["):
		end := t.match[i]
		t.copy(i)
		t.within(i+1, end)
		t.copy(end)
		return end + 1
	case t.is(i, to, "{"):
		return t.lambda(i)
	case t.is(i, to, "when") && t.is(i+1, to, "(", "{"):
		return t.unknown(i, to)
	case t.is(i, to, "object") && t.is(i+1, to, ":") && t.is(i+3, to, "<"):
		if next, ok := t.generic(i, to); ok {
			return next
		}
		return t.unknown(i, to)
	case t.is(i, to, "try") && t.is(i+1, to, "{"), t.is(i, to, "object") && t.is(i+1, to, ":", "{"),
		t.is(i, to, "fun") && t.is(i+1, to, "("):
		return t.unknown(i, to)
	case t.is(i, to, "@"): // return@name, this@Name
		if t.isName(i+1, to) {
			return i + 2
		}
	case t.is(i, to, "==", "!=") && t.is(i+1, to, "=") && x.End == t.in[i+1].Start: // the same object
		t.copy(i)
		return i + 2
	default:
		t.copy(i)
	}
	return i + 1
}

// generic tells an object without members that is made for its type, object : TypeToken<List<Order>>() {}, as Java
// makes one; false where an object is another.
func (t *teller) generic(i, to int) (next int, ok bool) {
	end := t.generics(i+3, to)
	if end == i+3 || !t.is(end, to, "(") || !t.is(end+1, to, ")") ||
		!t.is(end+2, to, "{") || !t.is(end+3, to, "}") {
		return i, false
	}
	t.name("new", i)
	for k := i + 2; k <= end+3; k++ {
		t.copy(k)
	}
	return end + 4, true
}

// unknown tells an expression that Java has no like for as a call of which nothing is known.
func (t *teller) unknown(i, to int) int {
	t.name("unknown", i)
	t.say("(", ")")
	for i++; i < to; i++ {
		if t.is(i, to, "(") {
			i = t.match[i]
		}
		if t.is(i, to, "{") {
			i = t.match[i] + 1
			if !t.is(i, to, "catch", "finally") {
				break
			}
		}
		if t.is(i, to, ";") {
			break
		}
	}
	last := &t.out[len(t.out)-1]
	last.Start, last.End, last.Line = t.in[i-1].Start, t.in[i-1].End, t.in[i-1].Line
	return i
}

// lambda tells a lambda, or the block of an if that is a value.
func (t *teller) lambda(open int) int {
	end := t.match[open]
	t.copy(open)
	from := open + 1
	for i := from; i < end; i++ {
		if t.is(i, end, "->") {
			t.names(from, i)
			t.copy(i)
			from = i + 1
			break
		}
		if t.is(i, end, "(") {
			i = t.match[i]
		} else if !t.isName(i, end) && !t.is(i, end, ",", ":", "?", ".", "<", ">", "*") {
			break
		}
	}
	t.all(from, end)
	t.copy(end)
	return end + 1
}

// names tells the parameters of a lambda, without their types.
func (t *teller) names(i, to int) {
	for first := true; i < to; i++ {
		switch {
		case t.is(i, to, ":"):
			_, i = java.KotlinType(t.in, i+1, to)
			i--
		case t.isName(i, to):
			if !first {
				t.say(",")
			}
			t.copy(i)
			first = false
		}
	}
}

// text tells a string: one with templates as a sum.
func (t *teller) text(x *java.Token) {
	templates := 0
	for _, p := range x.Parts {
		if p.Variable != "" {
			templates++
		}
	}
	if templates == 0 {
		t.out = append(t.out, *x)
		return
	}
	first := len(t.out)
	t.say("(")
	t.out[first].Start, t.out[first].End, t.out[first].Line = x.Start, x.Start, x.Line
	if len(x.Parts) == 1 {
		t.say("String", ".", "valueOf", "(")
	} else if x.Parts[0].Variable != "" && x.Parts[1].Variable != "" {
		t.piecewise("")
		t.say("+")
	}
	for i, p := range x.Parts {
		if i > 0 {
			t.say("+")
		}
		if p.Variable == "" {
			t.piecewise(p.Text)
			continue
		}
		inner := &teller{src: t.src, in: p.Tokens, match: java.Matches(p.Tokens), depth: t.depth + 1}
		t.say("(")
		if len(p.Tokens) > 0 && t.depth < script.MaxDepth {
			inner.within(0, len(p.Tokens))
			t.out = append(t.out, inner.out...)
		}
		t.say(")")
	}
	if len(x.Parts) == 1 {
		t.say(")")
	}
	t.say(")")
	last := &t.out[len(t.out)-1]
	last.Start, last.End, last.Line = x.End, x.End, x.Line+strings.Count(t.src[x.Start:x.End], "\n")
}

// piecewise says a piece of a string.
func (t *teller) piecewise(text string) {
	t.say("a")
	p := &t.out[len(t.out)-1]
	p.Kind, p.Text, p.Parts = java.StringToken, text, []java.Part{{Text: text}}
}
