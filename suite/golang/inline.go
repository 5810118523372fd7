package golang

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/before"
	"github.com/flaketap/flaketap/suite/golang/polling"
	"github.com/flaketap/flaketap/suite/golang/source"
	"github.com/flaketap/flaketap/suite/golang/typing"
	"github.com/flaketap/flaketap/suite/script"
)

// follow follows a test or a subtest from its first statement to what it deferred.
func (s *session) follow(name string, head script.Span, fn before.Function) {
	typ, body := fn.Type, fn.Body
	t := &ownTest{Test: &script.Test{Name: name, Line: head.FirstLine, Head: head}, sends: map[*script.Call]bool{}}
	if len(body.List) > 0 {
		first, last := s.Span(body.List[0]), s.Span(body.List[len(body.List)-1])
		t.BodyStart, t.BodyEnd, t.Indent = first.Start-len(first.Indent), last.End, first.Indent
	}
	s.tests = append(s.tests, t)
	s.ways.Tests[t.Test] = fn
	r := &follower{session: s, test: t, own: true, site: head, typ: typ}
	for _, p := range typ.Params.List {
		for _, n := range p.Names {
			if o := s.Info.Defs[n]; o != nil {
				s.env[o] = &cell{value: tester{}}
			}
		}
	}
	if s.before != nil && len(s.tests) == 1 {
		r.own = false
		s.before(r)
		r.own = true
	}
	r.block(body.List)
	if s.after != nil && s.tests[0] == t {
		r.later(s.after)
	}
	for _, run := range slices.Backward(t.later) {
		run()
	}
}

// subtest follows t.Run: a test of its own where its name is written out, and part of this one where it runs often, or
// in a function that tests share.
func (r *follower) subtest(s ast.Stmt, call *ast.CallExpr) {
	name, known := r.eval(call.Args[0]).(plain)
	text, written := name.x.(expr.Str)
	f, ok := r.eval(call.Args[1]).(function)
	if !ok {
		return
	}
	if !r.own || r.cond > 0 || !known || !written || r.rows != nil {
		r.part(f)
		return
	}
	full := r.test.Name + "/" + source.SubtestName(text.Value)
	n := r.names[full]
	r.names[full]++
	if n > 0 || text.Value == "" { // as go test tells those of one name apart
		full = fmt.Sprintf("%s#%02d", full, n)
	}
	if r.nested++; r.nested < maxInlined {
		r.follow(full, r.Span(s), before.Function{Type: f.typ, Body: f.body})
	}
	r.nested--
}

// part follows a subtest as a part of this test, to what it deferred.
func (r *follower) part(f function) {
	in, later := *r, r.test.later
	in.ended, in.unclear, in.refused, in.typ, in.base, r.test.later = false, false, false, f.typ, r.cond, nil
	in.bind(f, []value{tester{}})
	in.block(f.body.List)
	for _, run := range slices.Backward(r.test.later) {
		run()
	}
	r.test.later = later
}

// inline follows a function of the file that is called, and is what it returns. call is nil where nothing reads that.
func (r *follower) inline(f function, args []value, call *ast.CallExpr) value {
	if r.depth >= maxInlined {
		return opaque{"functions that call each other"}
	}
	saved := maps.Clone(r.env)
	in := &follower{session: r.session, test: r.test, site: r.site, depth: r.depth + 1, cond: r.cond,
		base: r.cond, looped: r.looped, several: r.several,
		typ: f.typ, frame: &polling.Frame{Call: call, Type: f.typ, Recv: f.recv, Body: f.body, Up: r.frame}}
	in.bind(f, args)
	level := in.cond
	in.block(f.body.List)
	for o := range r.env {
		if _, before := saved[o]; !before {
			delete(r.env, o)
		}
	}
	maps.Copy(r.env, saved)
	switch {
	case in.unclear, in.refused && (call == nil || !r.wantsNone(call)):
		return opaque{"what a function returns under a condition"}
	case in.result == nil:
		return opaque{"a function that returns nothing known"}
	case level != in.cond:
		return opaque{"what a function returns"}
	}
	return r.asReturned(in.result, f, call)
}

// asReturned is a result with the static type that the caller sees.
func (r *follower) asReturned(v value, f function, call *ast.CallExpr) value {
	if call == nil {
		return v
	}
	if all, ok := v.(tuple); ok {
		types, ok := r.Info.TypeOf(call).(*types.Tuple)
		if !ok || types.Len() != len(all) {
			return v
		}
		out := make(tuple, len(all))
		for i, one := range all {
			out[i] = r.retyped(asError(one, f, i), typing.Known(types.At(i).Type()))
		}
		return out
	}
	return r.retyped(asError(v, f, 0), r.TypeOf(call))
}

// asError is a result that is an error by what the function says, whatever it returns: nil too.
func asError(v value, f function, nth int) value {
	if f.typ.Results == nil {
		return v
	}
	n := 0
	for _, field := range f.typ.Results.List {
		for range max(1, len(field.Names)) {
			if id, ok := field.Type.(*ast.Ident); ok && n == nth && id.Name == "error" {
				return failure{}
			}
			n++
		}
	}
	return v
}

// bind gives the parameters and results of a function their values.
func (r *follower) bind(f function, args []value) {
	declare := func(n *ast.Ident, v value) {
		if o := r.Info.Defs[n]; o != nil {
			r.env[o] = r.newCell(o, v)
		}
	}
	if f.recv != nil {
		for _, field := range f.recv.List {
			for _, n := range field.Names {
				declare(n, f.of)
			}
		}
	}
	i := 0
	for _, p := range f.typ.Params.List {
		_, variadic := p.Type.(*ast.Ellipsis)
		for _, n := range p.Names {
			v := value(opaque{"the parameter " + n.Name})
			if i < len(args) && !variadic {
				v = args[i]
			}
			if source.IsTesterType(p.Type) {
				v = tester{}
			}
			declare(n, v)
			i++
		}
		if len(p.Names) == 0 {
			i++
		}
	}
	if f.typ.Results != nil {
		for _, p := range f.typ.Results.List {
			for _, n := range p.Names {
				declare(n, r.zero(p.Type, r.TypeOf(n)))
			}
		}
	}
}
