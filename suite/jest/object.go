package jest

import (
	"slices"

	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/script"
)

// maxBases bounds how far up classes that others are derived from are followed.
const maxBases = 8

// class is a class of a file. Its own members, the static ones, are those of an object.
type class struct {
	node   *js.Node
	module *module
	scope  *scope
	static *object
}

// object is what has members that change: an instance of a class, or an object that is written out with methods.
type object struct {
	class  *class // nil for an object that is written out
	fields map[string]value
	lost   bool   // a member is changed whose name is not known
	begun  *class // whose fields are there once the constructor has called that of the class that it is derived from
}

// value is an object as a value.
func (o *object) value() value { return value{object: o, text: script.Unknown, what: "an object"} }

// value is a class as a value or, with an instance of one that is derived from it, what super stands for in that.
func (c *class) value(super *object) value {
	return value{class: c, object: super, text: script.Unknown, what: "a class"}
}

// newClass is the value of a class that is written out.
func (r *follower) newClass(n *js.Node) value {
	c := &class{node: n, module: r.module, scope: r.scope, static: &object{fields: map[string]value{}}}
	for _, m := range n.Members {
		if !m.Static || m.Method {
			continue
		}
		v := unknown("the member " + m.Name)
		if m.Value != nil {
			v = r.inClass(c, c.value(nil)).eval(m.Value)
		}
		c.static.fields[m.Name] = v
	}
	return c.value(nil)
}

// inClass is the follower in a class, where this is a value.
func (r *follower) inClass(c *class, this value) *follower {
	in := r.at(c.module, c.scope)
	in.own, in.tokens, in.seen = false, c.node.Tokens, map[*js.Node]known{}
	in.enter(nil)
	in.scope.vars["this"] = this
	in.super(c, this)
	return in
}

// super gives that name what it stands for in a class.
func (r *follower) super(c *class, this value) {
	if base, _ := r.base(c); base != nil {
		r.scope.vars["super"] = base.value(this.object)
	}
}

// base is the class that one is derived from; false where that is not known.
func (r *follower) base(c *class) (*class, bool) {
	if len(c.node.Args) == 0 {
		return nil, true
	}
	in := r.at(c.module, c.scope)
	in.tokens = c.node.Tokens
	of := in.eval(c.node.Args[0]).class
	return of, of != nil
}

// construct makes an instance of a class, by what it or a class that it is derived from says of that.
func (r *follower) construct(c *class, args []value) value {
	o := &object{class: c, fields: map[string]value{}}
	r.begin(c, o, args, maxBases)
	return o.value()
}

// begin runs the constructor of a class for an object.
func (r *follower) begin(c *class, o *object, args []value, left int) {
	if r.depth >= maxInlined || left == 0 {
		o.lost = true
		return
	}
	base, _ := r.base(c)
	m, has := c.member(func(m js.Member) bool { return m.Name == "constructor" && m.Method && !m.Static })
	if !has && base != nil {
		r.begin(base, o, args, left-1)
	}
	if !has || base == nil {
		r.initial(c, o)
	}
	if has {
		o.begun = c
		r.call(r.method(c, o.value(), m.Value), args)
	}
}

// above runs the constructor of the class that the one of an object is derived from: super(…).
func (r *follower) above(super value, args []value) value {
	o := super.object
	of := o.begun
	r.begin(super.class, o, args, maxBases)
	if of != nil {
		r.initial(of, o)
	}
	o.begun = nil
	return unknown("what a constructor gives")
}

// initial gives the fields of an object what they begin with.
func (r *follower) initial(c *class, o *object) {
	in := r.inClass(c, o.value())
	in.depth++
	for _, m := range c.node.Members {
		if m.Static || m.Method {
			continue
		}
		v := unknown("the member " + m.Name)
		if m.Value != nil && in.depth < maxInlined {
			v = in.eval(m.Value)
		}
		o.fields[m.Name] = v
	}
}

// member is the member of a class that is as wanted; the last one counts.
func (c *class) member(wanted func(js.Member) bool) (js.Member, bool) {
	for _, m := range slices.Backward(c.node.Members) {
		if wanted(m) {
			return m, true
		}
	}
	return js.Member{}, false
}

// method is a function of a class, of an object.
func (r *follower) method(c *class, this value, n *js.Node) *function {
	return &function{node: n, scope: c.scope, module: c.module, this: &this, class: c}
}

// property is a member of an object, of a class or, of an instance, of what a class says of these; false where it is
// not known to have one.
func (r *follower) property(v value, key string) (value, bool) {
	o, static := v.object, v.object == nil
	if static {
		o = v.class.static
	}
	super := v.object != nil && v.class != nil
	if o.lost {
		return unknown("a value that changes"), true
	}
	if f, ok := o.fields[key]; ok && !super {
		return f.of(v), true
	}
	c := o.class
	if v.class != nil {
		c = v.class
	}
	this := v
	if super {
		this = o.value()
	}
	for left := maxBases; c != nil && left > 0; left-- {
		if f, ok := c.static.fields[key]; ok && static {
			return f, true
		}
		m, ok := c.member(func(m js.Member) bool { return m.Name == key && m.Static == static })
		if ok && m.Method {
			f := r.method(c, this, m.Value)
			if m.Getter {
				return r.call(f, nil), true
			}
			return value{fn: f, text: script.Unknown}, true
		}
		c, _ = r.base(c)
	}
	return unknown("the member " + key), r.complete(o.class)
}

// of is a function that an object has, with that for its this.
func (v value) of(this value) value {
	if v.fn == nil || v.fn.this != nil || v.fn.node.Arrow {
		return v
	}
	fn := *v.fn
	fn.this = &this
	v.fn = &fn
	return v
}

// complete reports whether all classes are known that a class is derived from.
func (r *follower) complete(c *class) bool {
	for left := maxBases; c != nil && left > 0; left-- {
		base, known := r.base(c)
		if !known {
			return false
		}
		c = base
	}
	return true
}

// change gives a member of an object, or of a class, another value; false where nothing is known of what has it.
func (r *follower) change(to *js.Node, v value) bool {
	of := to.Args[0]
	if of.Form != js.NodeName {
		return false
	}
	held := r.lookup(of.Text)
	o := held.object
	if o == nil && held.class != nil {
		o = held.class.static
	}
	if o == nil {
		return false
	}
	key := to.Text
	if to.Form == js.NodeIndex {
		if key = r.eval(to.Args[1]).text; to.Args[1].Form != js.NodeString {
			o.lost = true
			return true
		}
	}
	if r.in.Condition {
		v = unknown("what is assigned under a condition")
	}
	o.fields[key] = v
	return true
}
