package golang

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/lenient"
	"github.com/flaketap/flaketap/suite/golang/source"
	"github.com/flaketap/flaketap/suite/golang/typing"
)

// options are those of go-cmp: what a comparison of two values leaves out.
type options struct {
	ignored    []ignored
	anyOrder   bool // lists are sorted before they are compared
	emptyIsNil bool // a list that is empty is equal to one that is nil
}

// ignored are the fields of a struct that a comparison leaves out.
type ignored struct {
	of     types.Type
	fields []string
}

func (options) value() {}

const cmpopts = "github.com/google/go-cmp/cmp/cmpopts."

// option reads a function that makes an option.
func option(full string, args []value) (value, bool) {
	switch full {
	case cmpopts + "EquateEmpty":
		return options{emptyIsNil: true}, true
	case cmpopts + "SortSlices":
		return options{anyOrder: true}, true
	case cmpopts + "IgnoreFields":
		var out ignored
		for i, arg := range args {
			switch v := deref(arg).(type) {
			case record:
				out.of = v.typ
			case plain:
				name, ok := v.x.(expr.Str)
				if !ok || i == 0 || strings.Contains(name.Value, ".") {
					return nil, false
				}
				out.fields = append(out.fields, name.Value)
			}
		}
		return options{ignored: []ignored{out}}, out.of != nil
	}
	return nil, false
}

// listedOptions are options that are written out as a list of them: cmp.Options{…}.
func (r *follower) listedOptions(x *ast.CompositeLit) (value, bool) {
	if !source.IsMember(x.Type, "cmp", "Options") {
		return nil, false
	}
	return together(r.all(x.Elts))
}

// together are several options as one; false where one is not known.
func together(all []value) (out options, ok bool) {
	for _, v := range all {
		o, known := v.(options)
		if !known {
			return options{}, false
		}
		out.ignored = append(out.ignored, o.ignored...)
		out.anyOrder, out.emptyIsNil = out.anyOrder || o.anyOrder, out.emptyIsNil || o.emptyIsNil
	}
	return out, true
}

// ignores reports whether a field of a struct is left out.
func (o options) ignores(t types.Type, field string) bool {
	return slices.ContainsFunc(o.ignored, func(i ignored) bool {
		return typing.SameType(typing.Pointee(t), i.of) && slices.Contains(i.fields, field)
	})
}

// deeply is a value as one that is held against another by what tells a list that is nil from an empty one.
func (o options) deeply(v value) value {
	if o.emptyIsNil {
		return v
	}
	return deeply(v)
}

// isNil says that a list or a map is nil, or as much as that.
func (o options) isNil(x expr.Expr) expr.Expr {
	if o.emptyIsNil {
		return expr.Cmp(expr.Len{X: x}, expr.Eq, expr.Int(0))
	}
	return expr.IsNull(lenient.OrNil(x))
}

// joined is the text of the elements of a list, with another one between them.
type joined struct {
	of plain
	by string
}

func (joined) value() {}

// join reads strings.Join.
func join(full string, args []value) (value, bool) {
	if full != "strings.Join" || len(args) != 2 {
		return nil, false
	}
	of, ok := deref(args[0]).(plain)
	by, isText := meaningOf(args[1]).(expr.Str)
	if !ok || !isText || by.Value == "" || !expr.FromAnswer(of.x) || !typing.IsString(typing.ElemOf(of.typ)) {
		return nil, false
	}
	return joined{of, by.Value}, true
}

// is says that it is a text that is written out: the list has the pieces of that, where none of its elements has in it
// what stands between them.
func (j joined) is(text value) expr.Expr {
	s, ok := meaningOf(text).(expr.Str)
	if !ok {
		return expr.Unknown{What: "a text that is put together"}
	}
	want := expr.List{Elems: []expr.Expr{}}
	for piece := range strings.SplitSeq(s.Value, j.by) {
		if s.Value != "" {
			want.Elems = append(want.Elems, expr.Str{Value: piece})
		}
	}
	return expr.Cmp(j.of.x, expr.Eq, want)
}
