package jvm

import (
	"github.com/flaketap/flaketap/suite/java"
)

// closure is a lambda that a test hands to a function of the suite: it runs where that runs it, and means there what
// it means where it stands.
type closure struct {
	lambda java.Lambda
	by     *follower // who has met it
	ran    *bool
}

// handing inlines a function of the suite. The lambda that stands last among its arguments is followed where the
// function runs it, or, where it is not seen to do that, behind.
func (r *follower) handing(f *java.Method, of []java.Node, c java.Call) java.Node {
	last := len(c.Args) - 1
	given := closure{by: r, ran: new(bool)}
	isLambda := false
	if r.file.kotlin && last >= 0 {
		if given.lambda, isLambda = c.Args[last].X.(java.Lambda); isLambda {
			c.Args = append([]java.Argument{}, c.Args...)
			c.Args[last].X, c.Args[last].Name = given, f.Params[len(f.Params)-1].Name
		}
	}
	args := r.arguments(c)
	if len(of) == 0 {
		if x, ok := r.ofThis(c, args); ok {
			return x
		}
		of = placed(f, args)
	} else {
		of = append(of, placed(&java.Method{Params: f.Params[1:]}, args)...)
	}
	gives := r.inline(f, of, c.Typ)
	if isLambda && !*given.ran {
		c.Args[last].X = given.lambda
		r.arguments(java.Call{Name: c.Name, Args: c.Args[last:]})
	}
	return gives
}

// run follows a closure where another follower has come to.
func (n closure) run(r *follower, it, this java.Node) (gives, changed java.Node) {
	*n.ran = true
	in := *n.by
	in.depth, in.in.handed = r.depth, true
	in.in.condition = in.in.condition || r.in.condition
	in.in.guarded = in.in.guarded || r.in.guarded
	return in.inside(n.lambda, it, this)
}

// closureNamed is the closure that a call runs by its name, as block() and builder.block() do; false where none is.
func (r *follower) closureNamed(c java.Call) (java.Node, bool) {
	n, ok := r.env[c.Name].(closure)
	if !ok || r.depth >= maxInlined {
		return nil, false
	}
	var this java.Node
	if c.X != nil {
		this = r.resolve(c.X)
	}
	it := java.Node(java.Opaque{What: "what a lambda is handed"})
	if args := r.arguments(c); len(args) > 0 {
		it = args[0].X
	}
	gives, _ := n.run(r, it, this)
	return gives, true
}

// lambdaOf runs the lambda that a function of Kotlin's is handed, written there or by its name; false where it is
// handed something else.
func (r *follower) lambdaOf(x java.Node) (run func(it, this java.Node) (gives, changed java.Node), ok bool) {
	switch x := x.(type) {
	case java.Lambda:
		return func(it, this java.Node) (java.Node, java.Node) { return r.inside(x, it, this) }, true
	case java.Name:
		if n, isClosure := r.env[x.ID].(closure); isClosure && r.depth < maxInlined {
			return func(it, this java.Node) (java.Node, java.Node) { return n.run(r, it, this) }, true
		}
	}
	return nil, false
}
