package python

import (
	"path"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/source"
	"github.com/flaketap/flaketap/suite/python/syntax"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/snapshot"
)

// approved is an assertion that compares a text with one that a file of its own has: of pytest-snapshot, which has no
// scrubbers, so that the text is scrubbed before, or of approvaltests.
type approved struct {
	assertion *script.Assertion
	test      *script.Test
	value     expr.Expr // what is written as JSON
	path      string
	text      string
	root      *snapshot.Node
	scrubs    []snapshot.Scrub // that it has
	args      []string         // the sources of its arguments; without those that scrub
	called    string           // what is called with them
	scrubber  bool             // it takes scrubbers as options
}

// approves reads snapshot.assert_match(text, "name"), verify(text) and verify_as_json(value); false where a statement is
// none of them, or compares with something else than a file.
func (r *follower) approves(st syntax.Statement, x syntax.Node) bool {
	one := &approved{test: r.test}
	call, _ := x.(syntax.Call)
	args, open := argumentsOf(st.Tokens)
	if len(args) == 0 || !one.of(r, call) {
		return false
	}
	one.called = r.file.source(st.Tokens[:open])
	for _, a := range args[1:] {
		one.args = append(one.args, r.file.source(a))
	}
	text := one.scrubbing(args)
	calls, names := len(r.test.Calls), r.scopeNow()
	value := r.resolve(mustParse(text), st)
	one.args = append([]string{r.file.source(text)}, one.args...)
	if !strings.HasSuffix(one.called, "verify_as_json") {
		value = dumped(value)
	}
	a := r.noted(st)
	if a == nil {
		return true
	}
	one.value = meaning(value)
	if r.explain(a, one.value, calls); a.Reason == "" {
		a.Reason = one.compares(r, a)
	}
	if a.Reason == "" {
		one.assertion = a
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
	if fixture, ok := r.env[of.Id].(pyOpaque); ok && isMethod && fn.Name == "assert_match" && snapshotFixture.MatchString(fixture.what) {
		name, written := r.second(call)
		o.path = path.Join(dir, "snapshots", module, r.test.Name, name)
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
	o.path, o.scrubber = path.Join(dir, r.test.Name+ends), true
	if r.testClass != "" {
		o.path = path.Join(dir, r.testClass+"."+r.test.Name+ends)
	}
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

// scrubbing takes the scrubbers away that the arguments have, and returns what is compared.
func (o *approved) scrubbing(args [][]syntax.Token) []syntax.Token {
	if o.scrubber {
		for i, a := range args[1:] {
			if scrubs, ok := optionsOf(a); ok {
				o.scrubs, o.args = scrubs, slices.Delete(o.args, i, i+1)
				break
			}
		}
		return args[0]
	}
	text := args[0]
	for {
		call, _ := mustParse(text).(syntax.Call)
		fn, isMethod := call.Fn.(syntax.Attr)
		inner, _ := argumentsOf(text)
		if !isMethod || fn.Name != "sub" || len(inner) != 3 || len(call.Args) != 3 {
			return text
		}
		one, ok := scrubOf(call.Args[:2])
		if !ok {
			return text
		}
		o.scrubs, text = append(o.scrubs, one), inner[2]
	}
}

// optionsOf reads options=Options().with_scrubber(…); false where an argument is another, or scrubs otherwise.
func optionsOf(tokens []syntax.Token) (out []snapshot.Scrub, ok bool) {
	if len(tokens) < 3 || tokens[0].Text != "options" || tokens[1].Text != "=" {
		return nil, false
	}
	call, _ := mustParse(tokens[2:]).(syntax.Call)
	fn, isMethod := call.Fn.(syntax.Attr)
	of, _ := fn.X.(syntax.Call)
	if !isMethod || fn.Name != "with_scrubber" || len(call.Args) != 1 || !isPyName(of.Fn, "Options") || len(of.Args)+len(of.Kw) > 0 {
		return nil, false
	}
	each := call.Args
	if all, _ := each[0].(syntax.Call); isPyName(all.Fn, "combine_scrubbers") {
		each = all.Args
	}
	for _, x := range each {
		by, _ := x.(syntax.Call)
		one, ok := scrubOf(by.Args)
		if !isPyName(by.Fn, "create_regex_scrubber") || !ok {
			return nil, false
		}
		out = append(out, one)
	}
	return out, true
}

func scrubOf(args []syntax.Node) (snapshot.Scrub, bool) {
	if len(args) != 2 {
		return snapshot.Scrub{}, false
	}
	pattern, ok := args[0].(syntax.StrLit)
	instead, too := args[1].(syntax.StrLit)
	return snapshot.Scrub{Pattern: pattern.S, Instead: instead.S}, ok && too
}

func mustParse(tokens []syntax.Token) syntax.Node {
	x, err := syntax.ParseExpr(tokens)
	if err != nil {
		return pyOpaque{err.Error()}
	}
	return x
}

// argumentsOf are the arguments of a call that ends with what is given, and where their parenthesis stands.
func argumentsOf(tokens []syntax.Token) (out [][]syntax.Token, open int) {
	open = slices.IndexFunc(tokens, func(t syntax.Token) bool { return t.Kind == syntax.TokenOp && t.Text == "(" })
	for open >= 0 && open+closed(tokens[open:]) != len(tokens)-1 {
		next := slices.IndexFunc(tokens[open+1:], func(t syntax.Token) bool { return t.Kind == syntax.TokenOp && t.Text == "(" })
		if next < 0 || closed(tokens[open:]) < 0 {
			return nil, 0
		}
		open += 1 + next
	}
	if open < 0 {
		return nil, 0
	}
	inner := tokens[open+1 : len(tokens)-1]
	for len(inner) > 0 {
		comma := topLevel(inner, ",")
		if comma < 0 {
			return append(out, inner), open
		}
		out, inner = append(out, inner[:comma]), inner[comma+1:]
	}
	return out, open
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
	return pyOpaque{"what the text is made of"}
}

// compares reads the file that an assertion compares with, and is why it cannot; "" where it can.
func (o *approved) compares(r *follower, a *script.Assertion) string {
	text, ok := r.file.script.Beside(o.path)
	twice := slices.ContainsFunc(r.file.approvals, func(path string) bool { return path == o.path })
	r.file.approvals = append(r.file.approvals, o.path)
	switch {
	case r.rows != nil || r.many:
		return "the test runs with several values"
	case !ok:
		return "there is no approved text in " + o.path
	case twice:
		return "several assertions compare with " + o.path
	case !expr.FromAnswer(o.value):
		return "it compares nothing that an answer has"
	case o.scrubber && slices.ContainsFunc(o.args[1:], func(arg string) bool { return strings.HasPrefix(arg, "options") }):
		return "its options are not known: what is read is Options().with_scrubber(create_regex_scrubber(pattern, text))"
	}
	root, err := snapshot.JSON(text)
	if err != nil {
		return "what is approved is no JSON: scrub what moves, by a pattern"
	}
	if !snapshot.ReadScrubbed(root, o.scrubs) {
		return "its scrubbers are not those of what is approved"
	}
	says, ok := snapshot.Says(o.value, root)
	if !ok || len(says) == 0 {
		return "what is approved is of another form than what is compared with it"
	}
	o.text, o.root = text, root
	a.Snapshot, a.Meaning = true, expr.AllOf(says...)
	if !(script.Claims{Test: o.test}).Any(a, a.Meaning) || len(says) > 1 {
		a.Relation, a.Place, a.Value, a.Call = "", "", "", 0
	}
	return ""
}

// fit finds which scrubbers have the approved text say x.
func (o *approved) fit(x expr.Expr) (snapshot.Fit, []snapshot.Scrub, bool) {
	if x == nil {
		return snapshot.Fit{}, nil, false
	}
	fit, ok := snapshot.Form{Can: snapshot.Can}.Fit(o.value, o.root, x)
	if !ok || len(fit.More)+len(fit.Left) > 0 {
		return fit, nil, false
	}
	scrubs, ok := snapshot.Scrubs(o.text, o.root, fit.Said)
	return fit, scrubs, ok && len(scrubs) > 0
}

// write says x with scrubbers.
func (o *approved) write(p source.Printer, x expr.Expr) (string, bool) {
	_, scrubs, ok := o.fit(x)
	if !ok {
		return "", false
	}
	args := slices.Clone(o.args)
	if o.scrubber {
		var each []string
		for _, s := range scrubs {
			each = append(each, "create_regex_scrubber("+snapshot.Raw(s.Pattern)+", "+snapshot.Raw(s.Instead)[1:]+")")
		}
		by := each[0]
		if len(each) > 1 {
			by = "combine_scrubbers(" + strings.Join(each, ", ") + ")"
		}
		args = append(args, "options=Options().with_scrubber("+by+")")
	} else {
		re := "re"
		if !p.RE {
			re = `__import__("re")`
		}
		for _, s := range scrubs {
			args[0] = re + ".sub(" + snapshot.Raw(s.Pattern) + ", " + snapshot.Raw(s.Instead)[1:] + ", " + args[0] + ")"
		}
	}
	return o.called + "(" + strings.Join(args, ", ") + ")", true
}

// approvedElsewhere are the approved texts as they are when assertions say what is given, and what is imported for it.
func (w *suiteFile) approvedElsewhere(said map[*script.Assertion]expr.Expr) (imports []string, files []script.BesideFile) {
	for a, one := range w.approved {
		fit, scrubs, ok := one.fit(said[a])
		if !ok || a.Plain {
			continue
		}
		files = append(files, script.BesideFile{Path: one.path, Text: snapshot.Scrubbed(one.text, fit.Said, one.root)})
		if one.scrubber {
			imports = append(imports, "approvaltests Options", "approvaltests.scrubbers.scrubbers create_regex_scrubber")
			if len(scrubs) > 1 {
				imports = append(imports, "approvaltests.scrubbers.scrubbers combine_scrubbers")
			}
		}
	}
	slices.SortFunc(files, func(a, b script.BesideFile) int { return strings.Compare(a.Path, b.Path) })
	return imports, files
}
