package before

import (
	"go/ast"
	"go/format"
	"go/token"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/handset"
	"github.com/flaketap/flaketap/suite/script"
)

// bind puts variables into the literals of a call's own statement, or of those before it in the test.
func (f *File) bind(s *script.Script, c *script.Call, sent string, parts []script.TextPart) ([]script.Edit, bool) {
	holes, ok := handset.Holes(sent, parts)
	if !ok {
		return nil, false
	}
	if edits, ok := f.boundIn(s, c.At.Start, c.At.End, sent, holes); ok {
		return edits, true
	}
	for t, fn := range f.Tests {
		if slices.Contains(t.Calls, c) && fn.Body != nil && f.Offset(fn.Body.Pos()) < c.At.Start {
			return f.boundIn(s, f.Offset(fn.Body.Pos()), c.At.End, sent, holes)
		}
	}
	return nil, false
}

// boundIn is bind for the literals of a piece of the file, with blanks around an operator or without, as gofmt has it.
func (f *File) boundIn(s *script.Script, start, end int, sent string, holes []handset.Hole) ([]script.Edit, bool) {
	literals := f.literals(start, end)
	var out []script.Edit
	for _, plus := range []string{" + ", "+"} {
		edits, ok := handset.Bind(s.Text, literals, sent, slices.Clone(holes), words(plus))
		if !ok {
			return nil, false
		}
		if text := script.Apply(s.Text, edits); out == nil || isFormatted(text) {
			out = edits
			if isFormatted(text) {
				break
			}
		}
	}
	return out, true
}

// words are how Go writes variables, with blanks around an operator or without.
func words(plus string) handset.Words {
	return handset.Words{Number: func(v string) string { return v },
		Text: func(source string, l handset.Literal, holes []handset.Hole) (string, bool) {
			return with(source, l, holes, plus), true
		}}
}

func isFormatted(text string) bool {
	out, err := format.Source([]byte(text))
	return err == nil && string(out) == text
}

// literals lists the texts of a piece of the file, where an expression can stand in the place of each: not what a
// constant is, nor an import. A number would have to be made of a text, for which Go has no expression.
func (f *File) literals(start, end int) []handset.Literal {
	var out []handset.Literal
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok == token.VAR
		case *ast.Field: // its tag
			return false
		case *ast.BasicLit:
			if l := f.literal(n); n.Kind == token.STRING && l.Start >= start && l.End <= end {
				out = append(out, l)
			}
		}
		return true
	})
	return out
}

// literal is where a text stands.
func (f *File) literal(x *ast.BasicLit) handset.Literal {
	from, to := f.Offset(x.Pos()), f.Offset(x.End())
	plain := !strings.ContainsAny(x.Value, "\r\n") && (x.Value[0] == '`' || !strings.Contains(x.Value, `\`))
	return handset.Literal{Start: from, End: to, From: from + 1, To: to - 1, Cut: true, Plain: plain}
}

// with writes a literal with variables in some places.
func with(source string, l handset.Literal, holes []handset.Hole, plus string) string {
	quote := source[l.Start:l.From]
	text := quote + handset.Replaced(source, l.From, l.To, holes,
		func(variable string) string { return quote + plus + variable + plus + quote },
		func(text string) string { return text }) + quote
	return strings.TrimSuffix(strings.TrimPrefix(text, quote+quote+plus), plus+quote+quote)
}
