package wording

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

// Names are how values are called where something is written.
type Names struct {
	Answers map[string]string // the variables that hold answers, by those of calls
	Headers map[string]string // those that hold headers
	Values  []Named           // what was taken from answers
	Tests   []Named           // conditions that were found true or false
}

// Named is a value that has a name.
type Named struct {
	Name string
	X    expr.Expr
	Raw  expr.Expr // with the steps that give a zero value where there is nothing
	Type types.Type
}

// Printer writes conditions for a place of a file.
type Printer struct {
	*source.File
	Names Names
	At    token.Pos       // where is written
	Needs map[string]bool // the packages that are to be imported for what is written
}

// library is how a package of the standard library is called where is written; "" where it cannot be. What is written
// is in need of it then.
func (p Printer) library(pkg string) string {
	name, isNew := p.Library(pkg, p.At)
	if isNew && p.Needs == nil {
		return ""
	}
	if isNew {
		p.Needs[pkg] = true
	}
	return name
}

// Place writes what leads to a value, and its static type; ok is false where no name of the test leads there.
func (p Printer) Place(x expr.Expr) (text string, typ types.Type, ok bool) {
	for _, n := range p.Names.Values {
		if expr.Identical(n.X, x) {
			return n.Name, n.Type, true
		}
	}
	switch x := x.(type) {
	case expr.Answer:
		if name := p.Names.Answers[x.Var]; name != "" && x.Part == expr.Status {
			return name + ".StatusCode", types.Typ[types.Int], true
		}
	case expr.Get:
		return p.Place(expr.Index{X: x.X, I: x.Key})
	case expr.Index:
		if name, of, isHeader := expr.HeaderOf(x); isHeader {
			return p.header(of, name)
		}
		of, t, ok := p.Place(x.X)
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
		of, t, ok := p.Place(x.X)
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
func (p Printer) sum(x expr.Arith) (string, types.Type, bool) {
	out := ""
	for _, part := range []expr.Expr{x.X, x.Y} {
		text, isText := part.(expr.Str)
		written, t, ok := quoted(text), types.Type(types.Typ[types.String]), isText
		if !isText {
			written, t, ok = p.Place(part)
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

func (p Printer) header(answer, name string) (string, types.Type, bool) {
	of := p.Names.Headers[answer]
	if of == "" && p.Names.Answers[answer] != "" {
		of = p.Names.Answers[answer] + ".Header"
	}
	return of + ".Get(" + literal.Go(name) + ")", types.Typ[types.String], of != ""
}

// length writes the length of a list or a map, and that of a text in bytes, which is the only one that Go counts.
func (p Printer) length(x expr.Expr) (string, types.Type, bool) {
	if bytes, isText := x.(expr.Bytes); isText {
		of, t, ok := p.Place(bytes.X)
		return "len(" + of + ")", types.Typ[types.Int], ok && typing.IsString(t)
	}
	of, t, ok := p.Place(x)
	return "len(" + of + ")", types.Typ[types.Int], ok && (typing.IsSlice(t) && !typing.IsBytes(t) || typing.IsMap(t))
}

// step writes a step into a value of a type.
func (p Printer) step(of string, t types.Type, by expr.Expr) (string, types.Type, bool) {
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
