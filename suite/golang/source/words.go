package source

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// WordsOf are the names in an expression, those aside that it declares itself.
func WordsOf(text string) []string {
	x, err := parser.ParseExpr(text)
	if err != nil {
		return nil
	}
	own := map[string]bool{}
	ast.Inspect(x, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok {
			for _, name := range a.Lhs {
				if id, ok := name.(*ast.Ident); ok {
					own[id.Name] = true
				}
			}
		}
		return true
	})
	var out []string
	ast.Inspect(x, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !own[id.Name] {
			out = append(out, id.Name)
		}
		return true
	})
	return out
}

// IsHarmless reports whether the parts of a condition from a place on cannot panic, so that they may stay.
func IsHarmless(cond ast.Expr, from token.Pos) bool {
	harmless := true
	ast.Inspect(cond, func(n ast.Node) bool {
		if n != nil && n.End() <= from {
			return false
		}
		switch n.(type) {
		case *ast.TypeAssertExpr, *ast.StarExpr, *ast.SliceExpr:
			harmless = false
		}
		return true
	})
	return harmless
}

// Parenthesized puts a condition in parentheses that binds less tightly than &&.
func Parenthesized(text string) string {
	x, err := parser.ParseExpr(text)
	if b, ok := x.(*ast.BinaryExpr); err != nil || ok && b.Op == token.LOR {
		return "(" + text + ")"
	}
	return text
}

// Formatted is an expression on one line as gofmt writes it behind an indentation; false where it is none.
func Formatted(text, indent string) (string, bool) {
	const before, behind = "package p\n\nfunc f() {\n\tif ", " {\n\t}\n}\n"
	if strings.ContainsAny(text, "\r\n") {
		return "", false
	}
	out, err := format.Source([]byte(before + text + behind))
	if err != nil {
		return "", false
	}
	text, ok := strings.CutPrefix(string(out), before)
	text, too := strings.CutSuffix(text, behind)
	return strings.ReplaceAll(text, "\n\t", "\n"+indent), ok && too // what is long has lines of its own
}

// IsWhole reports whether the body of a loop always runs to its end, and at once.
func IsWhole(body *ast.BlockStmt) bool {
	whole, depth := true, 0
	var inspect func(n ast.Node) bool
	inspect = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BranchStmt, *ast.GoStmt, *ast.DeferStmt:
			whole = false
		case *ast.ReturnStmt:
			whole = whole && depth > 0
		case *ast.SelectorExpr:
			whole = whole && n.Sel.Name != "Parallel"
		case *ast.FuncLit:
			depth++
			ast.Inspect(n.Body, inspect)
			depth--
			return false
		}
		return whole
	}
	ast.Inspect(body, inspect)
	return whole
}

// Counts reads a loop whose variable counts up by one, and is changed by nothing else: for i := first; i < y; i++.
func Counts(s *ast.ForStmt) (variable *ast.Ident, first ast.Expr, last *ast.BinaryExpr, ok bool) {
	init, isAssign := s.Init.(*ast.AssignStmt)
	last, isComparison := s.Cond.(*ast.BinaryExpr)
	post, isPost := s.Post.(*ast.IncDecStmt)
	if !isAssign || !isComparison || !isPost || init.Tok != token.DEFINE || len(init.Lhs) != 1 ||
		len(init.Rhs) != 1 || post.Tok != token.INC || last.Op != token.LSS && last.Op != token.LEQ {
		return nil, nil, nil, false
	}
	variable, ok = init.Lhs[0].(*ast.Ident)
	is := func(x ast.Expr) bool {
		id, isName := x.(*ast.Ident)
		return isName && id.Name == variable.Name
	}
	if !ok || !is(last.X) || !is(post.X) {
		return nil, nil, nil, false
	}
	ast.Inspect(s.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			ok = ok && !slices.ContainsFunc(n.Lhs, is)
		case *ast.IncDecStmt:
			ok = ok && !is(n.X)
		case *ast.UnaryExpr:
			ok = ok && !(n.Op == token.AND && is(n.X))
		}
		return ok
	})
	return variable, init.Rhs[0], last, ok
}

// FallsThrough reports whether a case goes on with the next one, whatever the condition of that is.
func FallsThrough(c *ast.CaseClause) bool {
	if len(c.Body) == 0 {
		return false
	}
	last, ok := c.Body[len(c.Body)-1].(*ast.BranchStmt)
	return ok && last.Tok == token.FALLTHROUGH
}

// OrParts are the conditions that a condition is one of.
func OrParts(x ast.Expr) []ast.Expr {
	if b, ok := x.(*ast.BinaryExpr); ok && b.Op == token.LOR {
		return append(OrParts(b.X), b.Y)
	}
	return []ast.Expr{x}
}

// SubtestName is how go test calls a subtest.
func SubtestName(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case unicode.IsSpace(r):
			b.WriteByte('_')
		case !strconv.IsPrint(r):
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
