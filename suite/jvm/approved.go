package jvm

import (
	"path"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/jvm/approval"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/snapshot"
)

// jsonText is a text that a library made of JSON.
type jsonText struct{ of meaning.Value }

// What says what it is where a value is wanted.
func (jsonText) What() string { return "a text that is made of JSON" }

// approved is an assertion that compares a text with one that a file of its own has.
type approved struct {
	snapshot.Comparison
	call  *approval.Call
	sends bool // its value sends a request
}

// approves reads a call of ApprovalTests; false where a statement is none.
func (r *follower) approves(c java.Call, from, to int) bool {
	call, ok := approval.Read(c, r.file.module, r.file.source, from)
	if !ok || c.X == nil && r.local(c, "") != nil {
		return false
	}
	calls, names := len(r.test.Calls), r.names()
	value := compared(r.resolve(c.Args[0].X), call)
	a := r.add(from, to)
	if a == nil {
		return true
	}
	one := &approved{call: call, sends: len(r.test.Calls) > calls}
	one.Sparse, one.Value = call.Sparse(), value
	one.Path = path.Join(path.Dir(script.Slashed(r.file.script.File)),
		r.file.module.Nested(r.class)+"."+r.test.Name+call.Ends())
	f := form{open: r.file.assertsTrue(), close: ")", names: names, in: r.in, mapper: r.mapper()}
	r.file.forms[a.At.Start] = f
	says, reason := one.says(r)
	if a.Reason = reason; reason != "" {
		return true
	}
	if r.understood(a, meaning.Says(says), f, java.Argument{}); a.Reason == "" {
		a.Snapshot = true
		r.file.approved[a.At.Start] = one
	}
	return true
}

// compared is the value that a text is JSON of.
func compared(x java.Node, call *approval.Call) expr.Expr {
	v, isValue := x.(meaning.Value)
	text, isText := v.X.(expr.Answer)
	switch of, isJSON := x.(jsonText); {
	case call.OfValue() && isValue && v.Typ != "String" && !v.Bound:
		return v.X
	case call.OfValue() && !isValue && !isJSON:
		return meaning.Of(x)
	case call.OfValue():
	case isJSON:
		return meaning.Of(of.of)
	case isValue && isText && text.Part == expr.Text:
		return expr.Answer{Var: text.Var, Part: expr.JSON}
	}
	return expr.Unknown{What: "what the text is made of"}
}

// says is what an assertion says, and why that is not known.
func (o *approved) says(r *follower) (expr.Expr, string) {
	text, reason := r.file.approvals.Text(&o.Comparison, r.file.script.Beside)
	switch {
	case r.rows != nil || r.many:
		return nil, "the test runs with several values"
	case reason != "":
		return nil, reason
	case o.call.Other:
		return nil, "its options are not known: what is read is new Options(new RegExScrubber(pattern, text))"
	}
	return o.Read(text, o.call.Scrubs)
}

// language is how the file writes calls of ApprovalTests.
func (w *written) language() approval.Language {
	return approval.Language{Kotlin: w.kotlin, Literal: w.literal, File: w.module}
}

// elsewhere are the approved texts as they are when assertions say what is given, and what is imported for it.
func (w *written) elsewhere(s *script.Script, said map[*script.Assertion]expr.Expr) ([]script.Edit,
	[]script.BesideFile) {
	var imports []string
	var files []script.BesideFile
	for a, x := range said {
		one := w.approved[a.At.Start]
		if one == nil || a.Plain {
			continue
		}
		if text, scrubs, ok := one.Scrubbed(x); ok {
			files = append(files, script.BesideFile{Path: one.Path, Text: text})
			imports = append(imports, w.language().Missing(len(scrubs))...)
		}
	}
	slices.SortFunc(files, func(a, b script.BesideFile) int { return strings.Compare(a.Path, b.Path) })
	return w.language().Import(s, imports), files
}
