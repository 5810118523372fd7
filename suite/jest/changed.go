package jest

import (
	"slices"

	"github.com/flaketap/flaketap/suite/js"
)

// settled is a value that is declared outside of tests, as far as no other test can have changed it before this one.
func (r *follower) settled(name string, d declaration, v value) value {
	by := r.module.changed
	reassigned := by.Names[name] && !d.fixed
	if reassigned || by.Wholes[name] && (v.fields != nil || v.object != nil) {
		return unknown("a value that changes")
	}
	return r.unsettled(v, maxInlined)
}

// unsettled is a value without the members that the file, or that of the tests, gives other values.
func (r *follower) unsettled(v value, depth int) value {
	changes := func(key string) bool { return r.module.changed.Members[key] || r.file.module.changed.Members[key] }
	if v.object != nil && v.class == nil {
		r.unsettle(v.object)
	}
	if v.fields == nil || depth == 0 {
		return v
	}
	v.fields = slices.Clone(v.fields)
	for i, f := range v.fields {
		if changes(f.key) {
			v.fields[i].value, v.x = unknown("a value that changes"), nil
			continue
		}
		if inner := r.unsettled(f.value, depth-1); inner.fields != nil {
			v.fields[i].value = inner
			if inner.x == nil {
				v.x = nil
			}
		}
	}
	return v
}

// unsettle has the members of an object stand for nothing known that something else than its constructor gives a value.
func (r *follower) unsettle(o *object) {
	modules := []*module{r.module, r.file.module}
	for c, left := o.class, maxBases; c != nil && left > 0; left-- {
		modules = append(modules, c.module)
		c, _ = r.base(c)
	}
	for key := range o.fields {
		if slices.ContainsFunc(modules, func(m *module) bool { return m.changed.Members[key] }) {
			o.fields[key] = unknown("a value that changes")
		}
	}
}

// disturb forgets what functions may change that an expression hands on to others: these may run them, or not.
func (r *follower) disturb(n *js.Node) {
	_, name, _ := n.Method()
	for i, e := range n.Args {
		switch {
		case e.Form != js.NodeFunction:
			r.disturb(e)
		case n.Form == js.NodeCall && i > 0 && name != "then" && name != "catch" && name != "end":
			r.disturbed(e)
		}
	}
}

func (r *follower) disturbed(fn *js.Node) {
	by := js.ChangedBy(fn.Tokens, js.Block{From: fn.First, To: fn.Last})
	for _, t := range fn.Tokens[fn.First:fn.Last] {
		v, ok := r.held(t.Text)
		switch {
		case !ok || t.Kind != js.Word:
		case by.Names[t.Text], by.Wholes[t.Text] && v.client == nil:
			r.set(t.Text, unknown("a value that changes"))
		case v.object != nil && v.class == nil:
			r.unsettle(v.object)
		case v.fields != nil && len(by.Members) > 0:
			r.set(t.Text, v.without(by.Members))
		}
	}
}

// held is the value of a name that it has by now.
func (r *follower) held(name string) (value, bool) {
	for s := r.scope; s != nil; s = s.up {
		if v, ok := s.vars[name]; ok {
			return v, true
		}
	}
	return value{}, false
}

// fill gives a member of an object that is written out a value, however deep it lies; false where that is not known.
func (r *follower) fill(to *js.Node, v value) bool {
	var keys []string
	for to.Form == js.NodeMember || to.Form == js.NodeIndex {
		key := to.Text
		if to.Form == js.NodeIndex {
			if key = to.Args[1].Text; to.Args[1].Form != js.NodeString {
				return false
			}
		}
		keys, to = append(keys, key), to.Args[0]
	}
	if to.Form != js.NodeName || len(keys) > maxInlined {
		return false
	}
	if r.in.Condition || r.caught != nil {
		v = unknown("what is assigned under a condition")
	}
	slices.Reverse(keys)
	held, _ := r.held(to.Text)
	if held.client != nil && keys[0] == "defaults" { // what it sends with each request, of which headers are not all known
		made := *held.client
		made.lenient = made.lenient || slices.Contains(keys, "validateStatus")
		held.client = &made
		r.put(to.Text, held)
		return !slices.Contains(keys, "baseURL")
	}
	filled, ok := held.with(keys, v)
	if ok {
		r.put(to.Text, filled)
	}
	return ok
}

// with is an object that is written out with another value where some keys lead.
func (v value) with(keys []string, inner value) (value, bool) {
	if v.fields == nil || v.array || v.hasMembers() || v.answer != nil {
		return v, false
	}
	if len(keys) > 1 {
		of, _ := v.field(keys[0])
		var ok bool
		if inner, ok = of.with(keys[1:], inner); !ok {
			return v, false
		}
	}
	v.fields = slices.DeleteFunc(slices.Clone(v.fields), func(f field) bool { return f.key == keys[0] })
	v.fields = append(v.fields, field{keys[0], inner})
	v.x = v.meaning()
	return v, true
}

// without is an object of some members of which nothing is known.
func (v value) without(members map[string]bool) value {
	v.fields = slices.Clone(v.fields)
	for i, f := range v.fields {
		if members[f.key] {
			v.fields[i].value, v.x = unknown("a value that changes"), nil
		}
	}
	return v
}

// changes has what a method changes in its place stand for nothing known.
func (r *follower) changes(object *js.Node, name string, args []*js.Node) {
	switch {
	case js.ChangesArray(name):
	case object.Is("Object") && name == "assign" && len(args) > 0:
		object = args[0]
	default:
		return
	}
	v := r.object(object)
	if v.answer == nil && v.client == nil && !v.hasMembers() && (v.x != nil || v.fields != nil) {
		r.assign(object, unknown("a value that changes"))
	}
}
