package read

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// walker goes once through the tokens of a text, with the brackets that are open, and takes down what waits.
type walker struct {
	file     *File
	tokens   []token
	fragment bool // a line by itself: what is open at its end is closed there
	open     []frame
	root     string // where the chain of calls begins of which the last bracket that closed was one
	tests    []header
	params   []parameter // in the order of the text
}

// frame is an open bracket, with what stands in it so far.
type frame struct {
	bracket string
	callee  callee // of a call, or of a literal that has a type; none otherwise
	args    [][2]int
	from    int  // where the argument begins that is read
	first   int  // the first token of the call
	block   bool // the body of a function
}

// callee is what is called: page.waitForTimeout.
type callee struct {
	name string
	of   string // the name before the point; ")" where that is a call, "" where there is none
	root string // where the chain of calls begins
}

// String is the call as people speak of it.
func (c callee) String() string {
	if c.of == "" || c.of == ")" {
		return c.name
	}
	return c.of + "." + c.name
}

// header is where a test or a function begins.
type header struct {
	name     string
	from, to int // lines; to is 0 where it ends with the next one
}

func (w *walker) walk() {
	w.open = []frame{{}}
	for i, t := range w.tokens {
		if t.kind == name {
			w.declares(i)
			w.infixed(i)
		}
		if t.kind != mark {
			continue
		}
		switch t.text {
		case "(", "[", "{":
			if len(w.open) < maxNest {
				c, first := w.calleeBefore(i)
				w.open = append(w.open, frame{bracket: t.text, callee: c, from: i + 1, first: first,
					block: i > 0 && (w.tokens[i-1].text == ")" || w.tokens[i-1].text == "=>")})
			}
		case ",":
			w.end(i)
			w.top().from = i + 1
		case ";":
			if len(w.open) > 1 && w.top().bracket == "{" || len(w.open) == 1 {
				w.top().from, w.top().args = i+1, nil
			}
		case ")", "]", "}":
			w.close(i, t.text)
		}
	}
	if w.fragment {
		for len(w.open) > 0 {
			w.end(len(w.tokens))
			w.finish(len(w.tokens))
		}
	}
	w.titles()
}

func (w *walker) top() *frame { return &w.open[len(w.open)-1] }

// end ends the argument that is read.
func (w *walker) end(i int) {
	f := w.top()
	if i > f.from && len(f.args) < 16 {
		f.args = append(f.args, [2]int{f.from, i})
	}
}

// close ends the innermost bracket. One that never began is of a call whose beginning is not there: such a line holds
// the last argument.
func (w *walker) close(i int, bracket string) {
	w.end(i)
	if len(w.open) == 1 {
		if w.fragment && bracket == ")" {
			w.tail()
		}
		w.open[0] = frame{from: i + 1}
		return
	}
	w.root = w.top().callee.root
	w.finish(i)
}

// finish takes down what the innermost bracket holds, and leaves it.
func (w *walker) finish(i int) {
	f := w.open[len(w.open)-1]
	w.open = w.open[:len(w.open)-1]
	if f.bracket == "(" && f.callee.name != "" {
		w.call(f, i)
	}
	if f.bracket != "[" {
		for _, arg := range f.args {
			w.property(f, arg)
		}
	}
}

// calleeBefore reads what stands before a bracket that opens, and where that begins.
func (w *walker) calleeBefore(i int) (callee, int) {
	if i == 0 || w.tokens[i-1].kind != name || keywordCall[w.tokens[i-1].text] ||
		w.file.Language == JavaScript && beforeValue[w.tokens[i-1].text] {
		return callee{}, i
	}
	c, first := callee{name: w.tokens[i-1].text}, i-1
	if of, ok := w.file.aliases[c.name]; ok && (i < 2 || w.tokens[i-2].text != ".") {
		c.name = of
	}
	c.root = c.name
	for first >= 2 && (w.tokens[first-1].text == "." || w.tokens[first-1].text == "?.") && w.tokens[first-1].kind == mark {
		before := w.tokens[first-2]
		if c.of == "" {
			c.of = before.text
		}
		first -= 2
		if before.kind != name {
			if c.root = ""; before.text == ")" && before.kind == mark {
				c.root = w.root // nothing has closed since
			}
			if c.of != ")" {
				c.of = ")" // of a text, an element
			}
			break
		}
		c.root = before.text
	}
	return c, first
}

// keywordCall are names behind which a bracket is no call.
var keywordCall = wordSet("if while for switch catch when elif assert function with")

// call takes down the waits of a call that is complete, of whose forms the first that has a time counts for each
// argument.
func (w *walker) call(f frame, end int) {
	w.title(f, end)
	taken := map[int]bool{}
	for _, form := range formsOf[w.file.Language][f.callee.name] {
		if taken[form.arg] || form.arg >= len(f.args) || len(f.args) < form.least || !form.fits(f.callee) {
			continue
		}
		arg := f.args[form.arg]
		k := form.kind
		if form.kindOf != nil {
			k = form.kindOf(w.tokens, f)
		}
		unit := form.unit
		if unit == 0 {
			unit = w.file.Language.unit()
		}
		named, at := w.unitAmong(f)
		if named > 0 {
			unit = named
		}
		one := Wait{Kind: k, Form: f.callee.String(), From: w.tokens[f.first].line, unit: unit, UnitAt: at}
		taken[form.arg] = w.add(one, arg)
	}
}

// unitAmong is a unit that an argument of the JVM's calls names, and where: atMost(5, SECONDS).
func (w *walker) unitAmong(f frame) (time.Duration, Span) {
	if w.file.Language != Java && w.file.Language != Kotlin {
		return 0, Span{}
	}
	if parent := f.callee.of; unitOf(parent) > 0 { // TimeUnit.SECONDS.sleep(1)
		for _, t := range w.tokens[f.first:f.from] {
			if t.text == parent {
				return unitOf(parent), t.span()
			}
		}
	}
	for _, arg := range f.args {
		if last := w.tokens[arg[1]-1]; last.kind == name && arg[1]-arg[0] <= 5 {
			if unit := unitOf(last.text); unit > 0 && last.text == strings.ToUpper(last.text) {
				return unit, last.span()
			}
		}
	}
	return 0, Span{}
}

// property takes down a wait that has a name among the arguments of a call: {timeout: 500}, timeout=5.
func (w *walker) property(f frame, arg [2]int) {
	key := w.tokens[arg[0]]
	form, known := propertiesOf[w.file.Language][key.text]
	if !known || key.kind == mark {
		return
	}
	around, first, in := w.callAround(f)
	if !in && !w.fragment && !form.anywhere || !form.fitsIn(around) {
		return
	}
	value := [2]int{arg[0] + 2, arg[1]}
	switch sign := w.tokens[min(arg[0]+1, len(w.tokens)-1)]; {
	case arg[1]-arg[0] == 1 && f.bracket == "{" && w.top().bracket == "(" && w.file.Language == JavaScript: // {timeout}
		value[0] = arg[0]
	case arg[1]-arg[0] < 3 || sign.kind != mark || sign.text != ":" && sign.text != "=":
		return
	}
	unit := form.unit
	if unit == 0 {
		unit = w.file.Language.unit()
	}
	named, at := w.unitAmong(f)
	if named > 0 {
		unit = named
	}
	if w.file.fromMilli && !inSeconds[around.root] {
		unit = time.Millisecond
	}
	spoken := key.text
	if around.name != "" {
		spoken = around.String() + " " + key.text
	}
	from := w.tokens[arg[0]].line
	if in {
		from = min(from, w.tokens[first].line)
	}
	w.add(Wait{Kind: form.kind, Form: spoken, From: from, unit: unit, UnitAt: at}, value)
}

// callAround is the call in whose arguments a bracket stands, or which it is; in is false where it is in none, nor in
// the body of a function.
func (w *walker) callAround(f frame) (c callee, first int, in bool) {
	if f.callee.name != "" && f.bracket == "(" {
		return f.callee, f.first, true
	}
	for i := len(w.open) - 1; i > 0; i-- {
		switch o := w.open[i]; {
		case o.bracket == "(" && o.callee.name != "":
			return o.callee, o.first, true
		case o.block:
			return callee{}, f.first, true // an object by itself, in the body of a function
		}
	}
	return f.callee, f.first, f.callee.name != "" && w.file.Language == Go
}

// tail takes down what may be the time of a call whose beginning is on another line: }, 500).
func (w *walker) tail() {
	f := w.open[0]
	if n := len(f.args); n > 0 && f.args[n-1][0] > 0 {
		w.add(Wait{From: 1, unit: w.file.Language.unit()}, f.args[n-1])
	}
}

// add takes a wait down, if the tokens are a time or the name of one.
func (w *walker) add(found Wait, arg [2]int) bool {
	tokens := w.tokens[arg[0]:arg[1]]
	if len(tokens) == 0 || len(w.file.Waits) >= maxWaits {
		return false
	}
	found.Line = tokens[len(tokens)-1].line
	found.From = min(found.From, tokens[0].line)
	found.At = Span{tokens[0].at, tokens[len(tokens)-1].span().End}
	found.Expr = spell(tokens)
	v, ok := evaluate(tokens, w.valueAt(arg[0]))
	if !ok && w.file.Language == Go {
		if v, ok = spoken(tokens); ok {
			found.Expr = strconv.Quote(tokens[0].text)
		}
	}
	if ok {
		found.Time, ok = v.as(found.unit)
		found.Typed = v.time
	}
	if ok && found.Time < time.Microsecond {
		return false // in Go, a number that is no time
	}
	if named(tokens) {
		found.Name = strings.Join(strings.Fields(found.Expr), "")
	}
	if !ok && found.Name == "" && !w.fragment && elsewhere(tokens, w.valueAt(arg[0])) {
		found.made = slices.Clone(tokens)
	}
	if !ok && found.made == nil && (found.Name == "" || v.n != 0 || !timely(found.Name)) {
		return false
	}
	w.file.Waits = append(w.file.Waits, found)
	return true
}

// elsewhere reports whether tokens are a time but for names that the file gives no value, which sound like those of
// times.
func elsewhere(tokens []token, known func(string) (value, bool)) bool {
	some, all := false, true
	_, ok := evaluate(tokens, func(name string) (value, bool) {
		v, ok := known(name)
		if !ok {
			v, some, all = value{n: 1}, true, all && timely(name)
		}
		return v, true
	})
	return ok && some && all
}

// named reports whether tokens are a name, with points.
func named(tokens []token) bool {
	for i, t := range tokens {
		if i%2 == 0 && t.kind != name || i%2 == 1 && t.text != "." {
			return false
		}
	}
	return len(tokens)%2 == 1 && len(tokens) < 9
}

// spell writes tokens as people do.
func spell(tokens []token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 && t.col > tokens[i-1].col+len(tokens[i-1].text) {
			b.WriteByte(' ')
		}
		if b.Len() > 120 {
			b.WriteString("…")
			break
		}
		b.WriteString(t.text)
	}
	return b.String()
}
