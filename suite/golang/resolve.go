package golang

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/logic"
	"github.com/flaketap/flaketap/suite/golang/source"
	"github.com/flaketap/flaketap/suite/golang/typing"
	"github.com/flaketap/flaketap/suite/script"
)

// eval is what an expression stands for. Requests in it are noted, functions of the file are followed.
func (r *follower) eval(x ast.Expr) value {
	if r.nodes++; r.nodes > maxNodes {
		return opaque{"too many expressions"}
	}
	if r.deep >= script.MaxDepth {
		return opaque{"an expression that nests too deeply"}
	}
	r.deep++
	defer func() { r.deep-- }()
	return r.expression(x)
}

func (r *follower) expression(x ast.Expr) value {
	if tv, ok := r.Info.Types[x]; ok && tv.Value != nil {
		return constantOf(tv)
	}
	switch x := x.(type) {
	case *ast.BasicLit: // in a value of a type that is not known
		if v := constant.MakeFromLiteral(x.Value, x.Kind, 0); v.Kind() != constant.Unknown {
			return constantOf(types.TypeAndValue{Value: v, Type: types.Typ[types.Invalid]})
		}
	case *ast.ParenExpr:
		return r.eval(x.X)
	case *ast.Ident:
		return r.name(x)
	case *ast.SelectorExpr:
		return r.selected(x)
	case *ast.IndexExpr:
		return r.indexed(x)
	case *ast.CallExpr:
		return r.call(x)
	case *ast.TypeAssertExpr:
		return r.typed(x)
	case *ast.StarExpr:
		return deref(r.eval(x.X))
	case *ast.UnaryExpr:
		return r.unary(x)
	case *ast.BinaryExpr:
		return r.binary(x)
	case *ast.CompositeLit:
		return r.composite(x)
	case *ast.FuncLit:
		return function{typ: x.Type, body: x.Body}
	case *ast.SliceExpr:
		r.eval(x.X)
		return opaque{"a slice"}
	}
	return opaque{"an expression of an unknown form"}
}

// evalSeveral is what an expression stands for that gives n values.
func (r *follower) evalSeveral(x ast.Expr, n int) value {
	x = ast.Unparen(x)
	if n == 2 {
		switch x := x.(type) {
		case *ast.IndexExpr:
			from := deref(r.eval(x.X))
			if _, isFunction := from.(function); isFunction {
				return from
			}
			key := r.eval(x.Index)
			one := elementAt(from, key)
			if of, ok := from.(plain); ok && typing.IsMap(of.typ) {
				return tuple{one, boolean(expr.Cmp(meaningOf(key), expr.In, of.x))}
			}
			return one
		case *ast.TypeAssertExpr:
			v := r.typed(x)
			if p, ok := v.(plain); ok {
				return tuple{v, r.isOf(p)}
			}
		}
	}
	return r.eval(x)
}

// constantOf is a constant.
func constantOf(tv types.TypeAndValue) value {
	typ := typing.Known(types.Default(tv.Type))
	switch tv.Value.Kind() {
	case constant.String:
		return plain{x: expr.Str{Value: constant.StringVal(tv.Value)}, typ: typ}
	case constant.Bool:
		return plain{x: expr.Bool{Value: constant.BoolVal(tv.Value)}, typ: typ}
	case constant.Int:
		if text := tv.Value.ExactString(); len(text) < 100 {
			return plain{x: expr.Numeral(text), typ: typ, ints: typing.IsInteger(typ)}
		}
	case constant.Float:
		if f, _ := constant.Float64Val(tv.Value); !typing.IsInfinite(f) {
			return plain{x: expr.Numeral(typing.FloatText(f)), typ: typ}
		}
	}
	return opaque{"such a number"}
}

// name is what a name stands for.
func (r *follower) name(x *ast.Ident) value {
	o := r.Info.Uses[x]
	if o == nil {
		o = r.Info.Defs[x]
	}
	switch o := o.(type) {
	case *types.Nil:
		return plain{x: expr.Null{}}
	case *types.Func:
		if d, ok := r.Functions[o]; ok {
			return function{typ: d.Type, body: d.Body}
		}
	case *types.Var:
		if c, ok := r.env[o]; ok {
			return c.value
		}
		if written, ok := r.Globals[o]; ok {
			return r.retyped(bounded(r.eval(written)), typing.Known(o.Type()))
		}
	}
	return opaque{"the name " + x.Name}
}

func (r *follower) unary(x *ast.UnaryExpr) value {
	if x.Op == token.AND {
		return r.address(x.X)
	}
	v := r.eval(x.X)
	if test, ok := v.(failureTest); ok && x.Op == token.NOT {
		return failureTest{!test.happened}
	}
	p, ok := v.(plain)
	switch {
	case ok && x.Op == token.NOT:
		return boolean(expr.Negate(p.x))
	case ok && x.Op == token.SUB:
		return plain{x: expr.Neg{X: p.x}, typ: p.typ, ints: p.ints}
	}
	return opaque{"the operator " + x.Op.String()}
}

// address is a pointer to a variable, or to what is written out. Answers and requests are pointers of themselves.
func (r *follower) address(x ast.Expr) value {
	x = ast.Unparen(x)
	if id, ok := x.(*ast.Ident); ok {
		if c, ok := r.env[r.Info.Uses[id]]; ok {
			return pointer{c}
		}
	}
	if s, ok := x.(*ast.SelectorExpr); ok && r.PkgOf(s.X) == "" {
		if f, ok := r.eval(s.X).(*fixture); ok {
			return pointer{r.fixtureField(f, s)}
		}
	}
	switch v := r.eval(x).(type) {
	case plain:
		return pointer{&cell{value: v, typ: v.typ, level: r.cond}}
	case record:
		return pointer{&cell{value: v, typ: v.typ, level: r.cond}}
	default:
		return v
	}
}

// deref is what a pointer leads to.
func deref(v value) value {
	switch v := v.(type) {
	case pointer:
		return v.to.value
	case plain:
		if p, ok := typing.Under(v.typ).(*types.Pointer); ok {
			return plain{x: v.x, typ: p.Elem()}
		}
	}
	return v
}

func (r *follower) binary(x *ast.BinaryExpr) value {
	return operated(x.Op, r.eval(x.X), r.eval(x.Y))
}

// operated is what an operator makes of two values.
func operated(by token.Token, a, b value) value {
	if v, ok := aboutFailures(by, a, b); ok {
		return v
	}
	switch by {
	case token.ADD:
		return added(a, b)
	case token.SUB:
		return arithmetic(expr.Subtract, a, b)
	case token.LAND:
		return boolean(expr.And{Xs: append(logic.Parts[expr.And](meaningOf(a)), meaningOf(b))})
	case token.LOR:
		return boolean(logic.OneOf(meaningOf(a), meaningOf(b)))
	}
	if op, ok := operators()[by]; ok {
		return boolean(compared(a, op, b))
	}
	return opaque{"the operator " + by.String()}
}

// operators are Go's operators of comparison.
func operators() map[token.Token]expr.Op {
	return map[token.Token]expr.Op{token.EQL: expr.Eq, token.NEQ: expr.Ne, token.LSS: expr.Lt, token.LEQ: expr.Le,
		token.GTR: expr.Gt, token.GEQ: expr.Ge}
}

// aboutFailures reads conditions that ask for errors alone.
func aboutFailures(op token.Token, a, b value) (value, bool) {
	x, first := a.(failureTest)
	y, second := b.(failureTest)
	switch {
	case first && second && (op == token.LAND || op == token.LOR):
		return failureTest{x.happened || y.happened}, true
	case first && op == token.LAND && !x.happened: // no error happens
		return b, true
	case second && op == token.LAND && !y.happened:
		return a, true
	}
	if op != token.EQL && op != token.NEQ {
		return nil, false
	}
	for _, pair := range [][2]value{{a, b}, {b, a}} {
		null, ok := pair[1].(plain)
		if !ok || null.x != expr.Expr(expr.Null{}) || null.typ != nil {
			continue
		}
		switch pair[0].(type) {
		case failure:
			return failureTest{op == token.NEQ}, true
		case answer, bodyOf, client, *request, pointer:
			return failureTest{op == token.EQL}, true // nil where there is an error
		}
	}
	return nil, false
}

// added is a sum, or a text of two.
func added(a, b value) value {
	if isText(a) || isText(b) {
		return plain{x: expr.Sum(meaningOf(a), meaningOf(b)), typ: types.Typ[types.String]}
	}
	return arithmetic(expr.Add, a, b)
}

func arithmetic(op expr.ArithOp, a, b value) value {
	x, ok := a.(plain)
	y, too := b.(plain)
	switch {
	case !ok && !too:
		return opaque{"arithmetic"}
	case !ok || !too: // of texts, or of numbers: only what is known of them counts
		return plain{x: expr.Arith{Op: op, X: meaningOf(a), Y: meaningOf(b)}}
	}
	return plain{x: expr.Arith{Op: op, X: x.x, Y: y.x}, typ: x.typ}
}

// isText reports whether a value is a text for certain.
func isText(v value) bool {
	p, ok := v.(plain)
	return ok && typing.IsString(p.typ)
}

// composite is a value that is written out.
func (r *follower) composite(x *ast.CompositeLit) value {
	switch {
	case source.IsMember(x.Type, "http", "Client"):
		return client{}
	case isBufferType(x.Type) && len(x.Elts) == 0:
		return r.newBuffer()
	case source.IsMember(x.Type, "url", "Values"), source.IsMember(x.Type, "http", "Header"):
		return r.pairs(x)
	}
	if all, ok := r.listedOptions(x); ok {
		return all
	}
	typ := r.TypeOf(x)
	switch t := typing.Under(typ).(type) {
	case *types.Map:
		return r.mapLiteral(x, typ, t.Elem())
	case *types.Slice:
		return r.listLiteral(x, typ, t.Elem())
	case *types.Struct:
		return r.recordLiteral(x, typ, t)
	case *types.Pointer:
		if s, ok := typing.Under(t.Elem()).(*types.Struct); ok {
			return r.recordLiteral(x, t.Elem(), s)
		}
	}
	for _, e := range x.Elts { // requests may be in it
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			e = kv.Value
		}
		r.eval(e)
	}
	return opaque{"a value of a type that is not known"}
}

// element is a value as a part of a map or a list whose elements have a type.
func element(v value, typ types.Type) plain {
	p, ok := v.(plain)
	if !ok {
		return plain{x: meaningOf(v)}
	}
	p.ints = p.ints && typing.IsAny(typ)
	return p
}

func (r *follower) mapLiteral(x *ast.CompositeLit, typ, elem types.Type) value {
	out, all := plain{typ: typ}, table{typ: typ}
	var object expr.Object
	plainly := true
	for _, e := range x.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return opaque{"a map without keys"}
		}
		key, _ := r.eval(kv.Key).(plain)
		if key.x == nil || !expr.IsLiteral(key.x) {
			return opaque{"a key that is not known"}
		}
		v := r.eval(kv.Value)
		all.keys, all.elems = append(all.keys, key), append(all.elems, deref(v))
		_, isStruct := deref(v).(record)
		name, isText := key.x.(expr.Str)
		plainly = plainly && !isStruct && isText
		p := element(v, elem)
		object.Keys, object.Values = append(object.Keys, name.Value), append(object.Values, p.x)
		out.ints = out.ints || p.ints
	}
	if !plainly {
		return all
	}
	out.x = object
	return out
}

func (r *follower) listLiteral(x *ast.CompositeLit, typ, elem types.Type) value {
	all, plains := list{typ: typ}, plain{typ: typ}
	elems := []expr.Expr{}
	structs := false
	for _, e := range x.Elts {
		if _, keyed := e.(*ast.KeyValueExpr); keyed {
			return opaque{"a list with indices"}
		}
		v := r.eval(e)
		if _, ok := deref(v).(record); ok {
			structs = true
		}
		p := element(v, elem)
		all.elems, elems, plains.ints = append(all.elems, deref(v)), append(elems, p.x), plains.ints || p.ints
	}
	if structs {
		return all
	}
	plains.x = expr.List{Elems: elems}
	return plains
}

func (r *follower) recordLiteral(x *ast.CompositeLit, typ types.Type, t *types.Struct) value {
	if typing.IsMoment(typ) {
		return plain{x: typing.NoMoment(), typ: typ}
	}
	out := record{typ: typ, fields: map[string]value{}}
	for i, e := range x.Elts {
		name := ""
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				name = id.Name
			}
			e = kv.Value
		} else if i < t.NumFields() {
			name = t.Field(i).Name()
		}
		out.fields[name] = r.eval(e)
	}
	return out
}
