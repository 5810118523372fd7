package read

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what a token is.
type kind byte

const (
	name kind = iota
	number
	text // of a literal, without its quotes
	mark // anything else, one character, or two where these are one operator
)

// token is a piece of a program that is neither blank nor comment.
type token struct {
	kind kind
	text string
	line int // from 1
	col  int // in bytes, from 0
	at   int // in bytes of the text
}

// span is where it stands, a text with its quotes.
func (t token) span() Span {
	if t.kind == text {
		return Span{t.at, t.at + len(t.text) + len(`""`)}
	}
	return Span{t.at, t.at + len(t.text)}
}

// lexer cuts a text in tokens.
type lexer struct {
	syntax
	src    string
	at     int
	line   int
	begun  int // where the line begins
	tokens []token
	braces []int // for each ${ that is open, how many { are open within it
}

// maxNest bounds how deep templates and brackets stand within each other.
const maxNest = 200

// lex cuts a text in tokens. Texts that do not end where they should end with their line.
func lex(src string, l Language) []token {
	x := &lexer{syntax: syntaxes[l], src: src, line: 1, tokens: make([]token, 0, len(src)/5+8)}
	for x.at < len(src) {
		x.next()
	}
	return x.tokens
}

func (x *lexer) next() {
	c := x.src[x.at]
	rest := x.src[x.at:]
	switch {
	case c == '\n':
		x.newline()
		x.at++
	case c == ' ' || c == '\t' || c == '\r':
		x.at++
	case strings.HasPrefix(rest, x.comment):
		x.skipLine()
	case x.block && strings.HasPrefix(rest, "/*"):
		x.skipBlock()
	case strings.IndexByte(x.quotes, c) >= 0:
		x.quoted(c)
	case c == '`' && x.template:
		x.at++
		x.inTemplate()
	case c == '`':
		x.backquoted()
	case c >= '0' && c <= '9' || c == '.' && len(rest) > 1 && digit(rest[1]) && !x.behindValue():
		x.number()
	case c == '/' && x.regex && !x.behindValue():
		x.regular()
	case letter(rest):
		x.name()
	default:
		x.mark(c, rest)
	}
}

func (x *lexer) newline() {
	x.line++
	x.begun = x.at + 1
}

func (x *lexer) add(k kind, text string, from int) {
	x.tokens = append(x.tokens, token{k, text, x.line, max(0, from-x.begun), from})
}

func (x *lexer) skipLine() {
	end := strings.IndexByte(x.src[x.at:], '\n')
	if end < 0 {
		end = len(x.src) - x.at
	}
	x.at += end
}

func (x *lexer) skipBlock() {
	depth := 0
	for x.at < len(x.src) {
		switch rest := x.src[x.at:]; {
		case strings.HasPrefix(rest, "/*") && (depth == 0 || x.nested):
			depth++
			x.at += 2
		case strings.HasPrefix(rest, "*/"):
			depth--
			x.at += 2
			if depth == 0 {
				return
			}
		default:
			if rest[0] == '\n' {
				x.newline()
			}
			x.at++
		}
	}
}

// quoted reads a text in quotes.
func (x *lexer) quoted(quote byte) {
	from := x.at
	three := strings.Repeat(string(quote), 3)
	if x.triple && strings.HasPrefix(x.src[x.at:], three) {
		x.long(three)
		return
	}
	x.at++
	for x.at < len(x.src) && x.src[x.at] != '\n' {
		switch c := x.src[x.at]; {
		case c == '\\' && x.at+1 < len(x.src) && x.src[x.at+1] != '\n':
			x.at += 2
		case c == quote:
			x.add(text, x.src[from+1:x.at], from)
			x.at++
			return
		case x.filled && strings.HasPrefix(x.src[x.at:], "${"):
			x.skipFilled()
		default:
			x.at++
		}
	}
	x.add(text, x.src[from+1:min(x.at, len(x.src))], from)
}

// skipFilled skips ${ } within a text, to the end of the line at most.
func (x *lexer) skipFilled() {
	depth := 0
	for ; x.at < len(x.src) && x.src[x.at] != '\n'; x.at++ {
		switch x.src[x.at] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				x.at++
				return
			}
		}
	}
}

// long reads a text of several lines, which is a token of the line where it begins.
func (x *lexer) long(quote string) {
	from := x.at + len(quote)
	end := strings.Index(x.src[from:], quote)
	if end < 0 {
		end = len(x.src) - from
	}
	x.add(text, "", x.at) // such are documents, and no words of a line
	x.over(min(len(x.src), from+end+len(quote)))
}

// over goes on to a place, and counts the lines on the way.
func (x *lexer) over(to int) {
	for ; x.at < to; x.at++ {
		if x.src[x.at] == '\n' {
			x.newline()
		}
	}
}

// backquoted reads a raw text of Go, or a name in Kotlin.
func (x *lexer) backquoted() {
	end := strings.IndexByte(x.src[x.at+1:], '`')
	switch {
	case end < 0:
		x.at++
	case x.raw:
		x.add(text, "", x.at)
		x.over(x.at + end + 2)
	default:
		x.add(name, x.src[x.at+1:x.at+1+end], x.at)
		x.over(x.at + end + 2)
	}
}

// inTemplate reads on within a template of JavaScript: to its end, or to the next piece of program.
func (x *lexer) inTemplate() {
	from := x.at
	for x.at < len(x.src) {
		switch c := x.src[x.at]; {
		case c == '\\' && x.at+1 < len(x.src):
			x.over(x.at + 2)
		case c == '`':
			x.add(text, x.src[from:x.at], from)
			x.at++
			return
		case strings.HasPrefix(x.src[x.at:], "${") && len(x.braces) < maxNest:
			x.add(text, x.src[from:x.at], from)
			x.add(mark, "+", x.at)
			x.braces = append(x.braces, 0)
			x.at += 2
			return
		default:
			x.over(x.at + 1)
		}
	}
}

// number reads a number, with what stands behind it to tell its type.
func (x *lexer) number() {
	from := x.at
	for x.at < len(x.src) {
		c := x.src[x.at]
		exponent := (c == '+' || c == '-') && x.at > from && strings.IndexByte("eE", x.src[x.at-1]) >= 0 &&
			!strings.HasPrefix(x.src[from:], "0x")
		point := c == '.' && (x.at+1 == len(x.src) || !letter(x.src[x.at+1:]) && x.src[x.at+1] != '.')
		if !digit(c) && !letter(x.src[x.at:x.at+1]) && !exponent && !point {
			break
		}
		x.at++
	}
	x.add(number, x.src[from:x.at], from)
}

// longestRegular bounds regular expressions, in bytes: each / may begin one.
const longestRegular = 1000

// regular reads a regular expression of JavaScript, which is a text.
func (x *lexer) regular() {
	from, class := x.at, false
	x.at++
	for x.at < len(x.src) && x.src[x.at] != '\n' && x.at-from < longestRegular {
		switch c := x.src[x.at]; {
		case c == '\\' && x.at+1 < len(x.src) && x.src[x.at+1] != '\n':
			x.at++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			x.add(text, x.src[from+1:x.at], from)
			x.at++
			return
		}
		x.at++
	}
	x.at = from + 1 // it was none
	x.add(mark, "/", from)
}

func (x *lexer) name() {
	from := x.at
	for x.at < len(x.src) && (letter(x.src[x.at:]) || digit(x.src[x.at])) {
		_, n := utf8.DecodeRuneInString(x.src[x.at:])
		x.at += n
	}
	if x.at < len(x.src) && x.triple && !x.filled && x.at-from <= 2 && strings.IndexByte(x.quotes, x.src[x.at]) >= 0 &&
		strings.Trim(strings.ToLower(x.src[from:x.at]), "rbfu") == "" {
		return // what stands before a text of Python
	}
	x.add(name, x.src[from:x.at], from)
}

// operators of two characters that must not be taken for two.
var operators = []string{"=>", "==", "!=", "<=", ">=", "||", "&&", "??", "?.", ":=", "<-", "->", "::", "++", "--", "**",
	"+=", "-=", "*=", "/=", "//"}

func (x *lexer) mark(c byte, rest string) {
	if n := len(x.braces); n > 0 {
		switch {
		case c == '{':
			x.braces[n-1]++
		case c == '}' && x.braces[n-1] == 0:
			x.braces = x.braces[:n-1]
			x.at++
			x.inTemplate()
			return
		case c == '}':
			x.braces[n-1]--
		}
	}
	if len(rest) > 1 && strings.IndexByte("=|&?.><-+*/:", rest[1]) >= 0 && slices.Contains(operators, rest[:2]) {
		x.add(mark, rest[:2], x.at)
		x.at += 2
		return
	}
	_, n := utf8.DecodeRuneInString(rest)
	x.add(mark, rest[:n], x.at)
	x.at += n
}

// behindValue reports whether the last token ends a value: a / behind it divides.
func (x *lexer) behindValue() bool {
	if len(x.tokens) == 0 {
		return false
	}
	last := x.tokens[len(x.tokens)-1]
	switch last.kind {
	case number, text:
		return true
	case name:
		return !beforeValue[last.text]
	}
	return last.text == ")" || last.text == "]" || last.text == "}"
}

// beforeValue are names of JavaScript behind which a value stands.
var beforeValue = wordSet("return typeof case in of delete void throw new await yield else do instanceof")

func digit(c byte) bool { return c >= '0' && c <= '9' }

// letter reports whether a text begins with what a name may begin with.
func letter(s string) bool {
	c := s[0]
	if c < utf8.RuneSelf {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
	}
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r)
}
