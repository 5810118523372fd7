package java

import (
	"regexp"
	"strings"
)

// inPath reports whether the string being read is the first argument of .body(, where the generator writes the path of
// a property.
func (l *lexer) inPath() bool {
	n := len(l.tokens)
	return !l.byHand && n >= 3 && l.tokens[n-1].Is("(") && (l.tokens[n-2].Is("body") || l.tokens[n-2].Is("path")) &&
		l.tokens[n-3].Is(".")
}

// pathEnd finds where a path ends that the generator wrote as it is: at the quote before a matcher of its own.
var pathEnd = regexp.MustCompile(`(?:'|\]|\(\))", ?(?:containsString|numberMatches|equalTo|nullValue|hasItems|is|` +
	"`is`" + `)\(`)

// unquoted reads the path of a property whose name has a quote, which the generator does not escape, so that the file
// does not compile. It reports whether the string is one; there is one reading only where one place alone can be its
// end.
func (l *lexer) unquoted(t *Token) bool {
	if !l.inPath() || !l.has(`"'`) && !l.has(`"[`) {
		return false
	}
	rest := l.src[l.pos+1:]
	if i := strings.IndexAny(rest, "\r\n"); i >= 0 {
		rest = rest[:i]
	}
	end := -1
	for i := 0; i < len(rest); i++ {
		if rest[i] == '\\' {
			i++
		} else if rest[i] == '"' {
			end = i
			break
		}
	}
	if end < 0 || strings.HasPrefix(strings.TrimLeft(rest[end+1:], " "), ",") ||
		strings.HasPrefix(strings.TrimLeft(rest[end+1:], " "), ")") {
		return false
	}
	at := pathEnd.FindAllStringIndex(rest, 2)
	if len(at) != 1 {
		return false
	}
	end = at[0][0] + strings.IndexByte(rest[at[0][0]:], '"')
	t.Broken = "a quote in the name of a property is not escaped, so that the file does not compile"
	t.Text = rest[:end]
	t.Parts = []Part{{Text: t.Text}}
	l.pos += 1 + end + 1
	return true
}

// block reads a text block of Java, or a raw string of Kotlin.
func (l *lexer) block(t *Token) error {
	from := l.pos + 3
	for l.pos = from; !l.has(`"""`); {
		if l.pos == len(l.src) {
			return l.errorf(t.Line, "a text block is never closed")
		}
		if l.src[l.pos] == '\\' && !l.kotlin && l.pos+1 < len(l.src) {
			l.step()
		}
		l.step()
	}
	raw := l.src[from:l.pos]
	l.pos += 3
	for l.kotlin && l.has(`"`) { // quotes before the last three are text
		raw += `"`
		l.pos++
	}
	raw = strings.ReplaceAll(strings.ReplaceAll(raw, "\r\n", "\n"), "\r", "\n")
	inner := &lexer{file: l.file, src: raw, kotlin: l.kotlin, line: t.Line}
	if !l.kotlin {
		inner.src = stripIndent(raw)
	}
	var s stringForm
	for inner.pos < len(inner.src) {
		c := inner.src[inner.pos]
		var err error
		switch {
		case l.kotlin && c == '$':
			err = inner.template(&s)
		case !l.kotlin && inner.has("\\\n"):
			inner.pos += 2
		case !l.kotlin && c == '\\':
			err = inner.escape(&s.text, t)
		default:
			s.text.WriteByte(c)
			inner.pos++
		}
		if err != nil {
			return err
		}
	}
	s.done(t)
	return nil
}

// stripIndent takes the indentation of a text block away, as Java does: what all its lines share, that of the closing
// quotes included, and the white space at their ends.
func stripIndent(raw string) string {
	_, raw, _ = strings.Cut(raw, "\n") // nothing stands behind the opening quotes
	lines := strings.Split(raw, "\n")
	indent := -1
	for i, line := range lines {
		blank := strings.TrimLeft(line, " \t\f")
		if blank == "" && i < len(lines)-1 {
			continue
		}
		if n := len(line) - len(blank); indent < 0 || n < indent {
			indent = n
		}
	}
	for i, line := range lines {
		lines[i] = strings.TrimRight(line[min(max(indent, 0), len(line)):], " \t\f")
	}
	return strings.Join(lines, "\n")
}
