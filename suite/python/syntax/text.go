package syntax

import (
	"errors"
	"strings"
)

// Text reads strings and f-strings that stand side by side, and are one text.
func (p *parser) text() (Node, error) {
	var out []Node
	add := func(part Node) {
		plain, isPlain := part.(StrLit)
		if n := len(out) - 1; n >= 0 && isPlain {
			if before, ok := out[n].(StrLit); ok {
				out[n] = StrLit{before.S + plain.S}
				return
			}
		}
		out = append(out, part)
	}
	for p.pos < len(p.tokens) {
		switch t := p.tokens[p.pos]; t.Kind {
		case TokenString:
			add(StrLit{t.Text})
		case TokenFormat:
			parts, err := p.braces(t.Text)
			if err != nil {
				return nil, err
			}
			for _, part := range parts {
				add(part)
			}
		default:
			return textOf(out), nil
		}
		p.pos++
	}
	return textOf(out), nil
}

// textOf is a text of some parts.
func textOf(parts []Node) Node {
	if len(parts) == 1 {
		if plain, ok := parts[0].(StrLit); ok {
			return plain
		}
	}
	return Text{parts}
}

// braces reads the text of an f-string: what stands in braces is an expression, with a conversion or a format behind it
// perhaps, and a brace that stands twice is one of the text.
func (p *parser) braces(text string) ([]Node, error) {
	var out []Node
	plain := ""
	for text != "" {
		i := strings.IndexAny(text, "{}")
		switch {
		case i < 0:
			plain, text = plain+text, ""
		case strings.HasPrefix(text[i+1:], text[i:i+1]):
			plain, text = plain+text[:i+1], text[i+2:]
		case text[i] == '}':
			return nil, errors.New("a brace of an f-string closes nothing")
		default:
			end := closing(text[i+1:])
			if end < 0 {
				return nil, errors.New("a brace of an f-string is never closed")
			}
			value, err := p.braced(text[i+1 : i+1+end])
			if err != nil {
				return nil, err
			}
			out = append(out, StrLit{plain + text[:i]}, value)
			plain, text = "", text[i+1+end+1:]
		}
	}
	return append(out, StrLit{plain}), nil
}

// closing finds the brace that closes what stands before it, -1 where there is none. Braces in strings do not count.
func closing(text string) int {
	depth, quote := 0, rune(0)
	for i, r := range text {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case r == '{':
			depth++
		case r == '}' && depth == 0:
			return i
		case r == '}':
			depth--
		}
	}
	return -1
}

// braced reads the expression of a brace. One with a conversion or a format is a call of format, which says nothing of
// the text that it gives.
func (p *parser) braced(text string) (Node, error) {
	st, err := Statements("", strings.NewReplacer("\n", " ", "\r", " ").Replace(text))
	if err != nil || len(st) != 1 {
		return nil, errors.New("a brace of an f-string is not understood")
	}
	inner := parser{tokens: st[0].Tokens, depth: p.depth}
	x, err := inner.or()
	if err != nil {
		return nil, err
	}
	if inner.pos < len(inner.tokens) {
		return Call{Fn: Name{"format"}, Args: []Node{x}}, nil
	}
	return x, nil
}
