package meaning

import (
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
)

// Guard reads one condition, r.statusCode() == 200 or r.path("'a'") instanceof java.util.Map, and returns its opposite;
// nil where it is another.
func Guard(p java.Parser, answer string, from, to int) expr.Expr {
	for k := from; k < to; k++ {
		switch t := &p.Tokens[k]; {
		case t.Is("("):
			k = p.Match[k]
		case t.Is("="), t.Is("=="):
			_, links := java.Chain(p.Parse(from, k))
			status, ok := p.Parse(k+1+len("==")-len(t.Text), to).(java.Number)
			if !ok || len(links) != 1 || links[0].Name != "statusCode" {
				return nil
			}
			return expr.Cmp(expr.Answer{Var: answer}, expr.Ne, expr.Num{Text: status.Text})
		case t.Is("instanceof"), t.Is("is"):
			_, links := java.Chain(p.Parse(from, k))
			if len(links) != 1 || links[0].Name != "path" || len(links[0].Args) != 1 {
				return nil
			}
			text, ok := links[0].Args[0].X.(java.Text)
			if !ok {
				return nil
			}
			path, known := ParsePath(text.Token.Text, expr.Answer{Var: answer, Part: expr.JSON})
			for ; known && k < to; k++ {
				if kind := map[string]expr.Type{"Map": expr.TypeObject, "List": expr.TypeArray}[p.Tokens[k].Text]; kind != 0 {
					return expr.Not{X: IsType(path.X, kind)}
				}
			}
			return nil
		}
	}
	return nil
}
