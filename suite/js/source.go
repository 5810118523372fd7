package js

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// Words is what the suites written in JavaScript differ in: how an answer is named, and how assertions are made.
type Words struct {
	// Own is the source of a value that has a name of its own; nil where none has.
	Own func(x expr.Expr) (string, bool)
	// Part is the source of the status, the text or the JSON of the answer that a variable holds. It is false where
	// that answer cannot be come to.
	Part func(name string, what expr.Part) (string, bool)
	// Header is the source of a header's value, undefined where there is none.
	Header func(name, key string) (string, bool)
	// Name is the source of a variable that is no answer; nil where it is its name.
	Name func(id string) string
	// Say is a statement of the assertion library about l, without its semicolon; see the verbs. It is "" where the
	// library has none.
	Say func(v Verb, l, r string) string
}

// Verb is what is asserted of a value l.
type Verb uint8

const (
	SaysEqual        Verb = iota // it is the scalar r
	SaysDeepEqual                // it has the members of r
	SaysDiffers                  // it is not the scalar r
	SaysDeepDiffer               // it has not the members of r
	SaysOneOf                    // it is an element of the array r
	SaysContains                 // text or array, it holds r
	SaysDeepContains             // it is an array with an element that has the members of r
	SaysLacks                    // it does not hold r
	SaysMatches                  // it is a text that the regular expression r matches
	SaysLess                     // it is a number below r; and so on
	SaysAtMost
	SaysGreater
	SaysAtLeast
	SaysDefined   // it is there
	SaysUndefined // it is not
	SaysProperty  // it is an object with a member r
	SaysType      // typeof says r of it, or it is an "array"
	SaysFilled    // it is a text, and not an empty one
	SaysItems     // it is an array with the scalars of the array r, in any order
	SaysDeepItems // it is an array with the elements of the array r, in any order
	SaysAll       // it is an array with each element of the array r among its own
	saysTrue      // l is a condition, and true
)

// Writer writes expressions as JavaScript.
type Writer struct {
	Words
	present bool        // the assertion asks for members by their names
	sized   []expr.Expr // objects whose members are counted
	Failed  bool        // something could not be written
}

// NewWriter makes the writer for what stands in the place of an assertion.
func NewWriter(d Words, a *script.Assertion) *Writer {
	w := &Writer{Words: d}
	if a != nil {
		w.present = a.Relation == "present"
		w.note(a.Meaning)
	}
	return w
}

// Counts notes that lengths in an expression may be those of objects.
func (w *Writer) Counts(x expr.Expr) { w.note(x) }

// note notes what an assertion counts the members of.
func (w *Writer) note(x expr.Expr) {
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

func (w *Writer) fail() string {
	w.Failed = true
	return ""
}

var Identifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// Value writes an expression as an operand.
func (w *Writer) Value(x expr.Expr) string {
	if w.Own != nil {
		if text, ok := w.Own(x); ok {
			return text
		}
	}
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
		if w.Name != nil {
			return w.Name(x.ID)
		}
		return x.ID
	case expr.Answer:
		text, ok := w.Part(x.Var, x.Part)
		if !ok {
			return w.fail()
		}
		return text
	case expr.Index:
		if first, ok := w.first(x); ok {
			return first
		}
		return w.index(x)
	case expr.Get:
		return w.Value(expr.Index{X: x.X, I: x.Key})
	case expr.Neg:
		return "-" + w.Value(x.X)
	case expr.Arith:
		switch x.Op {
		case expr.Add:
			return "(" + w.sum(x) + ")"
		case expr.Subtract:
			return w.Value(x.X) + " - " + w.Value(x.Y)
		}
		return w.fail()
	case expr.TokenPart:
		return `JSON.parse(Buffer.from(` + w.Value(x.X) + `.split(".")[` + strconv.Itoa(x.Nth) +
			`], "base64").toString())`
	}
	return w.operation(x)
}

// operation writes what is made of other values as an operand.
func (w *Writer) operation(x expr.Expr) string {
	switch x := x.(type) {
	case expr.List:
		return "[" + w.values(x.Elems) + "]"
	case expr.Set:
		return "[" + w.values(x.Elems) + "]"
	case expr.Object:
		return w.object(x)
	case expr.Each:
		list := w.Value(x.List)
		if x.Cond != nil {
			list += ".filter(" + x.Var + " => " + w.Cond(x.Cond, AnyLevel) + ")"
			if expr.Identical(x.Elem, expr.Name{ID: x.Var}) {
				return list
			}
		}
		return list + ".map(" + x.Var + " => " + w.Value(x.Elem) + ")"
	case expr.Len:
		if slices.ContainsFunc(w.sized, func(e expr.Expr) bool { return expr.Identical(e, x.X) }) {
			return "Object.keys(" + w.Value(x.X) + ").length"
		}
		return w.Value(x.X) + ".length"
	case expr.Length:
		return w.Value(x.X) + ".length"
	case expr.Total:
		if each, ok := x.X.(expr.Each); ok && each.Cond == nil && each.Var != "sum" {
			return w.Value(each.List) + ".reduce((sum, " + each.Var + ") => sum + " + w.Value(each.Elem) + ", 0)"
		}
		return w.Value(x.X) + ".reduce((sum, n) => sum + n, 0)"
	case expr.Slice:
		from := "0"
		if x.From != nil {
			from = w.Value(x.From)
		}
		if x.To != nil {
			from += ", " + w.Value(x.To)
		}
		return w.Value(x.X) + ".slice(" + from + ")"
	case expr.ToText:
		return "String(" + w.Value(x.X) + ")"
	}
	return "(" + w.Cond(x, AnyLevel) + ")"
}

func (w *Writer) values(xs []expr.Expr) string {
	out := make([]string, len(xs))
	for i, x := range xs {
		out[i] = w.Value(x)
	}
	return strings.Join(out, ", ")
}

func (w *Writer) sum(x expr.Expr) string {
	if b, ok := x.(expr.Arith); ok && b.Op == expr.Add {
		return w.sum(b.X) + " + " + w.sum(b.Y)
	}
	return w.Value(x)
}

func (w *Writer) object(x expr.Object) string {
	members := make([]string, len(x.Keys))
	for i, k := range x.Keys {
		members[i] = literal.JavaScript(k) + ": " + w.Value(x.Values[i])
	}
	return "{" + strings.Join(members, ", ") + "}"
}

func (w *Writer) index(x expr.Index) string {
	if key, name, ok := expr.HeaderOf(x); ok {
		if text, ok := w.Header(name, key); ok {
			return text
		}
		return w.fail()
	}
	switch i := x.I.(type) {
	case expr.Str:
		return w.Value(x.X) + memberStep(i.Value)
	case expr.Num:
		if strings.Trim(i.Text, "0123456789") == "" {
			return w.Value(x.X) + "[" + i.Text + "]"
		}
	}
	return w.fail()
}

// memberStep writes the step to a member of an object.
func memberStep(key string) string {
	if Identifier.MatchString(key) {
		return "." + key
	}
	return "[" + literal.JavaScript(key) + "]"
}

// Steps writes the way to a value within one.
func Steps(steps []expr.Expr) string {
	var b strings.Builder
	for _, step := range steps {
		switch step := step.(type) {
		case expr.Num:
			b.WriteString("[" + step.Text + "]")
		case expr.Str:
			b.WriteString(memberStep(step.Value))
		}
	}
	return b.String()
}
