package java

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/flaketap/flaketap/suite/script"
)

// tokenKind is what a token is.
type tokenKind uint8

// The kinds of tokens that others look for.
const (
	NameToken   tokenKind = iota
	tokNumber             // as written
	StringToken           // its value
	tokChar               // a character literal, as written
	OpToken
)

// Token is one token of Java or Kotlin.
type Token struct {
	Kind tokenKind
	Text string
	Line int // from 1
	// Where it begins and ends in the text, in bytes.
	Start, End int
	// Parts are those of a string, where Kotlin's templates take some from variables; text has a NUL for each of these.
	Parts []Part
	// Quoted says that the name stood in backquotes: it is no keyword.
	Quoted bool
	// Broken is why the string does not compile as it is written, text being the one reading that it has all the same;
	// "" for any other.
	Broken string
}

// Part is a piece of a string: exactly one of the two is set, but for the empty string.
type Part struct {
	Text     string
	Variable string  // the source of the template's expression
	Tokens   []Token // those of that expression, in what people wrote
}

// Is reports whether the token is the name or operator given.
func (t *Token) Is(text string) bool {
	return t.Text == text && (t.Kind == NameToken || t.Kind == OpToken)
}

// lexer splits a file of Java or Kotlin into tokens.
type lexer struct {
	file   string
	src    string
	kotlin bool
	byHand bool // people wrote it: no string has the generator's slips
	pos    int
	line   int
	open   []Token // brackets not yet closed
	tokens []Token
	depth  int // of templates within each other
}

// Lex returns the tokens of a file, comments and white space left out. Brackets match.
func Lex(file, src string, kotlin bool) ([]Token, error) {
	return (&lexer{file: file, src: src, kotlin: kotlin, line: 1}).all()
}

// LexWritten returns the tokens of a file of Java that people wrote: no string has the generator's slips.
func LexWritten(file, src string) ([]Token, error) {
	return (&lexer{file: file, src: src, line: 1, byHand: true}).all()
}

// LexKotlin returns the tokens of a file of Kotlin that people wrote, those of its templates within their strings.
func LexKotlin(file, src string) ([]Token, error) {
	return (&lexer{file: file, src: src, line: 1, byHand: true, kotlin: true}).all()
}

// Piece returns the tokens of a piece of a file that people wrote, in Java or in Kotlin, whose places count from the
// beginning of the file; none where it is no piece of code.
func Piece(file, src string, start, end int, kotlin bool) []Token {
	if start >= end || end > len(src) {
		return nil
	}
	tokens, err := (&lexer{file: file, src: src[start:end], line: 1, byHand: true, kotlin: kotlin}).all()
	if err != nil {
		return nil
	}
	for i := range tokens {
		tokens[i].Start += start
		tokens[i].End += start
	}
	return tokens
}

// all returns the tokens of the whole text.
func (l *lexer) all() ([]Token, error) {
	for {
		if err := l.space(); err != nil {
			return nil, err
		}
		if l.pos == len(l.src) {
			break
		}
		t := Token{Line: l.line, Start: l.pos}
		if err := l.token(&t); err != nil {
			return nil, err
		}
		t.End = l.pos
		l.tokens = append(l.tokens, t)
	}
	if len(l.open) > 0 {
		b := l.open[len(l.open)-1]
		return nil, l.errorf(b.Line, "%q is never closed", b.Text)
	}
	return l.tokens, nil
}

func (l *lexer) errorf(line int, format string, args ...any) error {
	return &script.SyntaxError{File: l.file, Line: line, Reason: fmt.Sprintf(format, args...)}
}

// Has reports whether the text goes on with s.
func (l *lexer) has(s string) bool { return strings.HasPrefix(l.src[l.pos:], s) }

// step goes on by one byte, and counts lines: \r\n is one line end.
func (l *lexer) step() {
	switch c := l.src[l.pos]; {
	case c == '\n', c == '\r' && !l.has("\r\n"):
		l.line++
	}
	l.pos++
}

// space steps over white space and comments. Kotlin's comments nest.
func (l *lexer) space() error {
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case c == ' ' || c == '\t' || c == '\f' || c == '\n' || c == '\r':
			l.step()
		case l.has("//"):
			for l.pos < len(l.src) && l.src[l.pos] != '\n' && l.src[l.pos] != '\r' {
				l.pos++
			}
		case l.has("/*"):
			line, depth := l.line, 0
			for {
				switch {
				case l.pos == len(l.src):
					return l.errorf(line, "a comment is never closed")
				case l.has("/*") && (depth == 0 || l.kotlin):
					depth++
					l.pos += 2
				case l.has("*/"):
					depth--
					l.pos += 2
				default:
					l.step()
				}
				if depth == 0 {
					break
				}
			}
		default:
			return nil
		}
	}
	return nil
}

// token reads the token at the present position.
func (l *lexer) token(t *Token) error {
	c := l.src[l.pos]
	switch {
	case c == '"':
		t.Kind = StringToken
		if l.has(`"""`) && l.byHand && l.kotlin {
			return l.raw(t)
		} else if l.has(`"""`) {
			return l.block(t)
		}
		return l.str(t)
	case c == '\'':
		t.Kind = tokChar
		return l.char(t)
	case '0' <= c && c <= '9':
		t.Kind = tokNumber
		l.number(t)
	case c == '`' && l.kotlin:
		end := strings.IndexAny(l.src[l.pos+1:], "`\r\n")
		if end < 0 || l.src[l.pos+1+end] != '`' {
			return l.errorf(l.line, "a name in backquotes is not closed on its line")
		}
		t.Kind, t.Text, t.Quoted = NameToken, l.src[l.pos+1:l.pos+1+end], true
		l.pos += end + 2
	case script.IsNameByte(c) || c == '$':
		from := l.pos
		for l.pos < len(l.src) && (script.IsNameByte(l.src[l.pos]) || l.src[l.pos] == '$') {
			l.pos++
		}
		t.Kind, t.Text = NameToken, l.src[from:l.pos]
	default:
		return l.operator(t)
	}
	return nil
}

// number reads digits, points, exponents and suffixes; whether they make a number is for others to say.
func (l *lexer) number(t *Token) {
	from := l.pos
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		sign := (c == '+' || c == '-') && (l.src[l.pos-1] == 'e' || l.src[l.pos-1] == 'E') &&
			!strings.HasPrefix(strings.ToLower(l.src[from:l.pos]), "0x")
		point := c == '.' && l.pos+1 < len(l.src) && '0' <= l.src[l.pos+1] && l.src[l.pos+1] <= '9'
		if !script.IsNameByte(c) && !point && !sign {
			break
		}
		l.pos++
	}
	t.Text = l.src[from:l.pos]
}

func (l *lexer) operator(t *Token) error {
	t.Kind, t.Text = OpToken, l.src[l.pos:l.pos+1]
	for _, op := range []string{"==", "!=", "<=", ">=", "->", "::", "&&", "||", "++", "--", "+=", "-=", "?.", "?:", "!!"} {
		if l.has(op) {
			t.Text = op
		}
	}
	l.pos += len(t.Text)
	switch t.Text {
	case "(", "[", "{":
		l.open = append(l.open, *t)
	case ")", "]", "}":
		want := map[string]string{")": "(", "]": "[", "}": "{"}[t.Text]
		if n := len(l.open); n == 0 || l.open[n-1].Text != want {
			return l.errorf(t.Line, "%q closes nothing", t.Text)
		}
		l.open = l.open[:len(l.open)-1]
	default:
		if !strings.Contains("+-*/%@&|^~<>=!.,:;?", t.Text[:1]) {
			return l.errorf(t.Line, "unexpected character %q", t.Text)
		}
	}
	return nil
}

// char steps over a character literal, whose value no suite needs.
func (l *lexer) char(t *Token) error {
	l.pos++
	for l.pos < len(l.src) && l.src[l.pos] != '\'' {
		if l.src[l.pos] == '\\' {
			l.pos++
		}
		if l.pos == len(l.src) || l.src[l.pos] == '\n' || l.src[l.pos] == '\r' {
			break
		}
		l.pos++
	}
	if l.pos == len(l.src) || l.src[l.pos] != '\'' {
		return l.errorf(t.Line, "a character is not closed on its line")
	}
	l.pos++
	t.Text = l.src[t.Start:l.pos]
	return nil
}

// stringForm is a string in the making.
type stringForm struct {
	text  strings.Builder // since the last template
	parts []Part
}

// flush ends a literal part.
func (s *stringForm) flush() {
	if s.text.Len() > 0 {
		s.parts = append(s.parts, Part{Text: s.text.String()})
		s.text.Reset()
	}
}

// done gives the token its value.
func (s *stringForm) done(t *Token) {
	s.flush()
	t.Parts = s.parts
	var b strings.Builder
	for _, p := range s.parts {
		if p.Variable != "" {
			b.WriteByte(0)
		}
		b.WriteString(p.Text)
	}
	t.Text = b.String()
}

// str reads a string that ends on its line.
func (l *lexer) str(t *Token) error {
	if ok := l.unquoted(t); ok {
		return nil
	}
	var s stringForm
	l.pos++
	for {
		switch {
		case l.pos == len(l.src) || l.src[l.pos] == '\n' || l.src[l.pos] == '\r':
			return l.errorf(t.Line, "a string is not closed on its line")
		case l.src[l.pos] == '"':
			l.pos++
			s.done(t)
			return nil
		case l.src[l.pos] == '\\':
			if err := l.escape(&s.text, t); err != nil {
				return err
			}
		case l.kotlin && l.src[l.pos] == '$':
			if err := l.template(&s); err != nil {
				return err
			}
		default:
			s.text.WriteByte(l.src[l.pos])
			l.pos++
		}
	}
}

// template reads $name or ${expression}; a dollar sign before anything else is one.
func (l *lexer) template(s *stringForm) error {
	from := l.pos + 1
	if from == len(l.src) || l.src[from] != '{' && (!script.IsNameByte(l.src[from]) ||
		'0' <= l.src[from] && l.src[from] <= '9') {
		s.text.WriteByte('$')
		l.pos++
		return nil
	}
	s.flush()
	if l.byHand {
		return l.within(s)
	}
	if l.src[from] != '{' {
		for l.pos = from; l.pos < len(l.src) && script.IsNameByte(l.src[l.pos]); {
			l.pos++
		}
		s.parts = append(s.parts, Part{Variable: l.src[from:l.pos]})
		return nil
	}
	depth, quoted := 0, false
	for l.pos = from; l.pos < len(l.src) && l.src[l.pos] != '\n' && l.src[l.pos] != '\r'; l.pos++ {
		switch c := l.src[l.pos]; {
		case c == '\\' && quoted:
			l.pos++
		case c == '"':
			quoted = !quoted
		case c == '{' && !quoted:
			depth++
		case c == '}' && !quoted:
			depth--
		}
		if depth == 0 {
			s.parts = append(s.parts, Part{Variable: strings.TrimSpace(l.src[from+1 : l.pos])})
			l.pos++
			return nil
		}
	}
	return l.errorf(l.line, "a template is not closed on its line")
}

// escape reads one backslash escape.
func (l *lexer) escape(b *strings.Builder, t *Token) error {
	l.pos++
	if l.pos == len(l.src) {
		return l.errorf(t.Line, "a string is not closed on its line")
	}
	c := l.src[l.pos]
	letters, values := `\'"bnrts`, "\\'\"\b\n\r\t "
	if l.kotlin {
		letters, values = `\'"bnrt$`, "\\'\"\b\n\r\t$"
	} else if c == 'f' {
		letters, values = "f", "\f"
	}
	i := strings.IndexByte(letters, c)
	switch {
	case i >= 0:
		b.WriteByte(values[i])
		l.pos++
	case c == 'u':
		return l.unicode(b, t)
	case !l.kotlin && '0' <= c && c <= '7':
		n := 0
		for i := 0; i < 3 && l.pos < len(l.src) && '0' <= l.src[l.pos] && l.src[l.pos] <= '7' && n*8 < 256; i++ {
			n = n*8 + int(l.src[l.pos]-'0')
			l.pos++
		}
		b.WriteRune(rune(n))
	case l.inPath():
		t.Broken = fmt.Sprintf("the escape \\%c is none; the generator writes a backslash of a property's name as it is", c)
		b.WriteByte('\\')
	default:
		return l.errorf(t.Line, "unknown escape \\%c", c)
	}
	return nil
}

// unicode reads the digits of \u0041, and those of a second half of a character beyond 16 bits.
func (l *lexer) unicode(b *strings.Builder, t *Token) error {
	unit := func(pos int) (rune, int) {
		for pos < len(l.src) && l.src[pos] == 'u' {
			pos++
		}
		if pos+4 > len(l.src) {
			return 0, 0
		}
		n, err := strconv.ParseUint(l.src[pos:pos+4], 16, 16)
		if err != nil {
			return 0, 0
		}
		return rune(n), pos + 4
	}
	r, end := unit(l.pos)
	if end == 0 {
		return l.errorf(t.Line, "an escape \\u names no character")
	}
	l.pos = end
	if utf16.IsSurrogate(r) && l.has(`\u`) {
		if low, end := unit(l.pos + 1); utf16.DecodeRune(r, low) != utf8.RuneError {
			r, l.pos = utf16.DecodeRune(r, low), end
		}
	}
	b.WriteRune(r)
	return nil
}
