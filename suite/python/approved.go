package python

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/approval"
	"github.com/flaketap/flaketap/suite/python/meaning"
	"github.com/flaketap/flaketap/suite/python/source"
	"github.com/flaketap/flaketap/suite/python/syntax"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/snapshot"
)

// approved is an assertion that compares a text with one that a file of its own has: of pytest-snapshot, which has no
// scrubbers, so that the text is scrubbed before, or of approvaltests.
type approved struct {
	snapshot.Comparison
	test *script.Test
	call approval.Call
}

// approves reads snapshot.assert_match(text, "name"), verify(text) and verify_as_json(value); false where a statement
// is none of them, or compares with something else than a file.
func (r *follower) approves(st syntax.Statement, x syntax.Node) bool {
	one := &approved{test: r.test}
	call, _ := x.(syntax.Call)
	if !one.of(r, call) {
		return false
	}
	text, ok := one.call.Read(st.Tokens, r.file.source)
	if !ok {
		return false
	}
	calls, names := len(r.test.Calls), r.scopeNow()
	value := r.valueAt(st, text)
	if !one.call.OfValue() {
		value = dumped(value)
	}
	a := r.noted(st)
	if a == nil {
		return true
	}
	one.Value = meaning.Of(value)
	if r.explain(a, one.Value, calls); a.Reason == "" {
		a.Reason = one.compares(r, a)
	}
	if a.Reason == "" {
		r.file.approved[a], r.file.names[a], r.file.forms[a] = one, names, form{open: "assert "}
	}
	return true
}

// of tells which file a call compares with; false where it is no such call.
func (o *approved) of(r *follower, call syntax.Call) bool {
	at := script.Slashed(r.file.script.File)
	dir, module := path.Dir(at), strings.TrimSuffix(path.Base(at), path.Ext(at))
	fn, isMethod := call.Fn.(syntax.Attr)
	of, _ := fn.X.(syntax.Name)
	fixture, _ := r.env[of.Id].(meaning.Opaque)
	if isMethod && fn.Name == "assert_match" && snapshotFixture.MatchString(fixture.What) {
		name, written := r.second(call)
		o.Path = path.Join(dir, "snapshots", module, r.test.Name, name)
		return written && name != "" && !strings.Contains(name, "..")
	}
	name, plain := call.Fn.(syntax.Name)
	if isMethod && of.Id == "approvaltests" {
		name.Id, plain = fn.Name, true
	}
	ends := map[string]string{"verify": ".approved.txt", "verify_as_json": ".approved.json"}[name.Id]
	if !plain || ends == "" || len(call.Args) != 1 || r.module.called(name.Id) != nil ||
		!strings.Contains(r.file.script.Text, "approvaltests") {
		return false
	}
	o.Path, o.call.Scrubber = path.Join(dir, cmp.Or(r.testClass, module)+"."+r.test.Name+ends), true
	return true
}

// second is the text that is the second of two arguments.
func (r *follower) second(call syntax.Call) (string, bool) {
	if len(call.Args) != 2 || len(call.Kw) > 0 {
		return "", false
	}
	name, ok := r.resolve(call.Args[1], syntax.Statement{}).(syntax.StrLit)
	return name.S, ok
}

// dumped is what a text is JSON of: that of an answer, or of json.dumps(…).
func dumped(x syntax.Node) syntax.Node {
	switch x := x.(type) {
	case syntax.Attr:
		if answer, ok := x.X.(syntax.Name); ok && x.Name == "text" {
			return syntax.Call{Fn: syntax.Attr{X: answer, Name: "json"}}
		}
	case syntax.Call:
		if fn, ok := x.Fn.(syntax.Attr); ok && fn.Name == "dumps" && len(x.Args) == 1 {
			return x.Args[0]
		}
	}
	return meaning.Opaque{What: "what the text is made of"}
}

// compares reads the file that an assertion compares with, and is why it cannot; "" where it can.
func (o *approved) compares(r *follower, a *script.Assertion) string {
	text, reason := r.file.approvals.Text(&o.Comparison, r.file.script.Beside)
	switch {
	case r.rows != nil || r.many:
		return "the test runs with several values"
	case reason != "":
		return reason
	case o.call.HasOptions():
		return "its options are not known: what is read is Options().with_scrubber(create_regex_scrubber(pattern, text))"
	}
	says, reason := o.Read(text, o.call.Scrubs)
	if reason != "" {
		return reason
	}
	a.Snapshot, a.Meaning = true, says
	if and, several := says.(expr.And); !(script.Claims{Test: o.test}).Any(a, says) || several && len(and.Xs) > 1 {
		a.Relation, a.Place, a.Value, a.Call = "", "", "", 0
	}
	return ""
}

// write says x with scrubbers.
func (o *approved) write(p source.Printer, x expr.Expr) (string, bool) {
	_, scrubs, ok := o.Scrubbed(x)
	if !ok {
		return "", false
	}
	re := "re"
	if !p.RE {
		re = `__import__("re")`
	}
	return o.call.With(scrubs, re), true
}

// approvedElsewhere are the approved texts as they are when assertions say what is given, and what is imported for it.
func (w *suiteFile) approvedElsewhere(
	said map[*script.Assertion]expr.Expr) (imports []string, files []script.BesideFile) {
	for a, one := range w.approved {
		text, scrubs, ok := one.Scrubbed(said[a])
		if !ok || a.Plain {
			continue
		}
		files = append(files, script.BesideFile{Path: one.Path, Text: text})
		if one.call.Scrubber {
			imports = append(imports, "approvaltests Options", "approvaltests.scrubbers.scrubbers create_regex_scrubber")
			if len(scrubs) > 1 {
				imports = append(imports, "approvaltests.scrubbers.scrubbers combine_scrubbers")
			}
		}
	}
	slices.SortFunc(files, func(a, b script.BesideFile) int { return strings.Compare(a.Path, b.Path) })
	return imports, files
}
