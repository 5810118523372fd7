package jest

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/js/expect"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/snapshot"
)

// stored is the file of snapshots of a file of tests, and the assertions that compare with those or with their own.
type stored struct {
	path    string
	file    snapshot.File
	err     error
	within  string             // what stands between the titles of a test and of what that is in
	hinted  string             // what stands before a hint
	asserts map[string][]*snap // by the names that their snapshots have, without the numbers
	of      map[*script.Assertion]*snap
}

// snap is an assertion that compares with a snapshot.
type snap struct {
	assertion *script.Assertion // nil where it is not noted, as it belongs to another file
	name      string
	value     expr.Expr // what it compares; nil where that is not known
	open      *value    // an object with members that only an answer has, which are those that are stored; nil mostly
	arg       *js.Node  // the property matchers; nil where it has none
	hint      *js.Node
	inline    *inline
	from, to  int // where its arguments stand in the text of the assertion
	matcher   string

	entry   int // in the file
	content string
	root    *snapshot.Node
	props   map[*snapshot.Node]string // the source of property matchers
}

// readStored reads the snapshots beside a file of tests, where Jest and Vitest write them.
func readStored(s *script.Script) *stored {
	at := script.Slashed(s.File)
	out := &stored{path: path.Join(path.Dir(at), "__snapshots__", path.Base(at)+".snap"), asserts: map[string][]*snap{},
		of: map[*script.Assertion]*snap{}}
	if text, ok := s.Beside(out.path); ok {
		out.file, out.err = snapshot.ReadJest(text)
	}
	if out.within, out.hinted = " ", ": "; strings.HasPrefix(out.file.Text, "// Vitest") {
		out.within, out.hinted = " > ", " > "
	}
	return out
}

// shot reads an assertion that compares with a snapshot. What that says is known when all tests are read: the snapshots
// of a test are numbered as they are come to.
func (r *follower) shot(at script.Span, e expect.Expectation) {
	var x expr.Expr
	c := claim{subject: e.Subject, say: expect.Says, means: func(by *js.Reading) (expr.Expr, exchange.Relation, bool) {
		x, _ = by.Meaning(e.Subject)
		return nil, "", false
	}}
	a := r.assertion(at, c)
	all := r.file.stored
	one := &snap{assertion: a, name: strings.Join(r.titles, all.within), matcher: e.Matcher}
	known := one.arguments(e) && !e.Not()
	if one.hint != nil {
		one.name += all.hinted + one.hint.Text
	}
	all.asserts[one.name] = append(all.asserts[one.name], one)
	if a == nil {
		return
	}
	all.of[a] = one
	one.from = strings.LastIndex(a.Text, ")")
	one.to = one.from
	if len(e.Args) > 0 {
		one.from = r.spanOf(e.Args[0].First, e.Args[0].Last).Start - at.Start
		one.to = r.spanOf(e.Args[len(e.Args)-1].First, e.Args[len(e.Args)-1].Last).End - at.Start
	}
	said := r.file.sayings[a]
	if x != nil {
		said.subject = named{r.postfix(e.Subject), x}
		r.file.sayings[a] = said
	}
	_, rest := x.(expr.Without)
	if v := r.eval(e.Subject); (x == nil || rest) && expr.FromAnswer(v.spreadOnce()) {
		one.open, x = &v, v.spreadOnce()
	}
	switch {
	case !r.own || x == nil || r.many:
		return // the reason is told
	case r.in.Condition:
		a.Reason = script.UnderCondition
		return
	case !known:
		a.Reason = "its snapshot is compared in an unknown way; what is read is " +
			"toMatchSnapshot({ id: expect.any(String) }, \"a name\")"
		return
	case !expr.FromAnswer(x):
		return
	}
	if e.Matcher == "toMatchInlineSnapshot" {
		one.inline = r.file.inlined(e.Args[len(e.Args)-1])
	}
	one.value = x
}

// arguments reads what is given beside a snapshot: property matchers, a hint, the snapshot itself; false where it is
// something else.
func (o *snap) arguments(e expect.Expectation) bool {
	args := e.Args
	if len(args) > 0 && (args[0].Form == js.NodeObject || args[0].Form == js.NodeArray) {
		o.arg, args = args[0], args[1:]
	}
	if len(args) != 1 {
		return len(args) == 0 && e.Matcher == "toMatchSnapshot"
	}
	if e.Matcher == "toMatchSnapshot" {
		o.hint = args[0]
		return o.hint.Form == js.NodeString
	}
	return args[0].Form == js.NodeTemplate && len(args[0].Args) == 0
}

// settle tells what the assertions say whose snapshots are found. The snapshots of a name are not those that the tests
// come to where others are stored than these would be.
func (w *written) settle() {
	for _, name := range slices.Sorted(maps.Keys(w.stored.asserts)) {
		shots := w.stored.asserts[name]
		reason := w.stored.numbered(name, shots)
		for i, one := range shots {
			if one.value == nil {
				continue
			}
			if one.assertion.Reason = reason; reason != "" && one.inline == nil {
				continue
			}
			one.assertion.Reason = w.compares(one, i+1)
		}
	}
}

// numbered is why it is not known which of the stored snapshots of a name is that of which assertion; "" where it is.
func (s *stored) numbered(name string, shots []*snap) string {
	var want, have []string
	for i, one := range shots {
		if one.matcher == "toMatchSnapshot" {
			want = append(want, strconv.Itoa(i+1))
		}
	}
	for _, e := range s.file.Entries {
		if number, ok := strings.CutPrefix(e.Name, name+" "); ok {
			if n, err := strconv.Atoi(number); err == nil {
				have = append(have, strconv.Itoa(n))
			}
		}
	}
	switch {
	case len(want) == 0:
		return ""
	case s.err != nil:
		return storedByJest().Broken(s.path)
	}
	return storedByJest().Unknown(s.path, want, have)
}

func storedByJest() snapshot.Writer {
	return snapshot.Writer{Name: "Jest", Adds: "a run without --ci", Names: `toMatchSnapshot("…")`}
}

// compares reads the snapshot of an assertion, and is why it cannot; "" where it can.
func (w *written) compares(one *snap, number int) string {
	if one.inline != nil {
		one.content = one.inline.content
		if one.inline.broken {
			return storedByJest().Broken("its snapshot")
		}
	} else {
		at, ok := w.stored.file.Find(one.name + " " + strconv.Itoa(number))
		if !ok || w.stored.file.Entries[at].Broken {
			return storedByJest().Broken("its snapshot")
		}
		one.entry, one.content = at, w.stored.file.Entries[at].Content
	}
	root, err := snapshot.Jest(one.content)
	if err != nil {
		return err.Error()
	}
	one.root, one.props = root, map[*snapshot.Node]string{}
	if one.arg != nil && !w.properties(one, one.arg, root) {
		return "its property matchers are not those of its snapshot: a run with -u writes that anew"
	}
	if one.open != nil {
		keys := make([]string, len(root.Kids))
		for i := range root.Kids {
			key, _ := root.Step(i).(expr.Str)
			keys[i] = key.Value
		}
		value, ok := one.open.stored(keys)
		if !ok {
			return "its snapshot is of another form than what is compared with it"
		}
		one.value = value
	}
	says, ok := snapshot.Says(one.value, root)
	if !ok || len(says) == 0 {
		return "its snapshot is of another form than what is compared with it"
	}
	a, t := one.assertion, w.testOf(one.assertion)
	a.Snapshot, a.Meaning = true, expr.AllOf(says...)
	if !(script.Claims{Test: t}).Any(a, a.Meaning) || len(says) > 1 {
		a.Relation, a.Place, a.Value, a.Call = "", "", "", 0
	}
	return ""
}

func (w *written) testOf(a *script.Assertion) *script.Test {
	i := slices.IndexFunc(w.script.Tests, func(t *script.Test) bool { return slices.Contains(t.Assertions, a) })
	return w.script.Tests[i]
}

// properties reads property matchers as far as a snapshot has what they speak of.
func (w *written) properties(one *snap, arg *js.Node, n *snapshot.Node) bool {
	inner := arg.Form == js.NodeObject && n.Kind == snapshot.Object || arg.Form == js.NodeArray && n.Kind == snapshot.List
	if !inner {
		matches := false
		if object, _, _ := arg.Method(); object.Is("expect") {
			matches = true
		}
		at := w.spanOf(arg.First, arg.Last)
		one.props[n] = w.script.Text[at.Start:at.End]
		return matches == (n.Kind == snapshot.Matcher) && arg.Form != js.NodeObject && arg.Form != js.NodeArray
	}
	for i, part := range arg.Args {
		step := expr.Int(i)
		if arg.Form == js.NodeObject {
			step = expr.Str{Value: arg.Keys[i]}
		}
		kid := n.Kid(step)
		if kid == nil || part.Text == js.Spread || !w.properties(one, part, kid) {
			return false
		}
	}
	return true
}

// inline is a snapshot that stands in the test.
type inline struct {
	at      script.Span
	indent  string // that its lines have beside their own
	last    string // what stands before its end
	content string
	broken  bool
}

// inlined reads a snapshot that stands in the test, in a template literal.
func (w *written) inlined(arg *js.Node) *inline {
	out := &inline{at: w.spanOf(arg.First, arg.Last)}
	raw := strings.TrimSuffix(strings.TrimPrefix(w.script.Text[out.at.Start:out.at.End], "`"), "`")
	text := snapshot.Unticked(raw)
	out.content = text
	if lines := strings.Split(text, "\n"); len(lines) > 2 {
		last := len(lines) - 1
		out.indent = lines[1][:len(lines[1])-len(strings.TrimLeft(lines[1], " \t"))]
		out.last = lines[last]
		for i, line := range lines[1:last] {
			lines[i+1] = strings.TrimPrefix(line, out.indent)
		}
		out.content = strings.Join(lines[1:last], "\n")
	}
	out.broken = strings.Contains(raw, "\r") || "`"+raw+"`" != out.with(out.content)
	return out
}

// with is the template literal with another snapshot.
func (i *inline) with(content string) string {
	if strings.Contains(content, "\n") {
		lines := strings.Split(content, "\n")
		for n, line := range lines {
			if line != "" {
				lines[n] = i.indent + line
			}
		}
		content = "\n" + strings.Join(lines, "\n") + "\n" + i.last
	}
	return "`" + snapshot.Backticked(content) + "`"
}
