package junit

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/java"
)

// place is where a statement stands.
type place struct {
	caught  bool // in a try with catch, which may wait for a failure
	endless bool // in a loop that counts nothing, and may wait for one
	asserts bool // in a statement that is an assertion
	used    bool // in a statement that takes a value of what stands in it
	result  bool // in a lambda whose value, that of its last statement, is used
	may     bool // where what follows does not lean on not being reached: in a test, in an if that says nothing of types
	depth   int
}

// maxDepth bounds how deeply statements nest; what is deeper is left alone.
const maxDepth = 200

// block goes through statements.
func (f *file) block(from, to int, in place) {
	if in.depth++; in.depth > maxDepth {
		return
	}
	for i := from; i < to; {
		i = f.statement(i, to, in)
	}
}

// statement goes through the statement, or the part of one, that begins at a token, and returns what follows it.
func (f *file) statement(i, to int, in place) int {
	if in.depth++; in.depth > maxDepth {
		return to
	}
	switch t := &f.Tokens[i]; {
	case t.Is("{"):
		f.block(i+1, f.Match[i], in)
		return f.Match[i] + 1
	case t.Is("if"):
		next := f.condition(i, to, in)
		in.may = !slices.ContainsFunc(f.Tokens[i:min(next, to)], func(t java.Token) bool { return typed(&t) })
		return f.within(next, to, in)
	case t.Is("else"):
		in.may = false
		return f.within(i+1, to, in)
	case t.Is("synchronized"), t.Is("switch"), t.Is("catch"):
		return f.condition(i, to, in)
	case t.Is("while"):
		in.endless = true
		return f.controlled(i, to, in)
	case t.Is("for"):
		in.endless = in.endless || !f.counts(i, to)
		return f.controlled(i, to, in)
	case t.Is("do"):
		in.endless = true
		if i+1 < to {
			return f.statement(i+1, to, in)
		}
	case t.Is("try"):
		return f.attempt(i, to, in)
	case t.Is("case"), t.Is("default"):
		return f.label(i, to)
	case t.Is("class"), t.Is("interface"), t.Is("enum"), t.Is("record") && i+2 < to && f.Tokens[i+1].Kind == java.NameToken:
		return f.inner(i, to)
	case t.Is("@"):
		_, last := f.Annotation(i)
		return max(i, last) + 1
	case t.Is("finally"), t.Is(";"), t.Is("}"), t.Is("final"), t.Is("static"), t.Is("abstract"):
	case t.Kind == java.NameToken && i+1 < to && f.Tokens[i+1].Is(":"):
		return i + 2
	default:
		end := f.end(i, to)
		in.result = in.result && end+1 >= to
		f.simple(i, end, in)
		return end + 1
	}
	return i + 1
}

// within goes through a statement that is a part of another, where there is one.
func (f *file) within(i, to int, in place) int {
	if i < to {
		return f.statement(i, to, in)
	}
	return i
}

// condition goes through what stands in parentheses behind a keyword, and returns what follows.
func (f *file) condition(i, to int, in place) int {
	if i+1 < to && f.Tokens[i+1].Is("(") {
		if !f.Tokens[i].Is("catch") {
			f.expression(i+2, f.Match[i+1], in)
		}
		return f.Match[i+1] + 1
	}
	return i + 1
}

// controlled goes through a loop.
func (f *file) controlled(i, to int, in place) int {
	i = f.condition(i, to, in)
	if i < to && !f.Tokens[i].Is(";") { // which ends do … while ()
		return f.statement(i, to, in)
	}
	return i
}

// counts reports whether a loop ends by itself: it goes through something, or counts.
func (f *file) counts(i, to int) bool {
	if i+1 >= to || !f.Tokens[i+1].Is("(") {
		return false
	}
	var ends []int
	for k := i + 2; k < f.Match[i+1]; k++ {
		switch t := &f.Tokens[k]; {
		case t.Is("("), t.Is("{"), t.Is("["):
			k = f.Match[k]
		case t.Is(";"):
			ends = append(ends, k)
		}
	}
	return len(ends) == 0 || len(ends) == 2 && ends[1] > ends[0]+1 && f.Match[i+1] > ends[1]+1
}

// attempt goes through the body of a try. One that catches something is marked, so that it is raised there.
func (f *file) attempt(i, to int, in place) int {
	if i+1 < to && f.Tokens[i+1].Is("(") {
		f.expression(i+2, f.Match[i+1], in)
		i = f.Match[i+1]
	}
	if i+1 >= to || !f.Tokens[i+1].Is("{") {
		return i + 1
	}
	open, end := i+1, f.Match[i+1]
	if end+1 < to && f.Tokens[end+1].Is("catch") {
		in.caught = true
		f.marks(f.Tokens[open].End, f.Tokens[end].Start, func() { f.block(open+1, end, in) })
	} else {
		f.block(open+1, end, in)
	}
	return end + 1
}

// label steps over case X: and case X ->.
func (f *file) label(i, to int) int {
	for ; i < to; i++ {
		switch t := &f.Tokens[i]; {
		case t.Is("("), t.Is("{"), t.Is("["):
			i = f.Match[i]
		case t.Is(":"), t.Is("->"):
			return i + 1
		}
	}
	return to
}

// inner steps over a class in a method.
func (f *file) inner(i, to int) int {
	for ; i < to; i++ {
		if f.Tokens[i].Is("(") {
			i = f.Match[i]
		} else if f.Tokens[i].Is("{") {
			return f.Match[i] + 1
		}
	}
	return to
}

// end is the token that ends a statement: its semicolon, or where there is none the last that it can have.
func (f *file) end(i, to int) int {
	for ; i < to; i++ {
		switch t := &f.Tokens[i]; {
		case t.Is("("), t.Is("{"), t.Is("["):
			i = f.Match[i]
		case t.Is(";"):
			return i
		}
	}
	return to
}

// simple goes through a statement that ends with a semicolon.
func (f *file) simple(i, end int, in place) {
	if f.Tokens[i].Is("return") && said(&f.Tokens[i]) && i+1 < end { // of Kotlin: fun a() = expression
		in.result = true
		i++
	}
	asserts := end < len(f.Tokens) && f.Tokens[end].Is(";") && f.asserts(i, end)
	mutes := asserts && !in.caught && !in.endless && !f.leans(f, i, end, in)
	if mutes {
		f.insert(f.Tokens[i].Start, "try { ")
	}
	in.asserts, in.used = asserts, in.result || !asserts && f.takes(i, end)
	f.expression(i, end, in)
	if mutes {
		f.insert(f.Tokens[end].End, " } catch ("+f.caught+") { "+f.call("failed")+"flaketap); }")
	}
}

// takes reports whether a statement does something with a value.
func (f *file) takes(i, end int) bool {
	for k := i; k < end; k++ {
		switch t := &f.Tokens[k]; {
		case t.Is("("), t.Is("["), t.Is("{"):
			k = f.Match[k]
		case t.Is("="), t.Is("return"):
			return true
		}
	}
	return false
}

// asserts reports whether a statement is an assertion, and sets nothing.
func (f *file) asserts(i, end int) bool {
	first := &f.Tokens[i]
	if first.Is("assert") {
		return true
	}
	if first.Kind != java.NameToken || slices.Contains([]string{"return", "throw", "yield", "break", "continue"}, first.Text) {
		return false
	}
	found := false
	for k := i; k < end; k++ {
		switch t := &f.Tokens[k]; {
		case t.Is("="), t.Is("Then"):
			return false
		case t.Is("{"):
			k = f.Match[k]
		case t.Is("then") && f.isThen(k, end):
			return false // each link of that is muted
		case f.isAssertion(k, end):
			found = true
		}
	}
	return found
}

// isAssertion reports whether a token is the name of an assertion that is made there: of a method, or of a function
// between its operands, as in x shouldBe y.
func (f *file) isAssertion(k, end int) bool {
	t := &f.Tokens[k]
	if t.Kind != java.NameToken || k+1 >= end {
		return false
	}
	next := &f.Tokens[k+1]
	should := strings.HasPrefix(t.Text, "should")
	if next.Is("(") || next.Is("{") || next.Is("<") {
		return should || f.assertion(t.Text)
	}
	return should && k > 0 && f.ends(k-1) && (next.Kind != java.OpToken || next.Is("[") || next.Is("-"))
}

// ends reports whether an operand ends with a token.
func (f *file) ends(i int) bool {
	t := &f.Tokens[i]
	return t.Kind != java.OpToken && !isKeyword(t.Text) || t.Is(")") || t.Is("]") || t.Is("}") || t.Is("!!")
}

// assertion reports whether a method asserts, by its name.
func (f *file) assertion(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "assert") || strings.HasPrefix(name, "expect") || strings.HasPrefix(name, "andexpect") ||
		name == "fail" || approves(name) && f.hasApprovals() || name == "then" && f.Has("static org.assertj.core.api.BDDAssertions.then")
}

// approves reports whether a method compares with an approved text, where it is one of ApprovalTests'.
func approves(name string) bool {
	return name == "verify" || name == "verifyjson" || name == "verifyasjson"
}

// hasApprovals reports whether a file imports ApprovalTests.
func (f *file) hasApprovals() bool {
	return slices.ContainsFunc(f.Imports, func(name string) bool {
		return strings.HasPrefix(strings.TrimPrefix(name, "static "), "org.approvaltests.")
	})
}
