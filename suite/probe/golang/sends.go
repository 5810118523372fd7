package golang

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// findSending finds the functions of the package that come to send a request.
func (p *folder) findSending() {
	p.sending = map[types.Object]bool{}
	for again := true; again; {
		again = false
		for o, fn := range p.functions {
			if !p.sending[o] && p.hasSend(fn.Body) {
				p.sending[o], again = true, true
			}
		}
	}
}

// hasSend reports whether a call that may send a request stands in a node.
func (p *folder) hasSend(n ast.Node) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && !found {
			found = p.sends(call)
		}
		return !found
	})
	return found
}

// sends reports whether a call may send a request, or make one: those of net/http, of functions of the suite that do,
// and of packages that are neither Go's own nor for assertions.
func (p *folder) sends(call *ast.CallExpr) bool {
	fun := ast.Unparen(call.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	switch x := fun.(type) {
	case *ast.Ident:
		switch o := p.info.Uses[x].(type) {
		case *types.Func:
			return p.sending[o.Origin()]
		case *types.Var:
			return true // a function in a variable
		}
	case *ast.SelectorExpr:
		if o, ok := p.info.Uses[x.Sel].(*types.Func); ok && p.functions[o.Origin()] != nil {
			return p.sending[o.Origin()]
		}
		if p.imported(x.X) == "" {
			return !p.isTest(x.X) && !p.isStandard(x.X, 0)
		}
		return p.sendsFrom(p.imported(x.X), x.Sel.Name)
	}
	return false
}

// sendsFrom reports whether a function of another package may send a request.
func (p *folder) sendsFrom(pkg, name string) bool {
	switch {
	case pkg == "net/http":
		return slices.Contains([]string{"Get", "Head", "Post", "PostForm", "NewRequest", "NewRequestWithContext"}, name)
	case isStandard(pkg), strings.HasPrefix(pkg, "github.com/stretchr/testify/"), strings.HasPrefix(pkg, "github.com/google/go-cmp/"):
		return false
	}
	return true
}

// isStandard reports whether what an expression stands for was made by Go's own library, net/http aside.
func (p *folder) isStandard(x ast.Expr, depth int) bool {
	if depth > 20 {
		return false
	}
	switch x := x.(type) {
	case *ast.Ident:
		if pkg := p.imported(x); pkg != "" {
			return isStandard(pkg) && pkg != "net/http"
		}
		for _, of := range p.madeFrom(p.info.Uses[x]) {
			if p.isStandard(of, depth+1) {
				return true
			}
		}
	case *ast.SelectorExpr:
		return p.isStandard(x.X, depth+1)
	case *ast.CallExpr:
		return p.isStandard(x.Fun, depth+1)
	case *ast.StarExpr:
		return p.isStandard(x.X, depth+1)
	case *ast.UnaryExpr:
		return p.isStandard(x.X, depth+1)
	case *ast.CompositeLit:
		return x.Type != nil && p.isStandard(x.Type, depth+1)
	}
	return false
}

// madeFrom are the types and values that a variable is declared with, anywhere in the package.
func (p *folder) madeFrom(o types.Object) (out []ast.Expr) {
	if _, ok := o.(*types.Var); !ok {
		return nil
	}
	for _, f := range p.files {
		if o.Pos() < f.syntax.FileStart || o.Pos() >= f.syntax.FileEnd {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if n == nil || o.Pos() < n.Pos() || o.Pos() >= n.End() {
				return false // what declares it stands around its name
			}
			switch n := n.(type) {
			case *ast.AssignStmt:
				out = append(out, n.Rhs...)
			case *ast.ValueSpec:
				out = append(out, n.Values...)
				if n.Type != nil {
					out = append(out, n.Type)
				}
			case *ast.Field:
				out = append(out, n.Type)
			case *ast.BlockStmt:
				out = nil
			}
			return true
		})
	}
	return out
}

// isStandard reports whether a package is of Go's own library, by its path: those of modules are others.
func isStandard(pkg string) bool {
	first, _, _ := strings.Cut(pkg, "/")
	return slices.Contains([]string{
		"archive", "bufio", "bytes", "cmp", "compress", "container", "context", "crypto", "database", "debug",
		"embed", "encoding", "errors", "expvar", "flag", "fmt", "go", "hash", "html", "image", "index", "io",
		"iter", "log", "maps", "math", "mime", "net", "os", "path", "plugin", "reflect", "regexp", "runtime",
		"slices", "sort", "strconv", "strings", "structs", "sync", "syscall", "testing", "text", "time",
		"unicode", "unique", "unsafe", "weak",
	}, first)
}
