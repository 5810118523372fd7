package js

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/flaketap/flaketap/suite/script"
)

// kind is the kind of a token of JavaScript.
type kind uint8

const (
	Word        kind = iota // a name or a keyword
	numberToken             // as written
	JsString                // its value
	JsTemplate              // a template literal
	regexpToken             // its pattern
	mark                    // an operator, a bracket, other punctuation
)

// Token is one token of JavaScript or TypeScript.
type Token struct {
	Kind    kind
	Text    string
	flags   string    // of a regular expression
	Parts   []string  // of a template: the texts around its expressions, one more than those
	Holes   [][]Token // of a template: its expressions
	Start   int       // where it begins and ends, in bytes
	End     int
	Line    int  // from 1
	newline bool // a line ends before it
	match   int  // of a bracket: the index of the other one of the pair
}

// Is reports whether a token is the name, the keyword or the mark given.
func (t Token) Is(text string) bool {
	return t.Text == text && (t.Kind == mark || t.Kind == Word)
}

// maxNested bounds how deeply template literals may nest.
const MaxNested = 50

// lexer splits JavaScript into tokens.
type lexer struct {
	file    string
	src     string
	pos     int
	line    int
	newline bool
	nested  int
}

// Tokens splits a JavaScript file into tokens. Comments and blanks give none. Brackets are paired.
func Tokens(file, src string) ([]Token, error) {
	l := &lexer{file: file, src: src, line: 1, newline: true}
	if strings.HasPrefix(src, "#!") {
		l.pos = l.lineEnd()
	}
	return l.tokens()
}

func (l *lexer) errorf(line int, format string, args ...any) error {
	return &script.SyntaxError{File: l.file, Line: line, Reason: fmt.Sprintf(format, args...)}
}

// lineEnd returns where the present line ends, its line end not included.
func (l *lexer) lineEnd() int {
	if i := strings.IndexAny(l.src[l.pos:], "\r\n"); i >= 0 {
		return l.pos + i
	}
	return len(l.src)
}

// tokens reads to the end, or, within a template literal, to the brace that ends its expression.
func (l *lexer) tokens() ([]Token, error) {
	var out []Token
	var open []int
	for {
		if err := l.blanks(); err != nil {
			return nil, err
		}
		if l.pos == len(l.src) {
			break
		}
		if l.nested > 0 && len(open) == 0 && l.src[l.pos] == '}' {
			return out, nil
		}
		t := Token{Start: l.pos, Line: l.line, newline: l.newline, match: -1}
		l.newline = false
		if err := l.token(&t, out); err != nil {
			return nil, err
		}
		t.End = l.pos
		if t.Kind == mark {
			switch t.Text {
			case "(", "[", "{":
				open = append(open, len(out))
			case ")", "]", "}":
				want := map[string]string{")": "(", "]": "[", "}": "{"}[t.Text]
				if len(open) == 0 || out[open[len(open)-1]].Text != want {
					return nil, l.errorf(t.Line, "%q closes nothing", t.Text)
				}
				t.match = open[len(open)-1]
				out[t.match].match = len(out)
				open = open[:len(open)-1]
			}
		}
		out = append(out, t)
	}
	if len(open) > 0 {
		t := out[open[len(open)-1]]
		return nil, l.errorf(t.Line, "%q is never closed", t.Text)
	}
	if l.nested > 0 {
		return nil, l.errorf(l.line, "a template literal is never closed")
	}
	return out, nil
}

// step goes over one line end of any kind.
func (l *lexer) step() {
	if strings.HasPrefix(l.src[l.pos:], "\r\n") {
		l.pos++
	}
	l.pos++
	l.line++
	l.newline = true
}

// blanks goes over white space and comments.
func (l *lexer) blanks() error {
	for l.pos < len(l.src) {
		rest := l.src[l.pos:]
		switch c := rest[0]; {
		case c == '\n' || c == '\r':
			l.step()
		case c == ' ' || c == '\t' || c == '\f' || c == '\v':
			l.pos++
		case strings.HasPrefix(rest, "//"):
			l.pos = l.lineEnd()
		case strings.HasPrefix(rest, "/*"):
			line := l.line
			for l.pos += 2; !strings.HasPrefix(l.src[l.pos:], "*/"); {
				if l.pos == len(l.src) {
					return l.errorf(line, "a comment is never closed")
				}
				if c := l.src[l.pos]; c == '\n' || c == '\r' {
					l.step()
				} else {
					l.pos++
				}
			}
			l.pos += 2
		case strings.HasPrefix(rest, "\u00a0") || strings.HasPrefix(rest, "\ufeff"):
			_, n := utf8.DecodeRuneInString(rest)
			l.pos += n
		case strings.HasPrefix(rest, "\u2028") || strings.HasPrefix(rest, "\u2029"):
			l.pos += 3
			l.newline = true
		default:
			return nil
		}
	}
	return nil
}

func isJSName(c byte) bool { return c == '$' || script.IsNameByte(c) }

// token reads the token at the present position; before are those in front of it.
func (l *lexer) token(t *Token, before []Token) error {
	switch c := l.src[l.pos]; {
	case c == '"' || c == '\'':
		t.Kind = JsString
		return l.str(t, c)
	case c == '`':
		t.Kind = JsTemplate
		return l.template(t)
	case '0' <= c && c <= '9' || c == '.' && l.pos+1 < len(l.src) && '0' <= l.src[l.pos+1] && l.src[l.pos+1] <= '9':
		t.Kind = numberToken
		l.number()
		t.Text = l.src[t.Start:l.pos]
		return nil
	case isJSName(c) || c == '#' && l.pos+1 < len(l.src) && isJSName(l.src[l.pos+1]):
		t.Kind = Word
		for l.pos++; l.pos < len(l.src) && isJSName(l.src[l.pos]); {
			l.pos++
		}
		t.Text = l.src[t.Start:l.pos]
		return nil
	case c == '/' && regexpMayStand(before, t.newline):
		t.Kind = regexpToken
		return l.regexp(t)
	}
	t.Kind = mark
	t.Text = punctuation(l.src[l.pos:])
	if t.Text == "" {
		r, _ := utf8.DecodeRuneInString(l.src[l.pos:])
		return l.errorf(l.line, "unexpected character %q", r)
	}
	l.pos += len(t.Text)
	return nil
}

// punctuation returns the operator or other mark that a text begins with; "" for none.
func punctuation(s string) string {
	for n := min(4, len(s)); n > 1; n-- {
		switch s[:n] {
		case ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=", "<=", ">=",
			"&&", "||", "??", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "**":
			return s[:n]
		case "?.":
			if len(s) == 2 || s[2] < '0' || s[2] > '9' {
				return s[:n]
			}
		}
	}
	if strings.IndexByte("(){}[];,<>+-*/%&|^!~?:=.@#", s[0]) >= 0 {
		return s[:1]
	}
	return ""
}

// regexpMayStand reports whether a slash begins a regular expression: it does where a value is wanted. Behind a bracket
// that closes, and behind a name, a value has ended, unless the name is a keyword or the bracket closes a condition.
func regexpMayStand(before []Token, newline bool) bool {
	if len(before) == 0 {
		return true
	}
	switch t := before[len(before)-1]; {
	case t.Kind == Word:
		switch t.Text {
		case "return", "typeof", "case", "in", "of", "delete", "void", "instanceof", "new", "throw", "await", "yield",
			"else", "do":
			return true
		}
		return false
	case t.Kind != mark:
		return false
	case t.Text == ")":
		if t.match > 0 {
			switch before[t.match-1].Text {
			case "if", "while", "for", "with":
				return before[t.match-1].Kind == Word
			}
		}
		return false
	case t.Text == "}":
		return newline
	default:
		return t.Text != "]" && t.Text != "++" && t.Text != "--"
	}
}

// number goes over a number; whether it is one is for who evaluates it to say.
func (l *lexer) number() {
	digits := func() {
		for l.pos < len(l.src) && (l.src[l.pos] >= '0' && l.src[l.pos] <= '9' || l.src[l.pos] == '_') {
			l.pos++
		}
	}
	digits()
	if l.pos < len(l.src) && l.src[l.pos] == '.' {
		l.pos++
		digits()
	}
	if l.pos < len(l.src) && (l.src[l.pos]|0x20) == 'e' {
		l.pos++
		if l.pos < len(l.src) && (l.src[l.pos] == '+' || l.src[l.pos] == '-') {
			l.pos++
		}
	}
	for l.pos < len(l.src) && isJSName(l.src[l.pos]) { // hexadecimal digits, the n of large integers
		l.pos++
	}
}

// regexp reads a regular expression.
func (l *lexer) regexp(t *Token) error {
	class := false
	for l.pos++; ; l.pos++ {
		if l.pos == len(l.src) || l.src[l.pos] == '\n' || l.src[l.pos] == '\r' {
			return l.errorf(t.Line, "a regular expression is not closed on its line")
		}
		switch c := l.src[l.pos]; {
		case c == '\\':
			if l.pos+1 < len(l.src) && l.src[l.pos+1] != '\n' && l.src[l.pos+1] != '\r' {
				l.pos++
			}
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			t.Text = l.src[t.Start+1 : l.pos]
			l.pos++
			from := l.pos
			for l.pos < len(l.src) && isJSName(l.src[l.pos]) {
				l.pos++
			}
			t.flags = l.src[from:l.pos]
			return nil
		}
	}
}

// str reads a string in quotes.
func (l *lexer) str(t *Token, quote byte) error {
	var b stringBuilder
	for l.pos++; ; {
		if l.pos == len(l.src) {
			return l.errorf(t.Line, "a string is never closed")
		}
		switch c := l.src[l.pos]; {
		case c == quote:
			l.pos++
			t.Text = b.String()
			return nil
		case c == '\n' || c == '\r':
			return l.errorf(t.Line, "a string is not closed on its line")
		case c == '\\':
			if err := l.escape(&b); err != nil {
				return err
			}
		default:
			b.add(l.src[l.pos : l.pos+1])
			l.pos++
		}
	}
}

// template reads a template literal with the expressions in it.
func (l *lexer) template(t *Token) error {
	if l.nested++; l.nested > MaxNested {
		return l.errorf(t.Line, "template literals nest too deeply")
	}
	defer func() { l.nested-- }()
	var b stringBuilder
	for l.pos++; ; {
		if l.pos == len(l.src) {
			return l.errorf(t.Line, "a template literal is never closed")
		}
		switch c := l.src[l.pos]; {
		case c == '`':
			l.pos++
			t.Parts = append(t.Parts, b.String())
			return nil
		case c == '\\':
			if err := l.escape(&b); err != nil {
				return err
			}
		case strings.HasPrefix(l.src[l.pos:], "${"):
			l.pos += 2
			hole, err := l.tokens()
			if err != nil {
				return err
			}
			l.pos++
			t.Holes, t.Parts = append(t.Holes, hole), append(t.Parts, b.String())
			b = stringBuilder{}
		case c == '\n' || c == '\r':
			l.step()
			b.add("\n")
		default:
			b.add(l.src[l.pos : l.pos+1])
			l.pos++
		}
	}
}

// escape reads one escape of a string or a template.
func (l *lexer) escape(b *stringBuilder) error {
	if l.pos++; l.pos == len(l.src) {
		return l.errorf(l.line, "a string is never closed")
	}
	c := l.src[l.pos]
	if c == '\n' || c == '\r' {
		newline := l.newline
		l.step()
		l.newline = newline
		return nil
	}
	l.pos++
	digits := 0
	switch c {
	case 'x':
		digits = 2
	case 'u':
		digits = 4
		if strings.HasPrefix(l.src[l.pos:], "{") {
			digits = strings.IndexByte(l.src[l.pos:min(len(l.src), l.pos+10)], '}') - 1
			l.pos++
		}
	default:
		if i := strings.IndexByte("bfnrtv0", c); i >= 0 {
			b.add("\b\f\n\r\t\v\x00"[i : i+1])
		} else {
			b.add(l.src[l.pos-1 : l.pos])
		}
		return nil
	}
	if digits < 1 || l.pos+digits > len(l.src) {
		return l.errorf(l.line, "an escape is incomplete")
	}
	n, err := strconv.ParseUint(l.src[l.pos:l.pos+digits], 16, 32)
	if err != nil || n > utf8.MaxRune {
		return l.errorf(l.line, "the escape \\%c%s names no character", c, l.src[l.pos:l.pos+digits])
	}
	l.pos += digits
	if strings.HasPrefix(l.src[l.pos-digits-1:], "{") {
		l.pos++
	}
	b.unit(rune(n))
	return nil
}

// stringBuilder builds the value of a string, in which two escapes may make one character.
type stringBuilder struct {
	strings.Builder
	high rune // the first half of a character outside the basic plane, whose second half may follow
}

func (b *stringBuilder) add(s string) {
	b.flush()
	b.WriteString(s)
}

func (b *stringBuilder) flush() {
	if b.high != 0 {
		b.WriteRune(utf8.RuneError)
		b.high = 0
	}
}

func (b *stringBuilder) unit(r rune) {
	if whole := utf16.DecodeRune(b.high, r); b.high != 0 && whole != utf8.RuneError {
		b.WriteRune(whole)
		b.high = 0
		return
	}
	b.flush()
	if r >= 0xd800 && r < 0xdc00 {
		b.high = r
		return
	}
	b.WriteRune(r)
}

// String ends the text.
func (b *stringBuilder) String() string {
	b.flush()
	return b.Builder.String()
}
