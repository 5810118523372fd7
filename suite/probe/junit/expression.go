package junit

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/java"
)

// expression goes through the tokens of an expression, or of a statement that is one.
func (f *file) expression(from, to int, in place) {
	var calls []call
	answered := false // what follows is said of an answer
	for i := from; i < to; i++ {
		switch t := &f.Tokens[i]; {
		case t.Is("->") && i+1 < to && f.Tokens[i+1].Is("{"):
			f.block(i+2, f.Match[i+1], place{depth: in.depth}) // what it throws, nothing around it can catch
			i = f.Match[i+1]
		case t.Is("{"):
			i = f.Match[i]
		case t.Is("("):
			c := call{}
			if i > from && f.Tokens[i-1].Kind == java.NameToken {
				c.name = f.Tokens[i-1].Text
			}
			calls = append(calls, c)
		case t.Is(")") && len(calls) > 0:
			calls = calls[:len(calls)-1]
		case t.Is(",") && len(calls) > 0:
			calls[len(calls)-1].args++
			if !answered && calls[len(calls)-1].takesValues() {
				f.given(i+1, to)
			}
		case t.Is("+") && i > from && f.isRequest(&f.Tokens[i-1]) && (!in.asserts || inRequest(calls)):
			f.given(i+1, to)
		case t.Is("then") && f.isThen(i, to):
			answered = true
			if start, ok := f.chain(i - 1); ok && start >= from && !in.endless {
				f.insert(f.Tokens[start].Start, f.call("then"))
				f.insert(f.Tokens[i+2].End, ")")
			}
		}
	}
}

// call is a call whose arguments are gone through.
type call struct {
	name string
	args int // how many are behind
}

// takesValues reports whether the further arguments of a call are values that a request is made of.
func (c call) takesValues() bool {
	return c.args > 0 && (c.sends() || slices.Contains(valueTakers(), c.name))
}

// sends reports whether a call may send a request to an address that it is given.
func (c call) sends() bool {
	return slices.Contains([]string{"get", "post", "put", "patch", "delete", "head", "options"}, c.name)
}

func valueTakers() []string {
	return []string{"pathParam", "queryParam", "formParam", "param", "header", "cookie"}
}

// inRequest reports whether the innermost call is one that a request is made by.
func inRequest(calls []call) bool {
	if len(calls) == 0 {
		return false
	}
	c := calls[len(calls)-1]
	return c.sends() || slices.Contains(valueTakers(), c.name) ||
		slices.Contains([]string{"create", "uri", "url", "fetch", "send", "request", "exchange", "URI", "URL"}, c.name)
}

// isRequest reports whether a literal looks like a part of an address, of a body or of a header's value.
func (f *file) isRequest(t *java.Token) bool {
	return t.Kind == java.StringToken && (strings.ContainsAny(t.Text, `/?=&"`) || strings.HasPrefix(t.Text, "Bearer "))
}

// isThen reports whether a token begins then(), as a link.
func (f *file) isThen(i, to int) bool {
	return i > 0 && i+2 < to && f.Tokens[i-1].Is(".") && f.Tokens[i+1].Is("(") && f.Tokens[i+2].Is(")")
}

// chain finds where the expression begins whose last link stands behind a point.
func (f *file) chain(point int) (start int, ok bool) {
	for i := point - 1; i >= 0; {
		switch t := &f.Tokens[i]; {
		case t.Is(")"):
			i = f.opens[i]
			if i > 0 && f.Tokens[i-1].Kind == java.NameToken && !isKeyword(f.Tokens[i-1].Text) {
				i--
			}
		case t.Is("]"):
			i = f.opens[i] - 1
			continue
		case t.Kind == java.NameToken && !isKeyword(t.Text), t.Kind == java.StringToken:
		default:
			return 0, false
		}
		switch {
		case i > 0 && f.Tokens[i-1].Is("."):
			i -= 2
		case i > 0 && f.Tokens[i-1].Is("new"):
			return i - 1, true
		default:
			return i, true
		}
	}
	return 0, false
}

func isKeyword(name string) bool {
	return slices.Contains([]string{"return", "throw", "yield", "case", "else", "do", "assert", "new", "if", "while", "for",
		"switch", "synchronized", "instanceof"}, name)
}

// given has the test look at an operand, or an argument, of which a request is made.
func (f *file) given(from, to int) {
	if from >= to || f.Tokens[from].Kind != java.NameToken || isKeyword(f.Tokens[from].Text) ||
		slices.Contains([]string{"true", "false", "null"}, f.Tokens[from].Text) {
		return
	}
	i := from + 1
	for i < to {
		t := &f.Tokens[i]
		if t.Is(".") && i+1 < to && f.Tokens[i+1].Kind == java.NameToken && f.Tokens[i+1].Text != "class" {
			i += 2
		} else if t.Is("(") || t.Is("[") {
			i = f.Match[i] + 1
		} else {
			break
		}
	}
	if i > to {
		return
	}
	if i == to || f.Tokens[i].Is("+") || f.Tokens[i].Is(",") || f.Tokens[i].Is(")") || f.Tokens[i].Is(";") {
		f.insert(f.Tokens[from].Start, f.call("given"))
		f.insert(f.Tokens[i-1].End, ")")
	}
}
