package read

import (
	"path"
	"slices"
	"strings"
	"time"
)

// constants takes down the names that the text gives a number or a time, those that are made of others too.
func (w *walker) constants() {
	var objects []string // the names of the braces that are open
	class, depth := "", 0
	for i, t := range w.tokens {
		switch {
		case t.kind == mark && t.text == "{":
			if depth++; depth <= maxNest {
				objects = append(objects, w.named(i, objects))
			}
		case t.kind == mark && t.text == "}":
			if depth--; depth < len(objects) {
				objects = objects[:max(0, depth)]
			}
			depth = max(0, depth)
		case t.kind == name && t.text == "class" && w.file.Language == Python && i+1 < len(w.tokens):
			class = w.tokens[i+1].text
		case t.kind == name && i+2 < len(w.tokens) && len(w.file.Constants) < maxConstants:
			c, ok := w.constant(i, w.fragment || len(objects) > 0 && objects[len(objects)-1] != "")
			if !ok {
				continue
			}
			if w.file.Language == Python && t.col > 0 && class != "" {
				c.Name = class + "." + c.Name
			} else {
				c.Name = within(objects, c.Name)
			}
			if len(c.Name) <= 4*maxWord {
				w.file.hold(c)
			}
		}
	}
}

// named is the name of the object, class or enum whose brace opens; "" for a block.
func (w *walker) named(i int, objects []string) string {
	for j := i - 1; j >= max(0, i-8); j-- {
		switch before := w.tokens[j]; {
		case before.text == ")" || before.text == ";" || before.text == "}" || before.text == ",":
			return ""
		case before.text == "=" && j > 0 && w.tokens[j-1].kind == name:
			return w.tokens[j-1].text
		case before.text == ":" && j == i-1 && j > 0 && len(objects) > 0 && objects[len(objects)-1] != "":
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
func within(objects []string, name string) string {
	named := slices.DeleteFunc(slices.Clone(objects), func(s string) bool { return s == "" })
	return strings.Join(append(named, name), ".")
}

// constant reads the name at a place, where a number or a time is put into it.
func (w *walker) constant(i int, inObject bool) (c Constant, ok bool) {
	sign := i + 1
	if w.tokens[sign].text == ":" && i+4 < len(w.tokens) && w.tokens[i+3].text == "=" {
		sign = i + 3 // val settle: Long = 500
	}
	s := w.tokens[sign]
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
		differ := n < len(want) && n < len(have) // both say more, and not the same
		if of := want[max(0, len(want)-2)]; differ && of != "this" && of != "self" && of != "cls" && of != stem(f.Name) {
			continue
		}
		if n >= most {
			found, most = &f.Constants[i], n
		}
	}
	return found
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
