package golang

import (
	"go/ast"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/lenient"
	"github.com/flaketap/flaketap/suite/golang/logic"
	"github.com/flaketap/flaketap/suite/golang/source"
	"github.com/flaketap/flaketap/suite/golang/typing"
	"github.com/flaketap/flaketap/suite/golang/values"
	"github.com/flaketap/flaketap/suite/script"
)

// Where the rows of a table test cannot be said alike, since what is asserted of one moves, that one is told apart by a
// value that it alone has: if resp.StatusCode != tc.want && tc.name != "too many" { … }. The others stay as they are.

// naming tells the rounds of a loop apart, by a variable of it or a field of that.
type naming struct {
	of    *ast.Ident
	field string   // "" for the variable itself
	value []value  // of the variable, round by round
	text  []string // what tells each of the rounds apart, as Go writes it
}

// namings are the ways to tell the rounds of a loop apart.
func (r *follower) namings(s *ast.RangeStmt, over listing) (out []naming) {
	add := func(x ast.Expr, all []value, field string) {
		id, ok := x.(*ast.Ident)
		n := naming{of: id, field: field, value: all}
		if !ok || id.Name == "_" {
			return
		}
		for _, v := range all {
			if of, isRecord := v.(record); isRecord && field != "" {
				v = of.fields[field]
			}
			p, isPlain := v.(plain)
			if !isPlain || p.typ == nil || !logic.IsScalar(p.x) {
				return
			}
			text, ok := values.Value(p.x, p.typ)
			if !ok || slices.Contains(n.text, text) {
				return
			}
			n.text = append(n.text, text)
		}
		out = append(out, n)
	}
	if s.Value != nil {
		add(s.Value, over.values, "")
		if first, ok := over.values[0].(record); ok {
			if of, isStruct := typing.Under(first.typ).(*types.Struct); isStruct {
				for i := range of.NumFields() {
					add(s.Value, over.values, of.Field(i).Name())
				}
			}
		}
	}
	if s.Key != nil {
		add(s.Key, over.keys, "")
	}
	return out
}

// named is what tells rounds apart where a statement stands, in a round: the first whose variable has its value there;
// nil where none does.
func (r *follower) named(s ast.Stmt, nth int) *naming {
	inner := r.Pkg.Scope().Innermost(s.Pos())
	for i := range r.rows.names {
		n := &r.rows.names[i]
		if inner == nil || nth >= len(n.value) {
			return nil
		}
		_, o := inner.LookupParent(n.of.Name, s.Pos())
		if c, ok := r.env[o]; ok && reflect.DeepEqual(c.value, n.value[nth]) {
			return n
		}
	}
	return nil
}

// apart writes what is said of the rounds of a loop, where that of some is weaker than it was: false where all are, or
// where nothing tells them apart.
func (w writer) apart(a *script.Assertion, x expr.Expr) (string, bool) {
	o := w.rounds
	if o.names == nil || w.head != nil || w.sends != nil || len(o.all) != len(o.names.text) {
		return "", false
	}
	said, shared, ok := o.Apart(logic.Parts[expr.And](x))
	if !ok || len(shared) > 0 {
		return "", false
	}
	w.printer.Names = o.commonNames()
	name, kept := o.names.of.Name, 0
	if o.names.field != "" {
		name += "." + o.names.field
	}
	var guards []string
	for i, one := range o.all {
		full, _ := lenient.Exact(logic.Simplified(one.said))
		if slices.EqualFunc(said[i], logic.Parts[expr.And](o.Renamed(i, full)), expr.Identical) {
			kept++
			continue
		}
		guard := name + " != " + o.names.text[i]
		if len(said[i]) > 0 { // what Go cannot say of that round is left out
			if text, _, ok := w.printer.Denies(w.printer.Natural(expr.AllOf(said[i]...))); ok {
				guard = "(" + guard + " || " + text + ")"
			}
		}
		guards = append(guards, guard)
	}
	if kept == 0 || len(guards) == 0 {
		return "", false
	}
	return w.guarded(a, guards)
}

// guarded writes an assertion as it was, under conditions.
func (w writer) guarded(a *script.Assertion, guards []string) (string, bool) {
	if s, ok := w.node.(*ast.IfStmt); ok {
		text, ok := source.Formatted(source.Parenthesized(w.Text(w.from, w.to))+" && "+strings.Join(guards, " && "), a.At.Indent)
		return w.Text(s.Pos(), w.from) + text + w.Text(w.to, s.End()), ok
	}
	if a.At.FirstLine != a.At.LastLine {
		return "", false
	}
	cond := strings.Join(guards, " && ")
	if inner, ok := strings.CutPrefix(cond, "("); ok && len(guards) == 1 {
		cond = strings.TrimSuffix(inner, ")")
	}
	text, ok := source.Formatted(cond, a.At.Indent)
	return "if " + text + " {\n" + a.At.Indent + "\t" + w.Source(w.node) + "\n" + a.At.Indent + "}", ok
}
