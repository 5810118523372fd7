package golang

import (
	"go/ast"
	"path"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/logic"
	"github.com/flaketap/flaketap/suite/golang/source"
	"github.com/flaketap/flaketap/suite/golang/typing"
	"github.com/flaketap/flaketap/suite/golang/wording"
	"github.com/flaketap/flaketap/suite/script"
)

// write says a condition as the assertion was said: by an if statement, or by testify.
func (g *suite) write(_ *script.Script, _ *script.Test, a *script.Assertion, x expr.Expr) (string, bool) {
	return g.writeWith(a, x, map[string]bool{})
}

// elsewhere are the imports that what assertions say now is in need of.
func (g *suite) elsewhere(_ *script.Script, said map[*script.Assertion]expr.Expr) ([]script.Edit, []script.BesideFile) {
	var out []script.Edit
	for a, x := range said {
		needs := map[string]bool{}
		if x == nil {
			continue
		}
		text, ok := g.writeWith(a, x, needs)
		for pkg := range needs {
			if ok && strings.Contains(text, path.Base(pkg)+".") {
				out = append(out, g.Import(pkg))
			}
		}
	}
	return out, nil
}

// writeWith writes a condition, and notes what is to be imported for it.
func (g *suite) writeWith(a *script.Assertion, x expr.Expr, needs map[string]bool) (string, bool) {
	f, ok := g.forms[a]
	if !ok {
		return "", false
	}
	if f.rounds != nil {
		said, names, alike := f.rounds.alike(x)
		if !alike {
			w := writer{suite: g, form: f, printer: wording.Printer{File: g.File, At: f.pos(), Needs: needs}}
			return w.apart(a, x)
		}
		x, f.names = said, names
	}
	for _, each := range f.loops {
		if x, ok = within(x, each); !ok {
			return "", false
		}
	}
	w := writer{suite: g, form: f, printer: wording.Printer{File: g.File, Names: f.names, At: f.pos(), Needs: needs}}
	x = w.printer.Natural(x)
	if f.head != nil {
		return w.inHead(x)
	}
	if f.receiver != nil {
		return w.call(a, x)
	}
	if _, ok := f.node.(*ast.ExprStmt); ok {
		return w.instead(a.At.Indent, x)
	}
	return w.condition(a, x)
}

// writer writes in the place of one assertion.
type writer struct {
	*suite
	form
	printer wording.Printer
}

// condition writes an if statement anew: the test fails under the opposite of what is said.
func (w writer) condition(a *script.Assertion, x expr.Expr) (string, bool) {
	s, ok := w.node.(*ast.IfStmt)
	if _, guarded := x.(expr.Or); !ok || guarded && w.is != nil {
		return "", false // what stands before asks for a type, which a guard would do without
	}
	if w.is != nil && isTypeTest(x) {
		if !saysAlso(*w.is, x) {
			return "", false
		}
		before := strings.TrimSuffix(strings.TrimSpace(w.Text(s.Pos(), w.from)), "||")
		names, imports := w.Lost(s, w.from, w.to, w.inAssertion)
		return strings.TrimSpace(before) + w.Text(w.to, s.End()), len(names) == 0 && len(imports) == 0
	}
	t, isTyped := w.printer.TypedTest(x)
	if isTyped && s.Init == nil && w.sends == nil && w.from == s.Cond.Pos() && !w.mentions(s, t.Name, "ok") {
		if names, imports := w.Lost(s, w.from, w.to, w.inAssertion, t.Inline()); len(names) == 0 && len(imports) == 0 {
			return w.Text(s.Pos(), w.from) + t.Declared() + "; " + t.Denied() + w.Text(w.to, s.End()), true
		}
	}
	text, binds, ok := w.printer.Denies(x)
	if !ok {
		return "", false
	}
	behind := ""
	names, imports := w.Lost(s, w.from, w.to, w.inAssertion, text)
	if len(imports) > 0 || len(names) > 0 && w.DeclaresOneOf(s, names) {
		if !source.IsHarmless(s.Cond, w.from) {
			return "", false
		}
		if binds < wording.Middle {
			text = "(" + text + ")"
		}
		text = source.Parenthesized(w.Text(w.from, w.to)) + " && " + text // as only what is written there uses a name
	} else {
		behind = used(names, a.At.Indent)
	}
	if text, ok = source.Formatted(text, a.At.Indent); !ok || !w.keeps(x, text) {
		return "", false
	}
	return w.Text(s.Pos(), w.from) + text + w.Text(w.to, s.End()) + behind, true
}

// saysAlso reports whether a value of a type is what another condition says of its type.
func saysAlso(is expr.IsType, x expr.Expr) bool {
	also, ok := logic.Parts[expr.And](x)[0].(expr.IsType)
	a, _ := typing.OfJSON(is.Types)
	b, whole := typing.OfJSON(also.Types)
	return ok && a == b && !whole && expr.Identical(is.X, also.X)
}

// isFunction reports whether a member of a package is a function, so that it can be used on a line of its own.
func isFunction(member string) bool {
	return slices.Contains([]string{"strings.Join", "cmp.Equal", "cmp.Diff"}, member) || strings.HasPrefix(member, "cmpopts.")
}

// used has variables and functions be used on lines of their own.
func used(names []string, indent string) string {
	out := ""
	for _, n := range names {
		out += "\n" + indent + "_ = " + n
	}
	return out
}

// mentions reports whether a statement has one of some names in it.
func (w writer) mentions(s ast.Node, names ...string) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && slices.Contains(names, id.Name)
		return true
	})
	return found
}

// call writes a call of testify anew.
func (w writer) call(a *script.Assertion, x expr.Expr) (string, bool) {
	calls, ok := w.worded(x)
	if !ok || !w.keeps(x, strings.Join(calls, "\n")) {
		return "", false
	}
	names, imports := w.Lost(w.node, w.node.Pos(), w.node.End(), w.inAssertion, calls...)
	for _, member := range imports {
		if !isFunction(member) {
			return "", false
		}
		names = append(names, member)
	}
	for i, call := range calls {
		if calls[i], ok = source.Formatted(call, a.At.Indent); !ok {
			return "", false
		}
	}
	return strings.Join(calls, "\n"+a.At.Indent) + used(names, a.At.Indent), true
}

// worded writes a condition as a call of testify; as one for each of its parts, where there are no words for all of
// them in one.
func (w writer) worded(x expr.Expr) (calls []string, ok bool) {
	if call, ok := w.wordedOnce(x); ok {
		return []string{call}, true
	}
	and, _ := x.(expr.And)
	for _, part := range and.Xs {
		of, ok := w.worded(part)
		if !ok {
			return nil, false
		}
		calls = append(calls, of...)
	}
	return calls, len(calls) > 0
}

// wordedOnce writes a condition in testify's words, and where these lack one by True.
func (w writer) wordedOnce(x expr.Expr) (string, bool) {
	name, args, ok := w.printer.Words(x)
	if !ok {
		text, _, ok := w.printer.Says(x)
		if !ok {
			return "", false
		}
		name, args = "True", []string{text}
	}
	if w.test != nil {
		args = append([]string{w.Source(w.test)}, args...)
	}
	for _, m := range w.message {
		args = append(args, w.Source(m))
	}
	return w.Source(w.receiver) + "." + name + "(" + strings.Join(args, ", ") + ")", true
}

// disable keeps an assertion from being made. It is commented out, but where a variable or an import would be left
// without a use, which does not compile: then it stays, and never fails.
func (g *suite) disable(s *script.Script, a *script.Assertion) []script.Edit {
	f, known := g.forms[a]
	if head := g.headOf[a]; head != nil {
		return g.neverInHead(head)
	}
	if !known {
		return g.commentOut(s, a.At)
	}
	if f.sends != nil {
		return g.stillSends(a, f.sends, g.never(s, a, f))
	}
	return g.never(s, a, f)
}

// never keeps an assertion of a form from being made.
func (g *suite) never(s *script.Script, a *script.Assertion, f form) []script.Edit {
	instead := ""
	if f.sends != nil {
		instead = g.Source(f.sends.at)
	}
	names, imports := g.Lost(f.node, f.node.Pos(), f.node.End(), g.inAssertion, instead)
	if len(names) == 0 && len(imports) == 0 {
		return g.commentOut(s, a.At)
	}
	if cond, ok := f.node.(*ast.IfStmt); ok {
		from, to := g.Offset(cond.Cond.Pos()), g.Offset(cond.Cond.End())
		return []script.Edit{{Start: from, End: from, Text: "false && ("}, {Start: to, End: to, Text: ")"}}
	}
	edits := []script.Edit{{Start: a.At.Start, End: a.At.Start, Text: "if false {\n" + a.At.Indent + "\t"}}
	for n := a.At.FirstLine; n < a.At.LastLine; n++ {
		if at := g.Starts[n]; !g.inText(f.node, at) && strings.TrimSpace(s.Lines[n]) != "" {
			edits = append(edits, script.Edit{Start: at, End: at, Text: "\t"})
		}
	}
	return append(edits, script.Edit{Start: a.At.End, End: a.At.End, Text: "\n" + a.At.Indent + "}"})
}

// inText reports whether a byte stands in a text of several lines.
func (g *suite) inText(within ast.Node, at int) bool {
	found := false
	ast.Inspect(within, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		found = found || ok && g.Offset(lit.Pos()) < at && at < g.Offset(lit.End())
		return true
	})
	return found
}

// commentOut comments out each line behind the indentation of the first, as gofmt leaves it.
func (g *suite) commentOut(s *script.Script, at script.Span) []script.Edit {
	edits := []script.Edit{{Start: at.Start, End: at.Start, Text: "// "}}
	for n := at.FirstLine; n < at.LastLine; n++ {
		start, mark := g.Starts[n], "// "
		if strings.TrimSpace(s.Lines[n]) == "" {
			mark = "//"
		}
		if strings.HasPrefix(s.Lines[n], at.Indent) && mark == "// " {
			start += len(at.Indent)
		} else {
			mark = at.Indent + mark
		}
		edits = append(edits, script.Edit{Start: start, End: start, Text: mark})
	}
	return edits
}

// path names what an assertion looks at as the test does.
func (g *suite) path(_ *script.Test, a *script.Assertion, subject expr.Expr) string {
	f := g.forms[a]
	if f.rounds != nil {
		f.names = f.rounds.commonNames()
	}
	text, _, ok := wording.Printer{File: g.File, Names: f.names, At: f.pos()}.Place(subject)
	if !ok {
		return ""
	}
	return text
}
