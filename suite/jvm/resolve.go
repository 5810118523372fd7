package jvm

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/jvm/polling"
	"github.com/flaketap/flaketap/suite/jvm/sending"
)

// What expressions stand for, beside literals.
type (
	// answerNode is what a call was answered.
	answerNode struct {
		id       string // the call's variable
		client   sending.Client
		response bool // it is the client's own: not what then(), extract() or getBody() of REST-assured's gives
		links    bool // its methods assert: what REST-assured's then() gives
	}
	headersNode struct{ of answerNode }
	logNode     struct{ of java.Node } // whose methods say what is logged
	requestNode struct {               // what is to be sent
		client sending.Client
		links  []java.Call // their arguments are resolved
	}
)

// resolve is an expression with the values of its names in their place. Requests in it are noted as sent, methods of
// the file are followed.
func (r *follower) resolve(x java.Node) java.Node {
	if *r.nodes++; *r.nodes > maxNodes {
		return java.Opaque{What: "too many expressions"}
	}
	switch x := x.(type) {
	case nil:
		return java.Opaque{What: "an expression of an unknown form"}
	case java.Name:
		return r.named(x)
	case java.Field:
		return r.field(x)
	case java.Call:
		v := r.called(x)
		r.notes(x, v)
		return v
	case java.Sum:
		return java.Sum{Xs: r.all(x.Xs)}
	case java.Array:
		return java.Array{Elems: r.all(x.Elems)}
	case java.Binary:
		if x.Op == "instanceof" {
			return java.Binary{Op: x.Op, X: r.resolve(x.X), Y: x.Y, At: x.At}
		}
		return java.Binary{Op: x.Op, X: r.resolve(x.X), Y: r.resolve(x.Y), At: x.At}
	case java.Not:
		return java.Not{X: r.resolve(x.X)}
	case java.Negative:
		return java.Negative{X: r.resolve(x.X)}
	case java.Ternary:
		outer := r.in
		cond := r.resolve(x.Cond)
		r.in.condition = true
		defer func() { r.in = outer }()
		return chosen(java.Ternary{Cond: cond, X: r.resolve(x.X), Y: r.resolve(x.Y)})
	case java.Cast:
		return typed(r.resolve(x.X), x.Typ)
	case java.Index:
		return r.element(r.resolve(x.X), r.resolve(x.I))
	case java.Lambda:
		outer := r.in
		r.in.condition = true
		r.lambda(x)
		r.in = outer
		return java.Opaque{What: "a lambda"}
	}
	return x
}

// chosen is the request that has more, where a condition is between two that differ in who asks alone, as in
// token == null ? spec : spec.header("Authorization", token); else what it was.
func chosen(x java.Ternary) java.Node {
	less, ok := x.X.(requestNode)
	more, too := x.Y.(requestNode)
	if len(less.links) > len(more.links) {
		less, more = more, less
	}
	if !ok || !too || less.client != more.client {
		return x
	}
	for i, link := range more.links {
		switch {
		case i < len(less.links) && link.Name != less.links[i].Name,
			i >= len(less.links) && !slices.Contains([]string{"header", "addHeader", "cookie", "auth", "preemptive", "basic", "oauth2"}, link.Name):
			return x
		}
	}
	return more
}

func (r *follower) all(xs []java.Node) []java.Node {
	out := make([]java.Node, len(xs))
	for i, x := range xs {
		out[i] = r.resolve(x)
	}
	return out
}

// known is the value of a name; false where it has none.
func (r *follower) known(name string) (java.Node, bool) {
	if x, ok := r.env[r.place(name)]; ok {
		return x, true
	}
	return r.initial(r.class, name)
}

// initial is what a field is set to where it is declared, and never again.
func (r *follower) initial(class, name string) (java.Node, bool) {
	f, ok := r.file.module.FieldOf(class, name)
	if x, again := r.env[class+"."+name]; again {
		return x, true
	}
	switch {
	case !ok:
		return nil, false
	case r.file.module.Set[name]:
		return java.Opaque{What: "the field " + name + ", which changes"}, true
	case f.To == 0 || r.depth >= maxInlined:
		return java.Opaque{What: "the field " + name}, true
	}
	in := &follower{file: r.file, test: r.test, class: class, env: map[string]java.Node{}, moved: map[string]bool{},
		site:  r.site,
		depth: r.depth + 1, nodes: r.nodes}
	x := typed(bounded(in.valueOf(f.From, f.To)), f.Typ)
	if class == r.class {
		class = "this"
	}
	r.env[class+"."+name] = x // it is sent for once
	return x, true
}

// named is what a name stands for.
func (r *follower) named(x java.Name) java.Node {
	if slices.Contains([]string{"true", "false", "null"}, x.ID) {
		return x
	}
	if value, known := r.known(x.ID); known {
		return value
	}
	if value, known := r.ofReceiver(x.ID); known {
		return value
	}
	if status, ok := meaning.StatusConstant(x.ID); ok {
		return status
	}
	return java.Opaque{What: "the name " + x.ID}
}

// field is a field of the class, of another class of the file, or a constant of a library's.
func (r *follower) field(x java.Field) java.Node {
	of, ok := x.X.(java.Name)
	switch {
	case ok && of.ID == "this":
		if value, known := r.env["this."+x.Name]; known {
			return value
		}
		if value, known := r.initial(r.class, x.Name); known {
			return value
		}
		return java.Opaque{What: "the field " + x.Name}
	case ok:
		if value, known := r.initial(of.ID, x.Name); known && r.file.module.Fields[of.ID] != nil {
			return value
		}
		if value, variable := r.known(of.ID); variable {
			return r.property(value, x.Name)
		}
	case r.file.kotlin && r.classOf(x) == "":
		if value := r.resolve(x.X); !isField(value) {
			return r.property(value, x.Name)
		}
	case r.classOf(x) == "":
		if v, ok := r.resolve(x.X).(meaning.Value); ok && v.Bound {
			return r.property(v, x.Name)
		}
	}
	if status, ok := meaning.StatusConstant(x.Name); ok {
		return status
	}
	return x
}

// class is the name of the class that a static method is called on, without the packages; "" where it is called on a
// value.
func (r *follower) classOf(x java.Node) string {
	switch x := x.(type) {
	case java.Name:
		if _, value := r.known(x.ID); !value && x.ID[:1] == strings.ToUpper(x.ID[:1]) {
			return x.ID
		}
	case java.Field:
		root := java.Node(x)
		for {
			f, ok := root.(java.Field)
			if !ok {
				break
			}
			root = f.X
		}
		if n, ok := root.(java.Name); ok {
			if _, value := r.known(n.ID); !value && n.ID != "this" && x.Name != strings.ToUpper(x.Name) &&
				(!r.file.kotlin || x.Name[:1] == strings.ToUpper(x.Name[:1])) {
				return x.Name
			}
		}
	}
	return ""
}

// arguments resolves those of a call: what they are written as stays where they stand.
func (r *follower) arguments(c java.Call) []java.Argument {
	out := make([]java.Argument, len(c.Args))
	for i, a := range c.Args {
		out[i] = java.Argument{From: a.From, To: a.To, Name: a.Name}
		switch x := a.X.(type) {
		case java.Lambda:
			if condition, ok := r.asserts(c, x); ok {
				out[i] = condition
				continue
			}
			outer := r.in
			r.in.guarded = r.in.guarded || strings.HasPrefix(c.Name, "assertThrows") ||
				strings.HasPrefix(c.Name, "assertFails") || strings.HasPrefix(c.Name, "assertThatThrown")
			r.in.condition = r.in.condition || !runsNow(c.Name)
			r.lambda(x)
			r.in = outer
			out[i].X = java.Opaque{What: "a lambda"}
		case java.Field:
			out[i].X = r.resolve(x)
		default:
			out[i].X = r.resolve(a.X)
		}
	}
	return inOrder(out)
}

// runsNow reports whether a method runs what it is handed, once.
func runsNow(name string) bool {
	return slices.Contains([]string{"assertAll", "assertTimeout", "assertTimeoutPreemptively", "assertDoesNotThrow", "step",
		"runTest", "runBlocking", "assertSoftly", "withContext", "coroutineScope"}, name)
}

// called is a call: of a method of the file, of a library.
func (r *follower) called(c java.Call) java.Node {
	if x, ok := r.closureNamed(c); ok {
		return x
	}
	class := ""
	if c.X != nil {
		class = r.classOf(c.X)
	}
	if n, ok := c.X.(java.Name); c.X == nil || ok && (n.ID == "this" || n.ID == "super") || class != "" {
		if f := r.local(c, class); f != nil {
			if len(c.Args) > 0 && r.file.isPoll(f) {
				if read, ok := c.Args[0].X.(java.Lambda); ok {
					return r.polled(read)
				}
			}
			return r.handing(f, nil, c)
		}
	}
	if c.X == nil || class != "" {
		if x, ok := r.scopedFunction(class, c); ok {
			return x
		}
		written := c.Args
		c.Args = r.arguments(c)
		if object, ok := r.made(c); ok {
			return object
		}
		r.reordered(class, written)
		return r.static(class, c)
	}
	if read, ok := polling.Awaited(c); ok {
		return r.polled(read)
	}
	of := r.resolve(c.X)
	if object, ok := of.(objectNode); ok {
		if f := r.file.module.Find(object.class, c.Name, len(c.Args)); f != nil {
			return r.of(object).inline(f, placed(f, r.arguments(c)), c.Typ)
		}
	}
	if r.forEach(of, c) {
		return java.Opaque{What: "what " + c.Name + " gives"}
	}
	if filled := r.filledBy(of, c); len(filled) > 0 {
		filled.put(r)
		return java.Opaque{What: "what " + c.Name + " gives"}
	}
	if x, ok := r.scoped(of, c); ok {
		return x
	}
	if x, ok := r.ofEach(of, c); ok {
		return x
	}
	c.Args = r.arguments(c)
	x := r.method(of, c)
	r.says(c, x)
	return x
}

// method is a method of a value, with its arguments.
func (r *follower) method(of java.Node, c java.Call) java.Node {
	if v, ok := of.(meaning.Value); ok {
		if x, ok := r.memberOf(v, c); ok {
			return x
		}
	}
	switch of := of.(type) {
	case requestNode:
		return r.request(of, c)
	case answerNode:
		return typedCall(r.ofAnswer(of, c), r.file.kotlin && (c.Safe || of.client == sending.OkHTTP && c.Name == "header"), c)
	case logNode:
		return of.of
	case headersNode:
		if len(c.Args) == 1 && slices.Contains([]string{"getValue", "get", "firstValue"}, c.Name) {
			return headerOf(of.of, c)
		}
	case meaning.Value:
		return typedCall(meaning.OfValue(of, c), c.Safe, c)
	case java.Text, java.Sum:
		return meaning.OfText(of, c)
	case meaning.Regex:
		return of.Method(c)
	case java.Opaque:
		return r.sentBy(of, c)
	case objectNode:
		return r.memberOfObject(of, c)
	case java.Array:
		if x, ok := meaning.OfList(of, c); ok {
			return x
		}
	case java.Number, java.Name, meaning.Map, java.Call, java.Field:
		return java.Opaque{What: "the method " + c.Name}
	}
	return java.Opaque{What: "the method " + c.Name}
}

// local is the method of the file that a call is of; nil where it is of none.
func (r *follower) local(c java.Call, class string) *java.Method {
	if class == "" {
		class = r.class
	} else if r.file.module.Outer[class] == "" && r.file.module.Find(class, c.Name, len(c.Args)) == nil {
		return nil
	} else if _, own := r.file.module.Outer[class]; !own {
		return nil
	}
	return r.file.module.Find(class, c.Name, len(c.Args))
}

// element is an element or a member of a value, in brackets.
func (r *follower) element(x, i java.Node) java.Node {
	switch x := x.(type) {
	case meaning.Value:
		get := java.Call{Name: "get", Args: []java.Argument{{X: i}}}
		if y, ok := r.memberOf(x, get); ok {
			return y
		}
		if r.file.kotlin {
			return meaning.OfValue(x, get)
		}
		if key := meaning.Of(i); expr.IsLiteral(key) {
			return meaning.Value{X: expr.Index{X: x.X, I: key}}
		}
	case java.Array:
		if n, ok := i.(java.Number); ok {
			for k, y := range x.Elems {
				if n.Text == expr.Int(k).(expr.Num).Text {
					return y
				}
			}
		}
	}
	return java.Opaque{What: "an element"}
}
