package golang

import (
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/source"
	"github.com/flaketap/flaketap/suite/golang/typing"
	"github.com/flaketap/flaketap/suite/script"
)

// printer writes conditions for a place of a file.
type printer struct {
	*source.File
	names scope
	at    token.Pos       // where is written
	needs map[string]bool // the packages that are to be imported for what is written
}

// library is how a package of the standard library is called where is written; "" where it cannot be. What is written
// is in need of it then.
func (p printer) library(pkg string) string {
	name, isNew := p.Library(pkg, p.at)
	if isNew && p.needs == nil {
		return ""
	}
	if isNew {
		p.needs[pkg] = true
	}
	return name
}

// place writes what leads to a value, and its static type; ok is false where no name of the test leads there.
func (p printer) place(x expr.Expr) (text string, typ types.Type, ok bool) {
	for _, n := range p.names.values {
		if expr.Identical(n.x, x) {
			return n.name, n.typ, true
		}
	}
	switch x := x.(type) {
	case expr.Answer:
		if name := p.names.answers[x.Var]; name != "" && x.Part == expr.Status {
			return name + ".StatusCode", types.Typ[types.Int], true
		}
	case expr.Get:
		return p.place(expr.Index{X: x.X, I: x.Key})
	case expr.Index:
		if name, of, isHeader := expr.HeaderOf(x); isHeader {
			return p.header(of, name)
		}
		of, t, ok := p.place(x.X)
		if !ok {
			return "", nil, false
		}
		return p.step(of, t, x.I)
	case expr.Len:
		return p.length(x.X)
	case expr.Length:
		return p.length(x.X)
	case expr.Name:
		return x.ID, types.Typ[types.String], strings.HasPrefix(x.ID, script.SetUpPrefix)
	case expr.Arith:
		return p.sum(x)
	case expr.ToText:
		of, t, ok := p.place(x.X)
		switch {
		case ok && typing.IsAny(t) && p.library("fmt") != "": // a whole number, as encoding/json decodes it
			return p.library("fmt") + ".Sprintf(\"%.0f\", " + of + ")", types.Typ[types.String], true
		case !ok || !typing.IsInteger(t):
		case isInt(t) && p.Imports["strconv"] != "":
			return p.library("strconv") + ".Itoa(" + of + ")", types.Typ[types.String], true
		case p.library("fmt") != "":
			return p.library("fmt") + ".Sprint(" + of + ")", types.Typ[types.String], true
		}
	}
	return "", nil, false
}

// sum writes a text that is put together of others.
func (p printer) sum(x expr.Arith) (string, types.Type, bool) {
	out := ""
	for _, part := range []expr.Expr{x.X, x.Y} {
		text, isText := part.(expr.Str)
		written, t, ok := quoted(text), types.Type(types.Typ[types.String]), isText
		if !isText {
			written, t, ok = p.place(part)
		}
		if !ok || x.Op != expr.Add || !typing.IsString(t) {
			return "", nil, false
		}
		out += " + " + written
	}
	return strings.TrimPrefix(out, " + "), types.Typ[types.String], true
}

func isInt(t types.Type) bool {
	b, ok := types.Unalias(t).(*types.Basic)
	return ok && b.Kind() == types.Int
}

func (p printer) header(answer, name string) (string, types.Type, bool) {
	of := p.names.headers[answer]
	if of == "" && p.names.answers[answer] != "" {
		of = p.names.answers[answer] + ".Header"
	}
	return of + ".Get(" + literal.Go(name) + ")", types.Typ[types.String], of != ""
}

// length writes the length of a list or a map, and that of a text in bytes, which is the only one that Go counts.
func (p printer) length(x expr.Expr) (string, types.Type, bool) {
	if bytes, isText := x.(expr.Bytes); isText {
		of, t, ok := p.place(bytes.X)
		return "len(" + of + ")", types.Typ[types.Int], ok && typing.IsString(t)
	}
	of, t, ok := p.place(x)
	return "len(" + of + ")", types.Typ[types.Int], ok && (typing.IsSlice(t) && !typing.IsBytes(t) || typing.IsMap(t))
}

// step writes a step into a value of a type.
func (p printer) step(of string, t types.Type, by expr.Expr) (string, types.Type, bool) {
	name, isName := by.(expr.Str)
	n, isNumber := by.(expr.Num)
	if isNumber {
		if _, err := strconv.ParseUint(n.Text, 10, 31); err != nil {
			return "", nil, false
		}
	}
	switch u := typing.Under(typing.Pointee(t)).(type) {
	case *types.Interface:
		switch {
		case !u.Empty() || t != typing.Pointee(t):
		case isName:
			return of + ".(map[string]any)[" + literal.Go(name.Value) + "]", t, true
		case isNumber:
			return of + ".([]any)[" + n.Text + "]", t, true
		}
	case *types.Map:
		if isName && typing.IsMap(t) {
			return of + "[" + literal.Go(name.Value) + "]", u.Elem(), true
		}
	case *types.Slice:
		if isNumber && typing.IsSlice(t) {
			return of + "[" + n.Text + "]", u.Elem(), true
		}
	case *types.Struct:
		if field, typ, ok := typing.FieldOf(t, name.Value); isName && ok && typing.Known(typ) != nil {
			return of + "." + field, typ, true
		}
	}
	return "", nil, false
}
