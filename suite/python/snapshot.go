package python

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/meaning"
	"github.com/flaketap/flaketap/suite/python/syntax"
	"github.com/flaketap/flaketap/suite/python/syrupy"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/snapshot"
)

// stored is the file of snapshots that syrupy keeps for a file of tests, and the assertions that compare with those.
type stored struct {
	path    string
	file    snapshot.File
	err     error
	asserts map[string][]*snap // by the tests that they are in, as syrupy calls these, in order
	of      map[*script.Assertion]*snap
}

// snap is an assertion that compares with a snapshot.
type snap struct {
	assertion *script.Assertion // nil where it is not noted, as it belongs to another file
	test      *script.Test
	value     expr.Expr // what it compares; nil where that is not known
	more      expr.Expr // what it asserts besides; nil mostly
	left      string    // what stands before and behind the snapshot, comparison included
	right     string
	message   string // the end of right that tells what is wrong where the assertion fails
	options   syrupy.Options

	entry   int // in the file
	content string
	root    *snapshot.Node
}

// readStored reads the snapshots beside a file of tests, where syrupy writes them.
func readStored(s *script.Script) *stored {
	at := script.Slashed(s.File)
	name := strings.TrimSuffix(path.Base(at), path.Ext(at)) + ".ambr"
	out := &stored{path: path.Join(path.Dir(at), "__snapshots__", name), asserts: map[string][]*snap{},
		of: map[*script.Assertion]*snap{}}
	if text, ok := s.Beside(out.path); ok {
		out.file, out.err = snapshot.ReadAmber(text)
	}
	return out
}

// snapshotFixture is what is known of the fixture that a test gets from syrupy.
var snapshotFixture = regexp.MustCompile(`^the parameter snapshot$`)

// isSnapshot reports whether tokens are the fixture, called or not.
func (r *follower) isSnapshot(tokens []syntax.Token) bool {
	if len(tokens) == 0 || tokens[0].Kind != syntax.TokenName {
		return false
	}
	of, ok := r.env[tokens[0].Text].(meaning.Opaque)
	if !ok || !snapshotFixture.MatchString(of.What) {
		return false
	}
	return len(tokens) == 1 || tokens[1].Text == "(" && tokens[len(tokens)-1].Text == ")"
}

// shot reads an assertion that a value is a snapshot; false where it is none. What that says is known when all tests
// are read: the snapshots of a test are numbered as they are come to.
func (r *follower) shot(st syntax.Statement, f form, tokens []syntax.Token) bool {
	end := syntax.TopLevel(tokens, "and")
	if end < 0 {
		end = len(tokens)
	}
	at := syntax.TopLevel(tokens[:end], "==")
	if at <= 0 || at+1 >= end {
		return false
	}
	subject, shot := tokens[:at], tokens[at+1:end]
	if r.isSnapshot(subject) {
		subject, shot = shot, subject
	} else if !r.isSnapshot(shot) {
		return false
	}
	if subject, f.call = r.hoisted(subject, 0); f.call != "" {
		defer delete(r.env, r.file.answerName())
	}
	left, right := r.aside(tokens[:end], shot, f.call)
	one := &snap{test: r.test, left: f.open + left, right: right + f.end, message: f.end}
	known := one.options.Read(shot)
	r.stores(one)
	calls := len(r.test.Calls)
	names := r.scopeNow()
	value, err := syntax.ParseExpr(subject)
	said := []expr.Expr{meaning.Of(r.resolve(value, st))}
	var more syntax.Node
	if end < len(tokens) && err == nil {
		more, err = syntax.ParseExpr(tokens[end+1:])
		said = append(said, meaning.Of(meaning.SubjectFirst(r.resolve(more, st))))
	}
	a := r.noted(st)
	if a == nil {
		return true
	}
	if one.assertion = a; err != nil {
		a.Reason = err.Error()
		return true
	}
	r.file.stored.of[a], r.file.names[a], r.file.forms[a] = one, names, f
	switch r.explain(a, expr.AllOf(said...), calls); {
	case a.Reason != "":
	case !known:
		a.Reason = "its snapshot is compared in an unknown way; what is read is " +
			"snapshot(exclude=props(\"…\"), matcher=path_type({\"…\": (str,)}))"
	case !expr.FromAnswer(said[0]):
		a.Reason = "it compares nothing that an answer has"
	default:
		if one.value = said[0]; len(said) > 1 {
			one.more = said[1]
		}
	}
	return true
}

// aside is the text of a comparison before and behind its snapshot, with the name of its answer for the call that sends
// its request.
func (r *follower) aside(tokens, shot []syntax.Token, call string) (left, right string) {
	text := r.file.script.Text
	left, right = text[tokens[0].Start:shot[0].Start], text[shot[len(shot)-1].End:tokens[len(tokens)-1].End]
	if call != "" {
		name := r.file.answerName()
		left, right = strings.Replace(left, call, name, 1), strings.Replace(right, call, name, 1)
	}
	return left, right
}

// matches reads snapshot.assert_match(…), of syrupy or of pytest-snapshot, which is not followed; false where a
// statement is none.
func (r *follower) matches(st syntax.Statement, x syntax.Node) bool {
	call, _ := x.(syntax.Call)
	fn, _ := call.Fn.(syntax.Attr)
	name, _ := fn.X.(syntax.Name)
	if of, ok := r.env[name.Id].(meaning.Opaque); !ok || fn.Name != "assert_match" || !snapshotFixture.MatchString(of.What) {
		return false
	}
	for _, arg := range call.Args {
		r.resolve(arg, st)
	}
	reason := "which file it compares with is not known: write its name out, assert_match(text, \"name.json\")"
	if len(call.Args)+len(call.Kw) == 1 {
		reason = "write it as a comparison: assert value == " + name.Id
		r.stores(&snap{test: r.test})
	}
	if a := r.noted(st); a != nil {
		a.Reason = reason
	}
	return true
}

// stores notes that the test comes to a snapshot.
func (r *follower) stores(one *snap) {
	test := r.test.Name
	if r.testClass != "" {
		test = r.testClass + "." + test
	}
	all := r.file.stored.asserts
	all[test] = append(all[test], one)
}

// settle tells what the assertions say whose snapshots are found.
func (w *suiteFile) settle() {
	for _, test := range slices.Sorted(maps.Keys(w.stored.asserts)) {
		shots := w.stored.asserts[test]
		reason := w.stored.numbered(test, shots)
		for i, one := range shots {
			if one.value == nil {
				continue
			}
			if one.assertion.Reason = reason; reason == "" {
				one.assertion.Reason = w.stored.compares(one, entryName(test, one, i))
			}
		}
	}
}

// entryName is what syrupy calls the snapshot that is the nth of a test.
func entryName(test string, one *snap, n int) string {
	switch {
	case one.options.Name != "":
		return test + "[" + one.options.Name + "]"
	case n > 0:
		return test + "." + strconv.Itoa(n)
	}
	return test
}

// numbered is why it is not known which of the stored snapshots of a test is that of which assertion; "" where it is.
func (s *stored) numbered(test string, shots []*snap) string {
	var want, have []string
	for i, one := range shots {
		want = append(want, entryName(test, one, i))
	}
	for _, e := range s.file.Entries {
		rest, ok := strings.CutPrefix(e.Name, test)
		if ok && (rest == "" || rest[0] == '[' || rest[0] == '.' && strings.Trim(rest[1:], "0123456789") == "") {
			have = append(have, e.Name)
		}
	}
	if s.err != nil {
		return syrupy.Writer().Broken(s.path)
	}
	return syrupy.Writer().Unknown(s.path, want, have)
}

// compares reads the snapshot of an assertion, and is why it cannot; "" where it can.
func (s *stored) compares(one *snap, name string) string {
	at, ok := s.file.Find(name)
	if !ok || s.file.Entries[at].Broken {
		return syrupy.Writer().Broken("its snapshot")
	}
	one.entry, one.content = at, s.file.Entries[at].Content
	root, err := snapshot.Amber(one.content)
	if err != nil {
		return err.Error()
	}
	one.root = root
	if !one.opens() {
		return "its matcher is not that of its snapshot: pytest --snapshot-update writes that anew"
	}
	says, ok := snapshot.Says(one.value, root)
	if !ok || len(says) == 0 {
		return "its snapshot is of another form than what is compared with it"
	}
	if and, several := one.more.(expr.And); several {
		says = append(says, and.Xs...)
	} else if one.more != nil {
		says = append(says, one.more)
	}
	a := one.assertion
	a.Snapshot, a.Meaning = true, expr.AllOf(says...)
	if !(script.Claims{Test: one.test}).Any(a, a.Meaning) || len(says) > 1 {
		a.Relation, a.Place, a.Value, a.Call = "", "", "", 0
	}
	return ""
}

// opens notes where members are left out, and reports whether the types that are compared stand where the test has
// them.
func (o *snap) opens() bool {
	paths := pathsOf(o.root)
	seen := map[string]int{}
	matched := 0
	for n, at := range paths {
		seen[at]++
		_, typed := o.options.Types[at]
		if typed != (n.Kind == snapshot.Matcher) || seen[at] > 1 {
			return false
		}
		if typed {
			matched++
		}
		n.Open = n.Open || n.Kind == snapshot.Object && len(o.options.Props) > 0
		for _, left := range o.options.Paths {
			up, _, _ := cutLast(left, ".")
			n.Open = n.Open || n.Kind == snapshot.Object && up == at
		}
	}
	return matched == len(o.options.Types)
}

// cutLast is strings.Cut at the last separator; all of the text is behind it where there is none.
func cutLast(text, separator string) (before, after string, found bool) {
	at := strings.LastIndex(text, separator)
	if at < 0 {
		return "", text, false
	}
	return text[:at], text[at+len(separator):], true
}

// pathsOf are the paths of the values of a snapshot, as syrupy writes them.
func pathsOf(root *snapshot.Node) map[*snapshot.Node]string {
	out := map[*snapshot.Node]string{root: ""}
	var walk func(n *snapshot.Node)
	walk = func(n *snapshot.Node) {
		for i, kid := range n.Kids {
			key := strconv.Itoa(i)
			if n.Kind == snapshot.Object {
				key = n.Keys[i]
			}
			if out[kid] = key; n != root {
				out[kid] = out[n] + "." + key
			}
			walk(kid)
		}
	}
	walk(root)
	return out
}
