package golang

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/before"
	"github.com/flaketap/flaketap/suite/golang/source"
	"github.com/flaketap/flaketap/suite/script"
)

// wayOf is how a request is sent whose URL an expression is: what that begins with, as far as a set-up can begin so
// too.
func (r *follower) wayOf(url ast.Expr) before.Way {
	first := ast.Unparen(url)
	for {
		sum, ok := first.(*ast.BinaryExpr)
		if !ok || sum.Op != token.ADD {
			break
		}
		first = ast.Unparen(sum.X)
	}
	if call, ok := first.(*ast.CallExpr); ok && source.IsMember(call.Fun, "fmt", "Sprintf") && len(call.Args) > 0 {
		lit, isLiteral := call.Args[0].(*ast.BasicLit)
		switch {
		case !isLiteral:
			return before.Way{}
		case len(call.Args) > 1 && len(lit.Value) > 3 && (lit.Value[1:3] == "%s" || lit.Value[1:3] == "%v"):
			first = ast.Unparen(call.Args[1])
		default:
			first = lit
		}
	}
	if lit, ok := first.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		return before.Way{Host: script.SchemeAndHost.FindString(strings.Trim(lit.Value, "`\""))}
	}
	calls := len(r.calls)
	text := writtenText(r.eval(first))
	if len(r.calls) > calls {
		return before.Way{}
	}
	mount := ""
	if !strings.Contains(text, script.Unknown) {
		mount = strings.TrimSuffix(script.SchemeAndHost.ReplaceAllString(text, ""), "/")
	}
	return before.Way{Base: first, Mount: mount}
}

// sentAs notes how a call is sent, and by which client.
func (r *follower) sentAs(name value, way before.Way, by ast.Expr) {
	of, ok := name.(answer)
	if !ok {
		return
	}
	for _, c := range r.calls {
		if c.Var == of.id {
			way.Client = by
			r.ways.Calls[c] = way
		}
	}
}

// givenByHand has what flaketap's set-ups assign be called as they do: the answer to a request of one, and a text
// that is taken from that.
func (r *follower) givenByHand(name string, v value) value {
	if !strings.HasPrefix(name, script.SetUpPrefix) {
		return v
	}
	switch v := v.(type) {
	case answer:
		for _, c := range r.calls {
			if c.Var == v.id {
				c.Var = name
			}
		}
		return answer{name}
	case plain:
		if isText(v) && expr.FromAnswer(v.x) {
			r.test.Extractions = append(r.test.Extractions, script.Extraction{Name: name, Value: v.x, At: r.site})
			return plain{x: expr.Name{ID: name}, typ: types.Typ[types.String]}
		}
	}
	return v
}

// ofSetUp reports whether a value is one of an answer to a set-up, whose numbers are read as they are written.
func ofSetUp(x expr.Expr) bool {
	found := false
	expr.Walk(x, func(y expr.Expr) {
		of, ok := y.(expr.Answer)
		found = found || ok && strings.HasPrefix(of.Var, script.SetUpPrefix)
	})
	return found
}
