package suite

import (
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
)

// jsDialect is what the suites written in JavaScript differ in: how an answer is named, and how assertions are made.
type jsDialect struct {
	// part is the source of the status, the text or the JSON of the answer that a variable holds. It is false where that
	// answer cannot be come to.
	part func(name string, what expr.Part) (string, bool)
	// header is the source of a header's value, undefined where there is none.
	header func(name, key string) (string, bool)
	// name is the source of a variable that is no answer; nil where it is its name.
	name func(id string) string
	// say is a statement of the assertion library about l, without its semicolon; see the verbs.
	say func(v jsVerb, l, r string) string
}

// jsVerb is what is asserted of a value l.
type jsVerb uint8

const (
	saysEqual      jsVerb = iota // it is the scalar r
	saysDeepEqual                // it has the members of r
	saysDiffers                  // it is not the scalar r
	saysDeepDiffer               // it has not the members of r
	saysOneOf                    // it is an element of the array r
	saysContains                 // text or array, it holds r
	saysLacks                    // it does not
	saysMatches                  // it is a text that the regular expression r matches
	saysLess                     // it is a number below r; and so on
	saysAtMost
	saysGreater
	saysAtLeast
	saysDefined   // it is there
	saysUndefined // it is not
	saysProperty  // it is an object with a member r
	saysType      // typeof says r of it, or it is an "array"
	saysFilled    // it is a text, and not an empty one
	saysTrue      // l is a condition, and true
)

// jsWriter writes expressions as JavaScript.
type jsWriter struct {
	jsDialect
	present bool        // the assertion asks for members by their names
	sized   []expr.Expr // objects whose members are counted
	failed  bool        // something could not be written
}

// newJSWriter makes the writer for what stands in the place of an assertion.
func newJSWriter(d jsDialect, a *Assertion) *jsWriter {
	w := &jsWriter{jsDialect: d}
	if a != nil {
		w.present = a.Relation == "present"
		w.note(a.x)
	}
	return w
}

// note notes what an assertion counts the members of.
func (w *jsWriter) note(x expr.Expr) {
	switch x := x.(type) {
	case expr.Len:
		w.sized = append(w.sized, x.X)
	case expr.Compare:
		w.note(x.X)
	case expr.Between:
		w.note(x.Low)
	case expr.And:
		for _, e := range x.Xs {
			w.note(e)
		}
	case expr.Or:
		for _, e := range x.Xs {
			w.note(e)
		}
	}
}

func (w *jsWriter) fail() string {
	w.failed = true
	return ""
}

var jsIdentifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// value writes an expression as an operand.
func (w *jsWriter) value(x expr.Expr) string {
	switch x := x.(type) {
	case expr.Str:
		return literal.JavaScript(x.Value)
	case expr.Num:
		return x.Text
	case expr.Bool:
		if x.Value {
			return "true"
		}
		return "false"
	case expr.Null:
		return "null"
	case expr.Inf:
		if x.Negative {
			return "-Infinity"
		}
		return "Infinity"
	case expr.Name:
		if w.name != nil {
			return w.name(x.ID)
		}
		return x.ID
	case expr.Answer:
		text, ok := w.part(x.Var, x.Part)
		if !ok {
			return w.fail()
		}
		return text
	case expr.Index:
		return w.index(x)
	case expr.Get:
		return w.value(expr.Index{X: x.X, I: x.Key})
	case expr.Neg:
		return "-" + w.value(x.X)
	case expr.Arith:
		if x.Op == expr.Add {
			return "(" + w.sum(x) + ")"
		}
		return w.fail()
	case expr.List:
		return "[" + w.values(x.Elems) + "]"
	case expr.Set:
		return "[" + w.values(x.Elems) + "]"
	case expr.Object:
		return w.object(x)
	case expr.Each:
		list := w.value(x.List)
		if x.Cond != nil {
			list += ".filter(" + x.Var + " => " + w.cond(x.Cond, anyLevel) + ")"
		}
		return list + ".map(" + x.Var + " => " + w.value(x.Elem) + ")"
	case expr.Len:
		if slices.ContainsFunc(w.sized, func(e expr.Expr) bool { return expr.Identical(e, x.X) }) {
			return "Object.keys(" + w.value(x.X) + ").length"
		}
		return w.value(x.X) + ".length"
	case expr.Length:
		return w.value(x.X) + ".length"
	case expr.ToText:
		return "String(" + w.value(x.X) + ")"
	}
	return "(" + w.cond(x, anyLevel) + ")"
}

func (w *jsWriter) values(xs []expr.Expr) string {
	out := make([]string, len(xs))
	for i, x := range xs {
		out[i] = w.value(x)
	}
	return strings.Join(out, ", ")
}

func (w *jsWriter) sum(x expr.Expr) string {
	if b, ok := x.(expr.Arith); ok && b.Op == expr.Add {
		return w.sum(b.X) + " + " + w.sum(b.Y)
	}
	return w.value(x)
}

func (w *jsWriter) object(x expr.Object) string {
	members := make([]string, len(x.Keys))
	for i, k := range x.Keys {
		members[i] = literal.JavaScript(k) + ": " + w.value(x.Values[i])
	}
	return "{" + strings.Join(members, ", ") + "}"
}

func (w *jsWriter) index(x expr.Index) string {
	if key, name, ok := expr.HeaderOf(x); ok {
		if text, ok := w.header(name, key); ok {
			return text
		}
		return w.fail()
	}
	switch i := x.I.(type) {
	case expr.Str:
		return w.value(x.X) + jsKey(i.Value)
	case expr.Num:
		if strings.Trim(i.Text, "0123456789") == "" {
			return w.value(x.X) + "[" + i.Text + "]"
		}
	}
	return w.fail()
}

// jsKey writes the step to a member of an object.
func jsKey(key string) string {
	if jsIdentifier.MatchString(key) {
		return "." + key
	}
	return "[" + literal.JavaScript(key) + "]"
}
