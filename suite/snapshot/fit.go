package snapshot

import (
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
)

// Says is what a snapshot asserts of a value, in the strongest parts that are true or false by themselves; false where
// the value is put together of others than are stored.
func Says(x expr.Expr, n *Node) (says []expr.Expr, ok bool) {
	built, values := parts(x)
	if built {
		if len(values) != len(n.Kids) {
			return nil, false
		}
		for i, kid := range n.Kids {
			value, has := values[n.Step(i)]
			if stored, ok := kid.Literal(); has && ok && expr.Identical(stored, value) {
				continue // a constant of the test
			}
			inner, ok := Says(value, kid)
			if !has || !ok || !expr.FromAnswer(value) {
				return nil, false
			}
			says = append(says, inner...)
		}
		return says, len(says) > 0
	}
	if whole, ok := n.Literal(); ok {
		return []expr.Expr{expr.Same(x, whole)}, true
	}
	switch n.Kind {
	case Matcher:
		if n.Means == nil {
			return nil, true
		}
		return []expr.Expr{n.Means(x)}, true
	case Object:
		if !n.Open {
			says = append(says, expr.Cmp(expr.Len{X: x}, expr.Eq, expr.Int(len(n.Kids))))
		}
	case List:
		says = append(says, expr.Cmp(expr.Length{X: x}, expr.Eq, expr.Int(len(n.Kids))))
	}
	for i, kid := range n.Kids {
		inner, _ := Says(expr.Index{X: x, I: n.Step(i)}, kid)
		says = append(says, inner...)
	}
	return says, true
}

// parts takes a value apart that a test puts together of answers; false where it is one as it stands.
func parts(x expr.Expr) (built bool, values map[expr.Expr]expr.Expr) {
	values = map[expr.Expr]expr.Expr{}
	switch all := x.(type) {
	case expr.Object:
		for i, key := range all.Keys {
			values[expr.Str{Value: key}] = all.Values[i]
		}
	case expr.List:
		for i, elem := range all.Elems {
			values[expr.Int(i)] = elem
		}
	default:
		return false, nil
	}
	return expr.FromAnswer(x), values
}

// Fit is how a snapshot comes to say what is given.
type Fit struct {
	Said map[*Node][]expr.Expr // of values that are not stored as they are any more
	Left []*Node               // members that are left out
	More []expr.Expr           // of members that were left out before
}

// Form is what one tool's snapshots can say.
type Form struct {
	// Can reports whether it can be said of a value that it is as statements say
	Can func(n *Node, says []expr.Expr) bool
	// Leaves is that members can be left out
	Leaves bool
}

// Fit finds how the snapshot of a value says x, which is about the value as a whole or about one part of it; false
// where the form has no way to.
func (f Form) Fit(value expr.Expr, root *Node, x expr.Expr) (Fit, bool) {
	w := &fitting{form: f, said: map[*Node][]expr.Expr{}, whole: map[*Node]bool{}, up: map[*Node]*Node{},
		roots: map[*Node]expr.Expr{}, sized: map[*Node]bool{}, some: map[*Node]bool{},
		out: Fit{Said: map[*Node][]expr.Expr{}}}
	w.place(value, root, nil)
	all := []expr.Expr{x}
	if and, ok := x.(expr.And); ok {
		all = and.Xs
	}
	for _, one := range all {
		if !w.statement(one) {
			return Fit{}, false
		}
	}
	if w.about == nil {
		return w.out, len(w.out.More) == len(all)
	}
	return w.out, w.covers(w.about) || w.leaves(w.about)
}

// leaves leaves a member out of which a snapshot cannot say what is given, and reports whether that can be.
func (w *fitting) leaves(n *Node) bool {
	up := w.up[n]
	says, stated := w.out.Said[n]
	if !w.form.Leaves || up == nil || up.Kind != Object || w.roots[n] != nil || len(n.Kids) > 0 && !stated {
		return false
	}
	delete(w.out.Said, n)
	w.out.Left, w.out.More = append(w.out.Left, n), append(w.out.More, says...)
	return true
}

// fitting is the work on one [Fit].
type fitting struct {
	form  Form
	roots map[*Node]expr.Expr // what is stored of values as they stand
	up    map[*Node]*Node
	said  map[*Node][]expr.Expr
	whole map[*Node]bool // those that stay as they are stored
	sized map[*Node]bool // how many members or elements these have is said
	some  map[*Node]bool // of these some elements are said to be there
	about *Node          // what all statements are within
	out   Fit
}

// place notes which values the parts of a snapshot hold.
func (w *fitting) place(x expr.Expr, n, up *Node) {
	w.up[n] = up
	built, values := parts(x)
	if !built && !expr.FromAnswer(x) {
		w.whole[n] = true // a constant of the test
		return
	}
	if !built {
		w.roots[n] = x
		n.Walk(func(n *Node) {
			for _, kid := range n.Kids {
				w.up[kid] = n
			}
		})
		return
	}
	w.sized[n] = true
	for i, kid := range n.Kids {
		w.place(values[n.Step(i)], kid, n)
	}
}

// node is where a value is stored; nil where it is not.
func (w *fitting) node(x expr.Expr) *Node {
	for n, root := range w.roots {
		if expr.Identical(root, x) {
			return n
		}
	}
	if i, ok := x.(expr.Index); ok {
		if up := w.node(i.X); up != nil {
			return up.Kid(i.I)
		}
	}
	return nil
}

// within notes that a statement is about a value.
func (w *fitting) within(n *Node) {
	if w.about == nil {
		w.about = n
		return
	}
	above := map[*Node]bool{}
	for up := w.about; up != nil; up = w.up[up] {
		above[up] = true
	}
	for !above[n] {
		n = w.up[n]
	}
	w.about = n
}

// statement takes in one statement.
func (w *fitting) statement(x expr.Expr) bool {
	if c, ok := x.(expr.Compare); ok {
		if counted := expr.Counted(c.X); counted != nil {
			n := w.node(counted)
			if n == nil || c.Op != expr.Eq || !expr.Identical(c.Y, expr.Int(len(n.Kids))) || n.Kind == Matcher {
				return false
			}
			w.sized[n] = true
			w.within(n)
			return true
		}
		if n := w.node(c.Y); n != nil && c.Op == expr.In && expr.IsLiteral(c.X) {
			w.some[n] = true
			return w.note(n, x)
		}
	}
	subject := Subject(x)
	if subject == nil {
		return false
	}
	n := w.node(subject)
	if n == nil {
		w.out.More = append(w.out.More, x)
		return w.leftOut(subject) || w.foreign(subject)
	}
	if literal, ok := n.Literal(); ok && expr.Identical(x, expr.Same(subject, literal)) {
		w.whole[n] = true
		w.within(n)
		return true
	}
	return w.note(n, x)
}

func (w *fitting) note(n *Node, x expr.Expr) bool {
	w.said[n] = append(w.said[n], x)
	w.within(n)
	return true
}

// leftOut reports whether a value is a member that a snapshot leaves out.
func (w *fitting) leftOut(x expr.Expr) bool {
	i, ok := x.(expr.Index)
	if !ok {
		return false
	}
	up := w.node(i.X)
	return up != nil && up.Open
}

// foreign reports whether a value is none of the snapshot's.
func (w *fitting) foreign(x expr.Expr) bool {
	for {
		i, ok := x.(expr.Index)
		if w.node(x) != nil || !ok {
			return w.node(x) == nil
		}
		x = i.X
	}
}

// Subject is the value that a statement is about, whatever it says of it; nil where it is about several.
func Subject(x expr.Expr) expr.Expr {
	switch x := x.(type) {
	case expr.Or:
		subject := Subject(x.Xs[0])
		for _, one := range x.Xs[1:] {
			if !expr.Identical(Subject(one), subject) {
				return nil
			}
		}
		return subject
	case expr.And:
		return Subject(expr.Or(x))
	case expr.Not:
		return Subject(x.X)
	case expr.SameItems:
		return x.X
	case expr.Compare:
		if !expr.FromAnswer(x.Y) {
			return x.X
		}
	}
	subject, values := expr.Admitted(x)
	if values == nil {
		return nil
	}
	return subject
}

// covers reports whether all of a value is spoken of in a way that a snapshot can.
func (w *fitting) covers(n *Node) bool {
	says := w.said[n]
	switch {
	case w.whole[n]: // more may be said of it besides
		w.out.More = append(w.out.More, says...)
		return len(says) == 0 || w.form.Leaves
	case len(says) > 0:
		if slices.ContainsFunc(n.Kids, w.speaks) {
			return false
		}
		if n.Kind == Matcher && n.Means != nil && w.keeps(n, says) {
			return true
		}
		w.out.Said[n] = says
		return w.form.Can(n, says)
	case n.Kind == Matcher:
		return n.Means == nil
	case n.Kind == Scalar || !w.sized[n] && !n.Open:
		return false
	}
	for _, kid := range n.Kids {
		if !w.covers(kid) && !w.leaves(kid) {
			return false
		}
	}
	return true
}

// speaks reports whether anything is said of a value, or of what is within it.
func (w *fitting) speaks(n *Node) bool {
	return len(w.said[n]) > 0 || w.whole[n] || w.sized[n] || slices.ContainsFunc(n.Kids, w.speaks)
}

// keeps reports whether statements say of a value what a matcher in its place does, and no more.
func (w *fitting) keeps(n *Node, says []expr.Expr) bool {
	subject := Subject(says[0])
	if w.some[n] {
		subject = says[0].(expr.Compare).Y
	}
	if subject == nil {
		return false
	}
	return expr.Identical(n.Means(subject), expr.AllOf(says...))
}
