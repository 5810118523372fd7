package kotlin

import (
	"slices"

	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/script"
)

// block tells a block from its brace on, and returns where what follows it begins.
func (t *teller) block(open int) int {
	end := t.match[open]
	t.copy(open)
	t.all(open+1, end)
	t.copy(end)
	return end + 1
}

// all tells the statements between two braces.
func (t *teller) all(i, to int) {
	if t.depth++; t.depth > script.MaxDepth {
		t.depth--
		return
	}
	defer func() { t.depth-- }()
	for i < to {
		i = max(t.statement(i, to), i+1)
	}
}

// statements counts those between two braces, without telling them.
func (t *teller) statements(i, to int) int {
	n, out, local := 0, t.out, t.local
	defer func() { t.out, t.local = out, local }()
	for i < to {
		n++
		i = max(t.statement(i, to), i+1)
	}
	return n
}

// statement tells one statement, and returns where the next may begin.
func (t *teller) statement(i, to int) int {
	if t.depth++; t.depth > script.MaxDepth {
		t.depth--
		return to
	}
	defer func() { t.depth-- }()
	for t.is(i, to, "@") {
		i = max(t.annotation(i, to), i+1)
	}
	if t.isName(i, to) && t.is(i+1, to, "@") && t.in[i].End == t.in[i+1].Start && !t.is(i, to, "return", "break", "continue") {
		i += 2 // a label
	}
	for t.is(i, to, modifiers()...) && t.isName(i+1, to) && (t.is(i+1, to, modifiers()...) ||
		t.is(i+1, to, "val", "var", "fun", "class", "object", "interface")) {
		i++
	}
	switch {
	case i >= to, t.is(i, to, ";"):
		return i + 1
	case t.is(i, to, "{"):
		return t.block(i)
	case t.is(i, to, "val", "var"):
		i = t.property(i, to)
		t.say(";")
		return i
	case t.is(i, to, "fun") && !t.is(i+1, to, "("):
		out := t.out
		t.out = nil
		i = t.function(i, to)
		t.out, t.local = out, append(t.local, t.out...)
		return i
	case t.is(i, to, "class", "interface"), t.is(i, to, "object") && t.isName(i+1, to):
		out := t.out
		i = t.class(i, to, map[string]bool{})
		t.out = out
		return i
	case t.is(i, to, "if", "while", "for", "when", "try", "do"):
		return t.compound(i, to)
	case t.is(i, to, "return", "throw", "break", "continue"):
		return t.leaving(i, to)
	}
	i = t.expression(i, to)
	t.say(";")
	if t.is(i, to, ";") {
		i++
	}
	return i
}

// leaving tells what ends a function or a turn of a loop.
func (t *teller) leaving(i, to int) int {
	t.copy(i)
	i++
	if t.is(i, to, "@") {
		i += 2
	}
	if i < to && !t.breaks(i) && !t.is(i, to, ";", "}") {
		i = t.expression(i, to)
	}
	t.say(";")
	return i
}

// compound tells a statement with others in it.
func (t *teller) compound(i, to int) int {
	keyword := t.in[i].Text
	switch {
	case keyword == "when":
		return t.when(i, to)
	case keyword == "try" || keyword == "do":
		return t.guarded(i, to)
	}
	if keyword == "for" && t.is(i+1, to, "(") && t.is(i+2, to, "(") {
		for k := i + 3; k < t.match[i+2]; k++ {
			if t.isName(k, to) {
				t.say("var", "a", "=", "unknown", "(", ")", ";")
				t.out[len(t.out)-6].Text = t.in[k].Text
			}
		}
	}
	t.copy(i)
	if i++; !t.is(i, to, "(") {
		return i
	}
	end := t.match[i]
	t.copy(i)
	if keyword == "for" {
		t.loop(i+1, end)
	} else {
		t.within(i+1, end)
	}
	t.copy(end)
	i = t.statement(end+1, to)
	if keyword != "if" {
		return i
	}
	next := i
	if t.is(next, to, ";") {
		next++
	}
	if t.is(next, to, "else") {
		t.copy(next)
		return t.statement(next+1, to)
	}
	return i
}

// loop tells what a loop goes over.
func (t *teller) loop(i, to int) {
	t.say("var")
	for t.is(i, to, "@") {
		i = max(t.annotation(i, to), i+1)
	}
	if t.is(i, to, "(") {
		t.say("several")
		i = t.match[i] + 1
	} else if t.isName(i, to) {
		t.copy(i)
	}
	for i < to && !t.is(i, to, "in") {
		i++
	}
	if i < to {
		t.say(":")
		t.within(i+1, to)
	}
}

// guarded tells try and do, whose keyword a block follows.
func (t *teller) guarded(i, to int) int {
	t.copy(i)
	if i++; !t.is(i, to, "{") {
		return i
	}
	i = t.block(i)
	for t.is(i, to, "catch", "finally", "while") {
		t.copy(i)
		if i++; t.is(i, to, "(") {
			end := t.match[i]
			t.copy(i)
			if t.is(i-1, to, "while") {
				t.within(i+1, end)
			}
			t.copy(end)
			i = end + 1
		}
		if t.is(i-1, to, ")") && !t.is(i, to, "{") { // of do … while
			t.say(";")
			return i
		}
		if t.is(i, to, "{") {
			i = t.block(i)
		}
	}
	return i
}

// when tells the branches of a when as what is run under a condition.
func (t *teller) when(i, to int) int {
	t.name("switch", i)
	if i++; t.is(i, to, "(") {
		t.copy(i)
		from := i + 1
		if t.is(from, to, "val") {
			from += 3
		}
		t.within(min(from, t.match[i]), t.match[i])
		t.copy(t.match[i])
		i = t.match[i] + 1
	} else {
		t.say("(", "true", ")")
	}
	if !t.is(i, to, "{") {
		t.say(";")
		return i
	}
	end := t.match[i]
	t.copy(i)
	for k := i + 1; k < end; k++ {
		switch {
		case t.is(k, end, "->"):
			t.say("else")
			k = t.statement(k+1, end) - 1
		case t.is(k, end, "(", "[", "{"):
			k = t.match[k]
		}
	}
	t.copy(end)
	return end + 1
}

// ends reports whether a statement ends before a token: it stands on a line of its own, and neither it nor the one
// before it goes on.
func (t *teller) ends(i int) bool {
	n := len(t.in)
	if t.is(i, n, ";") {
		return true
	}
	if !t.breaks(i) || t.is(i, n, ".", "?.", "?:", "&&", "||", "as") {
		return false
	}
	before := t.in[i-1]
	switch {
	case before.Kind == java.OpToken:
		return !slices.Contains([]string{"+", "-", "*", "/", "%", "=", "==", "!=", "<=", ">=", "<", "&&", "||", ".", "?.", "?:", ",",
			":", "::", "->", "+=", "-=", "(", "[", "{", "!"}, before.Text)
	case before.Kind != java.NameToken || before.Quoted:
		return true
	case t.is(i-1, n, "as", "is", "in", "else", "throw", "by"):
		return false
	}
	return i < 2 || t.breaks(i-1) || !t.operand(i-2) // or it is a function that stands between its operands
}

// operand reports whether an operand may end with a token.
func (t *teller) operand(i int) bool {
	x := &t.in[i]
	if x.Kind == java.NameToken {
		return x.Quoted || !slices.Contains([]string{"return", "throw", "as", "is", "in", "else", "val", "var", "if", "when", "by",
			"fun", "package", "import"}, x.Text)
	}
	return x.Kind != java.OpToken || slices.Contains([]string{")", "]", "}", "!!"}, x.Text)
}
