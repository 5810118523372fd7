package syntax

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/suite/script"
)

type tokenKind uint8

const (
	TokenName tokenKind = iota
	TokenNumber
	TokenString
	TokenFormat // an f-string; what stands in its braces is read with the expression that it is in
	tokenOpaque // bytes
	TokenOp
)

// Token is one token of Python. For a string, text is its value, escapes undone.
type Token struct {
	Kind tokenKind
	Text string
	Line int // from 1
	// Where it begins and ends in the text, in bytes.
	Start, End int
}

// Statement is one logical line of Python: brackets and backslashes join physical ones.
type Statement struct {
	script.Span // from its first token to its last one
	Tokens      []Token
}

// Is reports whether the statement begins with these names and operators.
func (s Statement) Is(texts ...string) bool {
	if len(s.Tokens) < len(texts) {
		return false
	}
	for i, t := range texts {
		if kind := s.Tokens[i].Kind; s.Tokens[i].Text != t || kind != TokenName && kind != TokenOp {
			return false
		}
	}
	return true
}

// Parts are the statements of a line, which semicolons stand between. A line in which a block begins, or something is
// asserted, is one: what stands beside could not be told from it where it is written anew. Several have no place of
// their own: each is said to stand at the end of the line.
func (s Statement) Parts() []Statement {
	out := []Statement{}
	rest := s.Tokens
	for len(rest) > 0 {
		end := TopLevel(rest, ";")
		if end < 0 {
			end = len(rest)
		}
		part := Statement{Span: s.Span, Tokens: rest[:end]}
		part.Start = s.End
		if part.Is("assert") || part.Is("self", ".") || part.Is("cls", ".") || TopLevel(part.Tokens, ":") >= 0 {
			return []Statement{s}
		}
		if end > 0 {
			out = append(out, part)
		}
		rest = rest[min(end+1, len(rest)):]
	}
	if len(out) < 2 {
		return []Statement{s}
	}
	return out
}

// lexer splits Python into statements.
type lexer struct {
	file string
	src  string
	pos  int
	line int
	open []Token // brackets not yet closed
}

// Statements splits a Python file into logical lines. Comments and blank lines give none.
func Statements(file, src string) ([]Statement, error) {
	l := &lexer{file: file, src: src, line: 1}
	var out []Statement
	for l.pos < len(l.src) {
		s, err := l.statement()
		if err != nil {
			return nil, err
		}
		if len(s.Tokens) > 0 {
			out = append(out, s)
		}
	}
	return out, nil
}

func (l *lexer) errorf(line int, format string, args ...any) error {
	return &script.SyntaxError{File: l.file, Line: line, Reason: fmt.Sprintf(format, args...)}
}

// Statement reads one logical line with its line end.
func (l *lexer) statement() (Statement, error) {
	from := l.pos
	for l.pos < len(l.src) && (l.src[l.pos] == ' ' || l.src[l.pos] == '\t') {
		l.pos++
	}
	s := Statement{Span: script.Span{Indent: l.src[from:l.pos], FirstLine: l.line}}
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case c == '\n' || c == '\r':
			l.newline()
			if len(l.open) == 0 {
				return s, nil
			}
		case c == ' ' || c == '\t' || c == '\f':
			l.pos++
		case c == '#':
			for l.pos < len(l.src) && l.src[l.pos] != '\n' && l.src[l.pos] != '\r' {
				l.pos++
			}
		case c == '\\':
			l.pos++
			if l.pos == len(l.src) || (l.src[l.pos] != '\n' && l.src[l.pos] != '\r') {
				return s, l.errorf(l.line, "a backslash that is not at the end of its line")
			}
			l.newline()
		default:
			if len(s.Tokens) == 0 {
				s.FirstLine, s.Start = l.line, l.pos
			}
			from := l.pos
			t, err := l.token()
			if err != nil {
				return s, err
			}
			t.Start, t.End = from, l.pos
			s.Tokens = append(s.Tokens, t)
			s.LastLine, s.End = l.line, l.pos
		}
	}
	if len(l.open) > 0 {
		b := l.open[len(l.open)-1]
		return s, l.errorf(b.Line, "%q is never closed", b.Text)
	}
	return s, nil
}

// newline steps over one line end of any kind.
func (l *lexer) newline() {
	if strings.HasPrefix(l.src[l.pos:], "\r\n") {
		l.pos++
	}
	l.pos++
	l.line++
}

// Token reads the token at the present position.
func (l *lexer) token() (Token, error) {
	c := l.src[l.pos]
	switch {
	case c == '"' || c == '\'':
		return l.str("")
	case '0' <= c && c <= '9' || c == '.' && l.pos+1 < len(l.src) && '0' <= l.src[l.pos+1] && l.src[l.pos+1] <= '9':
		return l.number(), nil
	case script.IsNameByte(c):
		from := l.pos
		for l.pos < len(l.src) && script.IsNameByte(l.src[l.pos]) {
			l.pos++
		}
		name := l.src[from:l.pos]
		if l.pos < len(l.src) && (l.src[l.pos] == '"' || l.src[l.pos] == '\'') && len(name) <= 2 &&
			strings.Trim(strings.ToLower(name), "rbuf") == "" {
			return l.str(strings.ToLower(name))
		}
		return Token{Kind: TokenName, Text: name, Line: l.line}, nil
	}
	return l.operator()
}

// number reads digits, points and exponents; whether they make a number is for the evaluator to say.
func (l *lexer) number() Token {
	from := l.pos
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		sign := (c == '+' || c == '-') && (l.src[l.pos-1] == 'e' || l.src[l.pos-1] == 'E') &&
			!strings.HasPrefix(strings.ToLower(l.src[from:l.pos]), "0x")
		if !script.IsNameByte(c) && c != '.' && !sign {
			break
		}
		l.pos++
	}
	return Token{Kind: TokenNumber, Text: l.src[from:l.pos], Line: l.line}
}

func (l *lexer) operator() (Token, error) {
	t := Token{Kind: TokenOp, Text: l.src[l.pos : l.pos+1], Line: l.line}
	for _, op := range []string{"==", "!=", "<=", ">=", "//", "**", "->", ":=", "+=", "-=", "*=", "/=", "|=", "&=",
		"<<", ">>"} {
		if strings.HasPrefix(l.src[l.pos:], op) {
			t.Text = op
		}
	}
	l.pos += len(t.Text)
	switch t.Text {
	case "(", "[", "{":
		l.open = append(l.open, t)
	case ")", "]", "}":
		want := map[string]string{")": "(", "]": "[", "}": "{"}[t.Text]
		if n := len(l.open); n == 0 || l.open[n-1].Text != want {
			return t, l.errorf(t.Line, "%q closes nothing", t.Text)
		}
		l.open = l.open[:len(l.open)-1]
	default:
		if !strings.Contains("+-*/%@&|^~<>=!.,:;", t.Text[:1]) {
			return t, l.errorf(t.Line, "unexpected character %q", t.Text)
		}
	}
	return t, nil
}

// str reads a string with its prefix already read.
func (l *lexer) str(prefix string) (Token, error) {
	t := Token{Kind: TokenString, Line: l.line}
	switch {
	case strings.Contains(prefix, "f"):
		t.Kind = TokenFormat
	case strings.Contains(prefix, "b"):
		t.Kind = tokenOpaque
	}
	quote := l.src[l.pos : l.pos+1]
	if strings.HasPrefix(l.src[l.pos:], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	l.pos += len(quote)
	escape := l.escape
	if strings.Contains(prefix, "r") {
		escape = l.rawEscape
	}
	var b strings.Builder
	for !strings.HasPrefix(l.src[l.pos:], quote) {
		if l.pos == len(l.src) {
			return t, l.errorf(t.Line, "a string is never closed")
		}
		c := l.src[l.pos]
		switch {
		case c == '\n' || c == '\r':
			if len(quote) == 1 {
				return t, l.errorf(t.Line, "a string is not closed on its line")
			}
			l.newline()
			b.WriteByte('\n')
		case c == '\\' && l.pos+1 < len(l.src):
			if err := escape(&b); err != nil {
				return t, err
			}
		default:
			b.WriteByte(c)
			l.pos++
		}
	}
	l.pos += len(quote)
	t.Text = b.String()
	return t, nil
}

// rawEscape reads a backslash of a raw string, and what stands behind it.
func (l *lexer) rawEscape(b *strings.Builder) error {
	if c := l.src[l.pos+1]; c == '\n' || c == '\r' {
		b.WriteString("\\\n")
		l.pos++
		l.newline()
		return nil
	}
	b.WriteString(l.src[l.pos : l.pos+2])
	l.pos += 2
	return nil
}

// escape reads one backslash escape of a string.
func (l *lexer) escape(b *strings.Builder) error {
	c := l.src[l.pos+1]
	if c == '\n' || c == '\r' {
		l.pos++
		l.newline()
		return nil
	}
	l.pos += 2
	if i := strings.IndexByte(`\'"abfnrtv`, c); i >= 0 {
		b.WriteByte("\\'\"\a\b\f\n\r\t\v"[i])
		return nil
	}
	if digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]; digits > 0 {
		if l.pos+digits > len(l.src) {
			return l.errorf(l.line, "an escape is incomplete")
		}
		n, err := strconv.ParseUint(l.src[l.pos:l.pos+digits], 16, 32)
		if err != nil || n > utf8.MaxRune {
			return l.errorf(l.line, "the escape \\%c%s names no character", c, l.src[l.pos:l.pos+digits])
		}
		l.pos += digits
		b.WriteRune(rune(n))
		return nil
	}
	if '0' <= c && c <= '7' {
		n := int(c - '0')
		for i := 0; i < 2 && l.pos < len(l.src) && '0' <= l.src[l.pos] && l.src[l.pos] <= '7'; i++ {
			n = n*8 + int(l.src[l.pos]-'0')
			l.pos++
		}
		b.WriteRune(rune(n))
		return nil
	}
	b.WriteByte('\\') // Python keeps the backslash of an escape that it does not know
	b.WriteByte(c)
	return nil
}
