package polling

import (
	"go/ast"
	"go/format"
	"go/token"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/golang/source"
)

// request writes the body of a function that sends the read as the test would have it before a statement; false where
// it has no words for it: where it is made by what may send something, or change it.
func (s Site) request(before ast.Stmt) (string, bool) {
	call := s.Sent.Call
	for in := s.Sent.In; in != nil; in = in.Up {
		if call == nil || !isAlways(in.Body, call) {
			return "", false
		}
		call = in.Call
	}
	if call == nil || !isAlways(before, call) {
		return "", false
	}
	of, ok := ast.Unparen(s.Sent.Call.Fun).(*ast.SelectorExpr)
	if !ok || len(s.Sent.Call.Args) != 1 {
		return "", false
	}
	left := maxParts
	w := speller{File: s.File, at: before.Pos(), left: &left}
	by, ok := w.text(of.X, s.Sent.In)
	switch {
	case !ok:
	case of.Sel.Name == "Get", of.Sel.Name == "Head":
		url, said := w.text(s.Sent.Call.Args[0], s.Sent.In)
		text, ok := source.Formatted(by+"."+of.Sel.Name+"("+url+")", "")
		return " return " + text + " ", said && ok && !strings.Contains(text, "\n")
	case of.Sel.Name == "Do" && s.Sent.In != nil:
		return w.made(s.Sent, by)
	}
	return "", false
}

// made writes the body of a function that makes a request without a body, gives it its headers, and has a client send
// it.
func (w speller) made(sent Sent, client string) (string, bool) {
	arg, ok := ast.Unparen(sent.Call.Args[0]).(*ast.Ident)
	if !ok {
		return "", false
	}
	m := maker{w, sent.In, w.Info.Uses[arg], nil}
	if m.request == nil || !m.block(sent.In.Body.List, sent.Call) || len(m.lines) == 0 {
		return "", false
	}
	if !isOwn(client) {
		return "", false
	}
	text := strings.Join(append(m.lines, "return "+client+".Do(req)"), "\n")
	const before, behind = "package p\n\nfunc f() {\n", "\n}\n"
	out, err := format.Source([]byte(before + text + behind))
	inner, found := strings.CutPrefix(string(out), before)
	inner, ends := strings.CutSuffix(inner, behind)
	return "\n" + inner + "\n", err == nil && found && ends
}

// isOwn reports whether an expression speaks of nothing that the written function declares itself.
func isOwn(text string) bool {
	return !slices.ContainsFunc(source.WordsOf(text), func(word string) bool { return word == "req" || word == "err" })
}

// maker writes the statements of a function that make a request.
type maker struct {
	speller
	in      *Frame
	request source.Object
	lines   []string
}

// block writes what some statements do to the request before a call sends it; false where that is not understood.
func (m *maker) block(stmts []ast.Stmt, call ast.Node) bool {
	for _, st := range stmts {
		if st.Pos() <= call.Pos() && call.End() <= st.End() {
			return true
		}
		if m.uses(st) && !m.statement(st, call) {
			return false
		}
	}
	return true
}

// uses reports whether a statement speaks of the request.
func (m *maker) uses(st ast.Stmt) bool {
	found := false
	ast.Inspect(st, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && (m.Info.Uses[id] == m.request || m.Info.Defs[id] == m.request)
		return !found
	})
	return found
}

func (m *maker) statement(st ast.Stmt, call ast.Node) bool {
	switch st := st.(type) {
	case *ast.AssignStmt:
		return m.makes(st)
	case *ast.ExprStmt:
		set, ok := st.X.(*ast.CallExpr)
		return ok && m.sets(set)
	case *ast.IfStmt:
		if st.Init != nil || st.Else != nil {
			return false
		}
		condition, ok := m.text(st.Cond, m.in)
		if holds, known := decided(st.Cond, condition); ok && known {
			return !holds || m.block(st.Body.List, call)
		}
		if !ok || !isOwn(condition) {
			return false
		}
		m.lines = append(m.lines, "if "+condition+" {")
		ok = m.block(st.Body.List, call)
		m.lines = append(m.lines, "}")
		return ok
	case *ast.RangeStmt:
		none, ok := m.text(st.X, m.in)
		return ok && none == "nil"
	}
	return false
}

// decided reports whether a condition holds that compares literals with each other.
func decided(x ast.Expr, written string) (holds, known bool) {
	of, ok := ast.Unparen(x).(*ast.BinaryExpr)
	if !ok || of.Op != token.NEQ && of.Op != token.EQL {
		return false, false
	}
	left, right, ok := strings.Cut(written, " "+of.Op.String()+" ")
	literal := func(text string) bool {
		return text == "nil" || strings.Count(text, `"`) == 2 && strings.HasPrefix(text, `"`) && strings.HasSuffix(text, `"`)
	}
	if !ok || !literal(left) || !literal(right) {
		return false, false
	}
	return (left == right) == (of.Op == token.EQL), true
}

// makes writes a statement that makes the request: req, err := http.NewRequest(method, url, nil), or with a context,
// which ends a read that hangs.
func (m *maker) makes(st *ast.AssignStmt) bool {
	if len(st.Lhs) != 2 || len(st.Rhs) != 1 || st.Tok != token.DEFINE || len(m.lines) > 0 {
		return false
	}
	call, ok := st.Rhs[0].(*ast.CallExpr)
	if !ok {
		return false
	}
	made, most := "http.NewRequest", 3
	if source.IsMember(call.Fun, "http", "NewRequestWithContext") {
		made, most = "http.NewRequestWithContext", 4
	} else if !source.IsMember(call.Fun, "http", "NewRequest") {
		return false
	}
	if len(call.Args) != most {
		return false
	}
	written, ok := m.all(call.Args[:most-1], m.in)
	m.lines = append(m.lines, "req, err := "+made+"("+strings.Join(append(written, "nil"), ", ")+")",
		"if err != nil {\nreturn nil, err\n}")
	return ok && m.isEmpty(call.Args[most-1])
}

// sets writes a call that gives the request a header.
func (m *maker) sets(call *ast.CallExpr) bool {
	of, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	on, isIt := of.X.(*ast.Ident)
	header, ofHeader := of.X.(*ast.SelectorExpr)
	if ofHeader && header.Sel.Name == "Header" {
		on, isIt = header.X.(*ast.Ident)
	}
	known := ofHeader && slices.Contains([]string{"Set", "Add"}, of.Sel.Name) || !ofHeader && of.Sel.Name == "SetBasicAuth"
	if !isIt || m.Info.Uses[on] != m.request || !known {
		return false
	}
	args, ok := m.all(call.Args, m.in)
	method := of.Sel.Name
	if ofHeader {
		method = "Header." + method
	}
	ok = ok && !slices.ContainsFunc(args, func(arg string) bool { return !isOwn(arg) })
	m.lines = append(m.lines, "req."+method+"("+strings.Join(args, ", ")+")")
	return ok
}

// isEmpty reports whether a body is none: it is given as none, or has no value but under conditions that do not hold.
func (m *maker) isEmpty(body ast.Expr) bool {
	if source.IsMember(body, "http", "NoBody") {
		return true
	}
	if text, ok := m.text(body, m.in); ok {
		return text == "nil"
	}
	id, ok := ast.Unparen(body).(*ast.Ident)
	if !ok || m.Info.Uses[id] == nil {
		return false
	}
	for _, st := range m.in.Body.List {
		if under, ok := st.(*ast.IfStmt); ok && under.Init == nil && under.Else == nil {
			condition, said := m.text(under.Cond, m.in)
			if holds, known := decided(under.Cond, condition); said && known && !holds {
				continue
			}
		}
		if m.gives(st, m.Info.Uses[id]) {
			return false
		}
	}
	return true
}

// gives reports whether a statement gives a variable a value, or may.
func (m *maker) gives(st ast.Stmt, o source.Object) bool {
	given := false
	ast.Inspect(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			given = given || slices.ContainsFunc(n.Lhs, func(x ast.Expr) bool {
				id, ok := x.(*ast.Ident)
				return ok && (m.Info.Defs[id] == o || m.Info.Uses[id] == o)
			})
		case *ast.ValueSpec:
			named := func(id *ast.Ident) bool { return m.Info.Defs[id] == o }
			given = given || len(n.Values) > 0 && slices.ContainsFunc(n.Names, named)
		case *ast.UnaryExpr:
			id, ok := ast.Unparen(n.X).(*ast.Ident)
			given = given || ok && n.Op == token.AND && m.Info.Uses[id] == o
		}
		return !given
	})
	return given
}
