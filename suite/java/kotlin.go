package java

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/script"
)

// within reads a template of a string that people wrote, $name or ${expression}, to tokens of its own.
func (l *lexer) within(s *stringForm) error {
	if l.depth++; l.depth > script.MaxDepth {
		return l.errorf(l.line, "templates within each other")
	}
	defer func() { l.depth-- }()
	l.pos++
	if l.src[l.pos] != '{' {
		from := l.pos
		for l.pos < len(l.src) && script.IsNameByte(l.src[l.pos]) {
			l.pos++
		}
		name := l.src[from:l.pos]
		s.parts = append(s.parts, Part{Variable: name,
			Tokens: []Token{{Kind: NameToken, Text: name, Line: l.line, Start: from, End: l.pos}}})
		return nil
	}
	line, open, tokens := l.line, l.open, l.tokens
	l.open, l.tokens = nil, nil
	for l.pos++; ; {
		if err := l.space(); err != nil {
			return err
		}
		if l.pos == len(l.src) {
			return l.errorf(line, "a template is never closed")
		}
		if l.src[l.pos] == '}' && len(l.open) == 0 {
			break
		}
		t := Token{Line: l.line, Start: l.pos}
		if err := l.token(&t); err != nil {
			return err
		}
		t.End = l.pos
		l.tokens = append(l.tokens, t)
	}
	l.pos++
	s.parts = append(s.parts, Part{Variable: "…", Tokens: l.tokens})
	l.open, l.tokens = open, tokens
	return nil
}

// raw reads a raw string that people wrote.
func (l *lexer) raw(t *Token) error {
	var s stringForm
	for l.pos += 3; ; {
		switch {
		case l.pos == len(l.src):
			return l.errorf(t.Line, "a raw string is never closed")
		case l.has(`"""`):
			for l.pos += 3; l.has(`"`); l.pos++ { // quotes before the last three are text
				s.text.WriteByte('"')
			}
			s.done(t)
			return nil
		case l.src[l.pos] == '$':
			if err := l.template(&s); err != nil {
				return err
			}
		case l.src[l.pos] == '\r':
			s.text.WriteByte('\n')
			if l.step(); l.has("\n") {
				l.step()
			}
		default:
			s.text.WriteByte(l.src[l.pos])
			l.step()
		}
	}
}

// KotlinType reads a type of Kotlin's, and returns its simple name as Java has it, with a question mark where it may be
// null, and where what follows it begins.
func KotlinType(tokens []Token, i, to int) (typ string, next int) {
	depth := 0
	for ; i < to; i++ {
		t := &tokens[i]
		switch {
		case t.Is("("):
			for open := 0; i < to; i++ {
				if tokens[i].Is("(") {
					open++
				} else if tokens[i].Is(")") {
					if open--; open == 0 {
						break
					}
				}
			}
			typ = "Function"
		case t.Is("<"):
			depth++
		case t.Is(">"):
			depth--
		case t.Kind == NameToken && depth == 0:
			if typ != "" && !tokens[i-1].Is(".") && !tokens[i-1].Is("->") && !tokens[i-1].Is("suspend") {
				return inJava(typ), i
			}
			typ = t.Text
		case depth > 0, t.Is("."), t.Is("->"):
		case t.Is("?"):
			return inJava(typ + "?"), i + 1
		default:
			return inJava(typ), i
		}
	}
	return inJava(typ), i
}

// inJava is what Java calls a type of Kotlin's.
func inJava(typ string) string {
	name, null := strings.CutSuffix(typ, "?")
	for plain, of := range map[string][]string{"int": {"Integer", "Int"}, "long": {"Long", "Long"}, "double": {"Double", "Double"},
		"float": {"Float", "Float"}, "boolean": {"Boolean", "Boolean"}, "Object": {"Object", "Any"},
		"List": {"List", "List", "MutableList", "Collection", "Iterable", "ArrayList"},
		"Map":  {"Map", "Map", "MutableMap", "HashMap", "LinkedHashMap"}} {
		switch known := slices.Contains(of[1:], name); {
		case known && null:
			return of[0] + "?"
		case known:
			return plain
		}
	}
	return typ
}

// TrimIndent takes what its lines are indented by from a text, as Kotlin's trimIndent does; a margin is one of
// trimMargin's.
func TrimIndent(x Node, margin bool) Node {
	var pieces []Node
	joined := ""
	whole, ok := x.(Sum)
	if !ok {
		whole.Xs = []Node{x}
	}
	for _, y := range whole.Xs {
		if text, ok := y.(Text); ok {
			joined += strings.ReplaceAll(text.Token.Text, "\x00", "")
			continue
		}
		joined += "\x00"
		pieces = append(pieces, y)
	}
	lines := strings.Split(joined, "\n")
	indent := -1
	for _, line := range lines {
		if blank := strings.TrimLeft(line, " \t"); blank != "" && (indent < 0 || len(line)-len(blank) < indent) {
			indent = len(line) - len(blank)
		}
	}
	for i, line := range lines {
		rest := strings.TrimLeft(line, " \t")
		switch {
		case margin && strings.HasPrefix(rest, "|"):
			lines[i] = rest[1:]
		case !margin:
			lines[i] = line[min(max(indent, 0), len(line)):]
		}
	}
	if strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	if n := len(lines); n > 0 && strings.TrimSpace(lines[n-1]) == "" {
		lines = lines[:n-1]
	}
	var out []Node
	for i, text := range strings.Split(strings.Join(lines, "\n"), "\x00") {
		if i > 0 {
			out = append(out, pieces[i-1])
		}
		if text != "" || i == 0 {
			out = append(out, TextOf(text))
		}
	}
	if len(out) == 1 {
		return out[0]
	}
	return Sum{Xs: out}
}
