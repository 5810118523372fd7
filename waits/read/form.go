package read

import (
	"slices"
	"strings"
	"time"
)

// form is a call that waits.
type form struct {
	arg    int // which argument is the time, from 0
	kind   Kind
	unit   time.Duration // of a plain number; 0: that of the language
	of     string        // the names of which one stands before the point, or where the chain begins; "-": none, "": any
	least  int           // how many arguments it has at least
	kindOf func([]token, frame) Kind
}

// fits reports whether a call is of the form.
func (f form) fits(c callee) bool {
	if f.of == "" {
		return true
	}
	of := c.of
	if of == "" {
		of = "-"
	}
	words := strings.Fields(f.of)
	return slices.Contains(words, of) || c.of != "" && slices.Contains(words, c.root)
}

// property is an argument with a name that waits.
type property struct {
	kind     Kind
	unit     time.Duration // as in form
	calls    string        // the beginnings of names of calls, of which one takes it; "": any
	anywhere bool          // outside of calls too
}

// fitsIn reports whether a call takes the property.
func (p property) fitsIn(c callee) bool {
	return p.calls == "" || slices.ContainsFunc(strings.Fields(p.calls), func(prefix string) bool {
		return strings.HasPrefix(c.name, prefix)
	})
}

// formsOf are the calls that wait, by language and name. A capability is one line in the table of its language.
var formsOf = map[Language]map[string][]form{
	JavaScript: javaScriptForms, Python: pythonForms, Java: jvmForms, Kotlin: jvmForms, Go: goForms,
}

// propertiesOf are the arguments with names that wait.
var propertiesOf = map[Language]map[string]property{
	JavaScript: javaScriptProperties, Python: pythonProperties, Java: jvmProperties, Kotlin: jvmProperties,
	Go: goProperties,
}

// sleeps and caps are forms of one argument, which are the most of them.
func sleeps(arg int) []form { return []form{{arg: arg, kind: Sleep}} }
func caps(arg int) []form   { return []form{{arg: arg, kind: Cap}} }

// interval is one too, and capIn one whose plain numbers are in a unit of its own.
func interval(arg int) []form                  { return []form{{arg: arg, kind: Interval}} }
func capIn(arg int, unit time.Duration) []form { return []form{{arg: arg, kind: Cap, unit: unit}} }
