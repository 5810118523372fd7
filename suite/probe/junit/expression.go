package junit

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/java"
)

// expression goes through the tokens of an expression, or of a statement that is one.
func (f *file) expression(from, to int, in place) {
	var calls []call
	var ends []closing // of what is put around parts of it, the outermost first
	answered := false  // what follows is said of an answer
	for i := from; i < to; i++ {
		ends = f.closed(ends, i)
		switch t := &f.Tokens[i]; {
		case t.Is("->") && i+1 < to && f.Tokens[i+1].Is("{"):
			f.block(i+2, f.Match[i+1], place{depth: in.depth}) // what it throws, nothing around it can catch
			i = f.Match[i+1]
		case t.Is("{"):
			f.braces(f, i, in, calls)
			i = f.Match[i]
		case t.Is("(") && said(t): // a text of Kotlin, with what is put into it
			ends = f.template(i, !in.asserts || inRequest(calls), inRequest(calls), ends)
		case t.Is(")") && said(t):
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
				ends = f.given(i+1, to, ends)
			}
		case t.Is("+") && !said(t) && i > from && f.isRequest(&f.Tokens[i-1]) && (!in.asserts || inRequest(calls)),
			t.Is("to") && i > from && f.Tokens[i-1].Kind == java.StringToken && !in.asserts: // "name" to value, in Kotlin
			ends = f.given(i+1, to, ends)
		case t.Is("then") && f.isThen(i, to):
			answered = true
			if start, ok := f.chain(i - 1); ok && start >= from && !in.endless {
				f.insert(f.Tokens[start].Start, f.call("then"))
				f.insert(f.Tokens[i+2].End, ")")
			}
		case t.Is("Then") && i+1 < to && f.Tokens[i+1].Is("{") && i > from && !in.endless:
			f.checked(i, from)
		}
	}
	f.closed(ends, to)
}

// closing is a text that is put in behind a token.
type closing struct {
	token int
	text  string
}

// closed puts in what belongs behind the tokens before one, the innermost first, and returns the rest.
func (f *file) closed(ends []closing, i int) []closing {
	for n := len(ends) - 1; n >= 0 && ends[n].token < i; n-- {
		f.insert(f.Tokens[ends[n].token].End, ends[n].text)
		ends = ends[:n]
	}
	return ends
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
		case t.Is("!!"):
			i--
			continue
		case t.Is("}"): // a lambda of Kotlin, behind what it is given to
			i = f.opens[i] - 1
			if i >= 0 && !f.Tokens[i].Is(")") && f.Tokens[i].Kind != java.NameToken {
				return 0, false
			}
			continue
		case t.Is(")"):
			i = f.callee(f.opens[i])
		case t.Is("]"):
			i = f.opens[i] - 1
			continue
		case t.Kind == java.NameToken && !isKeyword(t.Text), t.Kind == java.StringToken:
		default:
			return 0, false
		}
		switch {
		case i > 0 && (f.Tokens[i-1].Is(".") || f.Tokens[i-1].Is("?.")):
			i -= 2
		case i > 0 && f.Tokens[i-1].Is("new"):
			return i - 1, true
		default:
			return i, true
		}
	}
	return 0, false
}

// callee is the token that names what is called by a parenthesis, with types between in Kotlin; the parenthesis itself
// where that only groups.
func (f *file) callee(open int) int {
	i := open
	if i > 0 && f.Tokens[i-1].Is(">") {
		depth := 0
		for k := i - 1; k > 0 && open-k < maxTypes; k-- {
			if f.Tokens[k].Is(">") {
				depth++
			} else if f.Tokens[k].Is("<") {
				depth--
			}
			if depth == 0 {
				i = k
				break
			}
		}
	}
	if i > 0 && f.Tokens[i-1].Kind == java.NameToken && !isKeyword(f.Tokens[i-1].Text) {
		return i - 1
	}
	return open
}

// maxTypes bounds the tokens of the types that a call names.
const maxTypes = 100

func isKeyword(name string) bool {
	return slices.Contains([]string{"return", "throw", "yield", "case", "else", "do", "assert", "new", "if", "while", "for",
		"switch", "synchronized", "instanceof"}, name)
}

// given has the test look at an operand, or an argument, of which a request is made.
func (f *file) given(from, to int, ends []closing) []closing {
	if from >= to || f.Tokens[from].Kind != java.NameToken || isKeyword(f.Tokens[from].Text) ||
		slices.Contains([]string{"true", "false", "null"}, f.Tokens[from].Text) {
		return ends
	}
	i := from + 1
	for i < to {
		t := &f.Tokens[i]
		if (t.Is(".") || t.Is("?.")) && i+1 < to && f.Tokens[i+1].Kind == java.NameToken && f.Tokens[i+1].Text != "class" {
			i += 2
		} else if t.Is("(") || t.Is("[") {
			i = f.Match[i] + 1
		} else if t.Is("!!") {
			i++
		} else if t.Is("<") && f.Generics(i, to) > i && f.Generics(i, to)+1 < to && f.Tokens[f.Generics(i, to)+1].Is("(") {
			i = f.Generics(i, to) + 1
		} else {
			break
		}
	}
	if i > to {
		return ends
	}
	if i == to || slices.ContainsFunc([]string{"+", ",", ")", ";", "as"}, f.Tokens[i].Is) {
		f.insert(f.Tokens[from].Start, f.call("given"))
		return append(ends, closing{i - 1, ")"})
	}
	return ends
}
