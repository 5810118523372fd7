package golang

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/polling"
	"github.com/flaketap/flaketap/suite/golang/source"
	"github.com/flaketap/flaketap/suite/golang/typing"
	"github.com/flaketap/flaketap/suite/script"
)

// call is what a call returns: of a request, of a function of the file, of one of the library that is known.
func (r *follower) call(x *ast.CallExpr) value {
	if read := polling.Polled(r.File, x); read != nil {
		return r.polled(read)
	}
	v := r.callOnce(x)
	r.gives(x, v)
	return v
}

func (r *follower) callOnce(x *ast.CallExpr) value {
	tv := r.Info.Types[x.Fun]
	switch {
	case tv.IsType() && len(x.Args) == 1:
		return r.converted(tv.Type, r.eval(x.Args[0]))
	case tv.IsBuiltin():
		return r.builtin(x)
	}
	if s, ok := ast.Unparen(x.Fun).(*ast.SelectorExpr); ok {
		if pkg := r.PkgOf(s.X); pkg != "" {
			return r.libraryCall(pkg, s.Sel.Name, x)
		}
		of := r.receiver(s.X)
		if p, ok := of.(pointer); ok {
			of = p.to.value
		}
		if f, ok := r.method(s, of); ok {
			return r.inline(f, r.all(x.Args), x)
		}
		return r.methodCall(of, s.Sel.Name, x)
	}
	if f, ok := r.eval(x.Fun).(function); ok {
		return r.inline(f, r.all(x.Args), x)
	}
	return r.unknownCall(x, "a function that is not of the file")
}

func (r *follower) all(xs []ast.Expr) []value {
	out := make([]value, len(xs))
	for i, x := range xs {
		out[i] = r.eval(x)
	}
	if len(xs) == 1 {
		if several, ok := out[0].(tuple); ok { // f(g())
			return several
		}
	}
	return out
}

// unknownCall is a call of which nothing is known but that it may change what it is given.
func (r *follower) unknownCall(x *ast.CallExpr, what string) value {
	for _, a := range x.Args {
		v := r.eval(a)
		forgetBuffers([]value{v})
		switch v := v.(type) {
		case pointer:
			v.to.value = opaque{"what " + what + " was given"}
		case function:
			r.handed(v)
		}
		switch t := r.TypeOf(a); {
		case t == nil:
		case typing.IsSlice(t), typing.IsMap(t):
			r.forget(a)
		}
	}
	return opaque{what}
}

// handed follows a function that is given to another, which may call it often, or never.
func (r *follower) handed(f function) {
	in := *r
	in.several, in.looped = true, true
	in.cond++
	in.inline(f, nil, nil)
}

// converted is a value as one of another type.
func (r *follower) converted(to types.Type, v value) value {
	p, ok := v.(plain)
	if !ok {
		return v
	}
	text := func(t types.Type) bool { return typing.IsString(t) || typing.IsBytes(t) }
	switch {
	case text(to) && text(p.typ), typing.IsNumber(to) && typing.IsNumber(p.typ), typing.IsAny(to),
		typing.IsBoolean(to) && typing.IsBoolean(p.typ):
		return plain{x: p.x, typ: to, ints: p.ints && typing.IsAny(to)}
	case typing.IsSlice(to) && typing.IsSlice(p.typ), typing.IsMap(to) && typing.IsMap(p.typ):
		return plain{x: p.x, typ: to}
	}
	return opaque{"a conversion"}
}

func (r *follower) builtin(x *ast.CallExpr) value {
	name, _ := ast.Unparen(x.Fun).(*ast.Ident)
	switch {
	case name == nil:
	case name.Name == "len" && len(x.Args) == 1:
		p, ok := deref(r.eval(x.Args[0])).(plain)
		switch {
		case !ok:
			return opaque{"a length"}
		case typing.IsString(p.typ):
			return plain{x: expr.Len{X: expr.Bytes{X: p.x}}, typ: types.Typ[types.Int]}
		case typing.IsBytes(p.typ):
			return textLen{p.x}
		}
		return plain{x: expr.Len{X: p.x}, typ: types.Typ[types.Int]}
	case name.Name == "new" && len(x.Args) == 1 && isBufferType(x.Args[0]):
		return r.newBuffer()
	case name.Name == "new" && len(x.Args) == 1:
		if !r.Info.Types[x.Args[0]].IsType() { // as Go has it from version 1.26 on
			return pointer{&cell{value: r.eval(x.Args[0]), typ: r.TypeOf(x.Args[0]), level: r.cond}}
		}
		t := r.TypeOf(x.Args[0])
		if zero := typing.ZeroOf(t); zero != nil {
			return pointer{&cell{value: plain{x: zero, typ: t}, typ: t, level: r.cond}}
		}
	case name.Name == "make" && len(x.Args) > 0:
		t := r.TypeOf(x.Args[0])
		if typing.IsMap(t) {
			return plain{x: expr.Object{}, typ: t}
		}
		zero, isEmpty := typing.ZeroOf(t), len(x.Args) > 1 && writtenText(r.eval(x.Args[1])) == "0"
		if typing.IsSlice(t) && zero != nil && isEmpty {
			return plain{x: zero, typ: t}
		}
	case name.Name == "append" && !x.Ellipsis.IsValid():
		if v, ok := appended(r.all(x.Args)); ok {
			return v
		}
	default:
		if slices.Contains([]string{"delete", "clear", "copy"}, name.Name) && len(x.Args) > 0 {
			r.forget(x.Args[0])
		}
		r.all(x.Args)
	}
	return opaque{"a function of the language"}
}

// methodCall is a call of a method of a value that the library gave.
func (r *follower) methodCall(of value, name string, x *ast.CallExpr) value {
	if sent, ok := r.sentBy(of, name, x); ok {
		return sent
	}
	switch v := of.(type) {
	case headersOf:
		if name == "Get" && len(x.Args) == 1 {
			return headerValue(v.id, r.eval(x.Args[0]))
		}
	case *buffer:
		if out, ok := v.called(r, name, r.all(x.Args)); ok {
			return out
		}
		return opaque{"the method " + name + " of a buffer"}
	case encoder:
		if name == "Encode" && len(x.Args) == 1 {
			return v.encode(r, r.eval(x.Args[0]))
		}
		v.to.text = opaque{"JSON in a notation of its own"}
		return failure{}
	case decoder:
		if name == "Decode" && len(x.Args) == 1 {
			return r.decode(v.from, r.eval(x.Args[0]))
		}
		if name == "UseNumber" {
			if of, ok := v.from.(bodyOf); ok && strings.HasPrefix(of.id, script.SetUpPrefix) {
				return failure{}
			}
			if s, ok := ast.Unparen(x.Fun).(*ast.SelectorExpr); ok {
				r.forgetDecoder(s.X)
			}
		}
		return failure{}
	case bodyOf: // closed
		return failure{}
	case regex:
		if slices.Contains([]string{"MatchString", "Match"}, name) && len(x.Args) == 1 {
			return boolean(expr.Match{X: meaningOf(r.eval(x.Args[0])), Pattern: v.pattern})
		}
	case *fixture:
		known := map[string]value{"Require": asserter{testifyRequire}, "Assert": asserter{testifyAssert}, "T": tester{}}
		if of, ok := known[name]; ok {
			return of
		}
	case *pairs:
		return v.called(name, r.all(x.Args))
	case *request:
		r.all(x.Args)
		return v.called(name)
	case plain:
		if name == "IsZero" && typing.IsMoment(v.typ) {
			return boolean(expr.Same(v.x, typing.NoMoment()))
		}
	case failure:
		return opaque{"the text of an error"}
	case tester:
		r.all(x.Args)
		return opaque{"the method " + name + " of a test"}
	}
	return r.unknownCall(x, "the method "+name)
}

// isBufferType reports whether a type is one of texts that are written piece by piece.
func isBufferType(x ast.Expr) bool {
	return source.IsMember(x, "bytes", "Buffer") || source.IsMember(x, "strings", "Builder")
}

// forgetDecoder has a decoder give values that are not known.
func (r *follower) forgetDecoder(x ast.Expr) {
	if id, ok := ast.Unparen(x).(*ast.Ident); ok {
		if c, ok := r.env[r.Info.Uses[id]]; ok {
			c.value = decoder{opaque{"a decoder of another kind"}}
		}
	}
}

// decode fills in a variable with the JSON of a text.
func (r *follower) decode(from, into value) value {
	target, ok := into.(pointer)
	if !ok {
		return failure{}
	}
	x := jsonOf(from)
	switch {
	case x == nil || r.cond > target.to.level:
		target.to.value = opaque{"what was decoded"}
	case isFilled(target.to.value) && !r.sameRequest(target.to.value, x):
		target.to.value = opaque{"what was decoded over other values"}
	case target.to.typ == nil:
		target.to.value = opaque{"a variable of a type that is not known"}
	default:
		target.to.value = r.retyped(plain{x: x, typ: target.to.typ}, target.to.typ)
	}
	return failure{}
}

// sameRequest reports whether a value is the JSON of an answer to the request that another is of too, as where a
// test reads a thing again and again: what one answer gives a value for, the other does.
func (r *follower) sameRequest(v value, json expr.Expr) bool {
	of := func(x expr.Expr) *script.Call {
		answer, _ := x.(expr.Answer)
		for _, c := range r.calls {
			if answer.Part == expr.JSON && c.Var == answer.Var {
				return c
			}
		}
		return nil
	}
	p, _ := v.(plain)
	before, now := of(p.x), of(json)
	return before != nil && now != nil && before.Method == now.Method && before.Target == now.Target
}

// isFilled reports whether a struct or a map holds values, which stay where JSON has none for them.
func isFilled(v value) bool {
	switch v := v.(type) {
	case record:
		return len(v.fields) > 0
	case plain:
		_, isStruct := typing.Under(v.typ).(*types.Struct)
		object, written := v.x.(expr.Object)
		return (isStruct || typing.IsMap(v.typ)) && !(written && len(object.Keys) == 0)
	}
	return false
}

// jsonOf is the JSON of a text; nil where it is not that of an answer.
func jsonOf(from value) expr.Expr {
	switch v := from.(type) {
	case bodyOf:
		return expr.Answer{Var: v.id, Part: expr.JSON}
	case reader:
		return jsonOf(v.text)
	case plain:
		if of, ok := v.x.(expr.Answer); ok && of.Part == expr.Text {
			return expr.Answer{Var: of.Var, Part: expr.JSON}
		}
	}
	return nil
}

// libraryCall is a call of a function of another package.
func (r *follower) libraryCall(pkg, name string, x *ast.CallExpr) value {
	if sent, ok := r.sent(pkg, name, x); ok {
		return sent
	}
	full := pkg + "." + name
	if pkg == testifyAssert || pkg == testifyRequire {
		if name == "New" {
			return asserter{pkg}
		}
		return opaque{"the function " + full}
	}
	args := r.all(x.Args)
	if v, ok := r.decoding(full, args); ok {
		return v
	}
	if v, ok := textual(full, args); ok {
		return v
	}
	if v, ok := comparing(full, args); ok {
		return v
	}
	for _, read := range []func(string, []value) (value, bool){inOrder, option, join} {
		if v, ok := read(full, args); ok {
			return v
		}
	}
	forgetBuffers(args)
	if pkg == "errors" && (name == "Is" || name == "As") {
		return failureTest{happened: true}
	}
	last := pkg[strings.LastIndexByte(pkg, '/')+1:] + "." + name
	if slices.Contains(harmless(), pkg) {
		return opaque{"the function " + last}
	}
	return r.unknownCall(x, "the function "+last)
}

// harmless are packages whose functions change nothing that they are given.
func harmless() []string {
	return []string{"fmt", "strings", "bytes", "strconv", "time", "os", "io", "errors", "context", "net/http", "net/url",
		"encoding/json", "reflect", "regexp", "maps", "math", "log", "github.com/google/go-cmp/cmp",
		"github.com/google/go-cmp/cmp/cmpopts"}
}

// decoding reads functions that read a text, or JSON.
func (r *follower) decoding(full string, args []value) (value, bool) {
	one := func() value {
		if len(args) > 0 {
			return args[0]
		}
		return opaque{"nothing"}
	}
	switch full {
	case "io.ReadAll", "io/ioutil.ReadAll":
		switch v := one().(type) {
		case bodyOf:
			return tuple{plain{x: expr.Answer{Var: v.id, Part: expr.Text}, typ: bytesType()}, failure{}}, true
		case reader:
			return tuple{v.text, failure{}}, true
		}
		return tuple{opaque{"what was read"}, failure{}}, true
	case "encoding/json.NewEncoder":
		if b, ok := deref(one()).(*buffer); ok {
			return encoder{b}, true
		}
	case "encoding/json.NewDecoder":
		return decoder{one()}, true
	case "encoding/json.Unmarshal":
		if len(args) == 2 {
			return r.decode(args[0], args[1]), true
		}
	case "encoding/json.Marshal", "encoding/json.MarshalIndent":
		if text, ok := jsonText(one()); ok {
			return tuple{plain{x: expr.Str{Value: text}, typ: bytesType()}, failure{}}, true
		}
		return tuple{plain{x: expr.Unknown{What: "JSON that is not written out"}, typ: bytesType()}, failure{}}, true
	case "strings.NewReader", "bytes.NewReader", "bytes.NewBuffer", "bytes.NewBufferString":
		return reader{one()}, true
	case "time.Parse": // in whatever notation: a moment is the text that JSON has for it
		if len(args) == 2 {
			return tuple{plain{x: meaningOf(args[1])}, failure{}}, true
		}
	case "regexp.MustCompile":
		if p, ok := one().(plain); ok {
			if pattern, ok := p.x.(expr.Str); ok {
				return regex{pattern.Value}, true
			}
		}
	case "regexp.MatchString":
		if len(args) == 2 {
			if p, ok := args[0].(plain); ok {
				if pattern, ok := p.x.(expr.Str); ok {
					return tuple{boolean(expr.Match{X: meaningOf(args[1]), Pattern: pattern.Value}), failure{}}, true
				}
			}
		}
	case "errors.New", "fmt.Errorf":
		return failure{}, true
	}
	return nil, false
}

func bytesType() types.Type { return types.NewSlice(types.Typ[types.Byte]) }
