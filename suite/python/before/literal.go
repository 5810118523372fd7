package before

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/handset"
	"github.com/flaketap/flaketap/suite/python/syntax"
	"github.com/flaketap/flaketap/suite/script"
)

// Words are how Python writes variables.
func Words() handset.Words {
	return handset.Words{Number: func(variable string) string { return "int(" + variable + ")" }, Text: formatted}
}

// Literals lists the literals of statements.
func Literals(s *script.Script, stmts []syntax.Statement) []handset.Literal {
	var literals []handset.Literal
	for _, t := range slices.Concat(tokensOf(stmts)...) {
		switch t.Kind {
		case syntax.TokenNumber:
			literals = append(literals, handset.Literal{Start: t.Start, End: t.End, From: t.Start, To: t.End, Number: true})
		case syntax.TokenString, syntax.TokenFormat:
			source := s.Text[t.Start:t.End]
			prefix := len(source) - len(strings.TrimLeft(source, "rRfFuU"))
			content := source[prefix:]
			tripled := len(content) < 2 || strings.HasPrefix(content, content[:1]+content[:1])
			escaped := strings.ContainsAny(content, "\\\r\n") || strings.Contains(content, "{{") || strings.Contains(content, "}}")
			literals = append(literals, handset.Literal{Start: t.Start, End: t.End, From: t.Start + prefix + 1, To: t.End - 1,
				Template: t.Kind == syntax.TokenFormat, Plain: !tripled && !escaped,
				Cut: !tripled && content != "" && strings.ContainsAny(content[:1], "\"'") &&
					!(strings.ContainsAny(source[:prefix], "rR") && strings.Contains(content, "\\"))})
		}
	}
	return literals
}

func tokensOf(stmts []syntax.Statement) [][]syntax.Token {
	var out [][]syntax.Token
	for _, st := range stmts {
		out = append(out, st.Tokens)
	}
	return out
}

// formatted writes a literal as an f-string with variables in it.
func formatted(source string, l handset.Literal, holes []handset.Hole) (string, bool) {
	text := func(s string) string {
		if l.Template {
			return s
		}
		return strings.NewReplacer("{", "{{", "}", "}}").Replace(s)
	}
	quote := source[l.From-1 : l.From]
	return "f" + quote + handset.Replaced(source, l.From, l.To, holes, func(v string) string { return "{" + v + "}" }, text) + quote, true
}
