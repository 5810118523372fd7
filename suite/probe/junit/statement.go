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
	case t.Is("if"), t.Is("synchronized"), t.Is("switch"), t.Is("catch"):
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
	case t.Is("else"), t.Is("finally"), t.Is(";"), t.Is("}"), t.Is("final"), t.Is("static"), t.Is("abstract"):
	case t.Kind == java.NameToken && i+1 < to && f.Tokens[i+1].Is(":"):
		return i + 2
	default:
		end := f.end(i, to)
		f.simple(i, end, in)
		return end + 1
	}
	return i + 1
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
	catches := end+1 < to && f.Tokens[end+1].Is("catch")
	in.caught = in.caught || catches
	if catches {
		f.insert(f.Tokens[open].End, " "+f.call("waits")+"); try {")
	}
	f.block(open+1, end, in)
	if catches {
		f.insert(f.Tokens[end].Start, "} finally { "+f.call("waited")+"); } ")
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
	asserts := end < len(f.Tokens) && f.Tokens[end].Is(";") && f.asserts(i, end)
	mutes := asserts && !in.caught && !in.endless
	if mutes {
		f.insert(f.Tokens[i].Start, "try { ")
	}
	in.asserts = asserts
	f.expression(i, end, in)
	if mutes {
		f.insert(f.Tokens[end].End, " } catch (Throwable flaketap) { "+f.call("failed")+"flaketap); }")
	}
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
		case t.Is("="):
			return false
		case t.Is("->") && k+1 < end && f.Tokens[k+1].Is("{"):
			k = f.Match[k+1]
		case t.Is("then") && f.isThen(k, end):
			return false // each link of that is muted
		case t.Kind == java.NameToken && k+1 < end && f.Tokens[k+1].Is("(") && f.assertion(t.Text):
			found = true
		}
	}
	return found && f.Tokens[end-1].Is(")")
}

// assertion reports whether a method asserts, by its name.
func (f *file) assertion(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "assert") || strings.HasPrefix(name, "expect") || strings.HasPrefix(name, "andexpect") ||
		name == "fail" || name == "then" && f.Has("static org.assertj.core.api.BDDAssertions.then")
}
