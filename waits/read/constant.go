package read

import (
	"path"
	"slices"
	"strings"
	"time"
)

// constants takes down the names that the text gives a number or a time, those that are made of others too.
func (w *walker) constants() {
	var open []scope
	class := ""
	for i, t := range w.tokens {
		switch {
		case t.kind == mark && (t.text == "{" || t.text == "("):
			if len(open) < maxNest {
				open = append(open, w.scope(i, open))
			}
		case t.kind == mark && (t.text == "}" || t.text == ")"):
			open = open[:max(0, len(open)-1)]
		case t.kind == name && t.text == "class" && w.file.Language == Python && i+1 < len(w.tokens):
			class = w.tokens[i+1].text
		case t.kind == name && i+2 < len(w.tokens) && len(w.file.Constants) < maxConstants:
			inner := scope{}
			if len(open) > 0 {
				inner = open[len(open)-1]
			}
			c, ok := w.constant(i, w.fragment || inner.name != "")
			if !ok || inner.call {
				continue
			}
			if w.file.Language == Python && t.col > 0 && class != "" {
				c.Name = class + "." + c.Name
			} else {
				c.Name = within(open, c.Name)
			}
			if len(c.Name) <= 4*maxWord {
				w.file.hold(c)
			}
		}
	}
}

// scope is a bracket that is open, in which names are given values.
type scope struct {
	name string // of the object, class or enum that it is
	call bool   // it holds arguments, whose names are none of the file's
}

// scope tells what a bracket is that opens.
func (w *walker) scope(i int, open []scope) scope {
	if w.tokens[i].text == "{" {
		return scope{name: w.named(i, open)}
	}
	group := i > 0 && (w.tokens[i-1].text == "const" || w.tokens[i-1].text == "var")
	return scope{call: !group}
}

// named is the name of the object, class or enum whose brace opens; "" for a block.
func (w *walker) named(i int, open []scope) string {
	for j := i - 1; j >= max(0, i-8); j-- {
		switch before := w.tokens[j]; {
		case before.text == ")" || before.text == ";" || before.text == "}" || before.text == ",":
			return ""
		case before.text == "=" && j > 0 && w.tokens[j-1].kind == name:
			return w.tokens[j-1].text
		case before.text == ":" && j == i-1 && j > 0 && len(open) > 0 && open[len(open)-1].name != "":
			return w.tokens[j-1].text
		case before.text == "class" || before.text == "enum" || before.text == "interface" || before.text == "object":
			return w.tokens[min(j+1, i-1)].text
		case before.text == "default": // export default {
			return "default"
		}
	}
	return ""
}

// within is a name with those of the objects around.
func within(open []scope, name string) string {
	var names []string
	for _, s := range open {
		if s.name != "" {
			names = append(names, s.name)
		}
	}
	return strings.Join(append(names, name), ".")
}

// constant reads the name at a place, where a number or a time is put into it.
func (w *walker) constant(i int, inObject bool) (c Constant, ok bool) {
	sign := i + 1
	if w.tokens[sign].text == ":" && i+4 < len(w.tokens) && w.tokens[i+3].text == "=" {
		sign = i + 3 // val settle: Long = 500
	}
	s := w.tokens[sign]
	if i > 0 && w.tokens[i-1].text == ":" && w.tokens[i-1].line == s.line && s.text == "=" { // a type
		return c, false
	}
	if s.kind != mark || s.text != "=" && (s.text != ":" || !inObject) && (s.text != ":=" || w.file.Language != Go) {
		return c, false
	}
	from := sign + 1
	names := false
	lookup := func(n string) (value, bool) {
		names = true
		return w.file.lookup(n)
	}
	e := &evaluator{tokens: w.tokens[from:min(len(w.tokens), from+maxExpression)], lookup: lookup}
	v, ok := e.either()
	if !ok || from+e.at < len(w.tokens) && !w.endsAt(from+e.at) {
		return c, false
	}
	c = Constant{Name: w.tokens[i].text, Line: w.tokens[i].line, Number: v.n}
	if v.time {
		c.Number = 0
		c.Time, ok = v.as(0)
	}
	return c, ok && (!names || timely(c.Name))
}

// sameName bounds how many constants of one name are told apart.
const sameName = 16

// hold takes a constant in.
func (f *File) hold(c Constant) {
	if f.byName == nil {
		f.byName = map[string][]int{}
	}
	last := c.Name[strings.LastIndexByte(c.Name, '.')+1:]
	if len(f.byName[last]) < sameName {
		f.byName[last] = append(f.byName[last], len(f.Constants))
		f.Constants = append(f.Constants, c)
	}
}

// endsAt reports whether an expression may end before a token.
func (w *walker) endsAt(i int) bool {
	t := w.tokens[i]
	return t.line > w.tokens[i-1].line || t.text == "as" || strings.Contains(";,)}]", t.text) && t.kind == mark
}

// lookup finds a name among the file's own constants.
func (f *File) lookup(ref string) (value, bool) {
	c := f.constant(ref)
	if c == nil {
		return value{}, false
	}
	return c.value(), true
}

func (c Constant) value() value {
	if c.Time > 0 {
		return value{float64(c.Time), true}
	}
	return value{n: c.Number}
}

// constant is the one that a name with points means among those of the file: the one of which the most names agree, and
// of equals the last. Nil where there is none.
func (f *File) constant(ref string) *Constant {
	want := strings.Split(ref, ".")
	found, most := (*Constant)(nil), 0
	for _, i := range f.byName[want[len(want)-1]] {
		have := strings.Split(f.Constants[i].Name, ".")
		n := 0
		for n < len(want) && n < len(have) && want[len(want)-1-n] == have[len(have)-1-n] {
			n++
		}
		if n < len(want) && (n == 1 || n < len(have)) && !f.isCalled(want[len(want)-1-n], want[len(want)-1], n < len(have)) {
			continue
		}
		if n >= most {
			found, most = &f.Constants[i], n
		}
	}
	return found
}

// isCalled reports whether a name before the point may stand for the file, or for the class in which its names are.
// What is written like a constant may have any name before it, unless its own is another.
func (f *File) isCalled(of, last string, another bool) bool {
	return of == "this" || of == "self" || of == "cls" || strings.EqualFold(of, stem(f.Name)) || !another && likeConstant(last)
}

func stem(name string) string {
	base := path.Base(name)
	return strings.TrimSuffix(base, path.Ext(base))
}

// timelyWords are parts of names of times.
var timelyWords = wordSet("wait waits timeout timeouts delay sleep pause duration settle patience limit deadline " +
	"ms millis milliseconds sec secs seconds minute minutes time times interval debounce grace slow long short quick fast medium")

// timely reports whether a name sounds like that of a time.
func timely(full string) bool {
	return slices.ContainsFunc(parts(full), func(p string) bool { return timelyWords[p] })
}

// Timely reports whether the name of a constant sounds like that of a time.
func (c Constant) Timely() bool { return c.Time > 0 || timely(c.Name) }

// unitNames end the names of numbers in a unit.
var unitNames = map[string]time.Duration{"ms": time.Millisecond, "millis": time.Millisecond,
	"milliseconds": time.Millisecond, "sec": time.Second, "secs": time.Second, "seconds": time.Second}
