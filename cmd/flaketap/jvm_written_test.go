package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// weakerForms are what may come in the place of an assertion about a subject, whatever that is.
func weakerForms(x, status expr.Expr) []expr.Expr {
	ints := expr.Set{Elems: []expr.Expr{expr.Int(1), expr.Int(2)}}
	texts := expr.Set{Elems: []expr.Expr{expr.Str{Value: "a"}, expr.Str{Value: `"b"`}}}
	match := expr.Match{X: x, Pattern: `\d+"`, Full: true}
	is := func(types ...expr.Type) expr.Expr { return expr.IsType{X: x, Types: types} }
	and := func(xs ...expr.Expr) expr.Expr { return expr.And{Xs: xs} }
	or := func(xs ...expr.Expr) expr.Expr { return expr.Or{Xs: xs} }
	out := []expr.Expr{match, expr.Cmp(x, expr.In, ints), expr.Cmp(x, expr.In, texts), expr.Between{Low: expr.Int(1), X: x, High: expr.Numeral("5000000000")},
		is(expr.TypeString), is(expr.TypeInt), is(expr.TypeFloat, expr.TypeInt), is(expr.TypeBool), is(expr.TypeArray, expr.TypeObject),
		and(is(expr.TypeInt), expr.Cmp(x, expr.Ge, expr.Int(0))), or(expr.IsNull(x), match), or(expr.Cmp(status, expr.Ne, expr.Int(200)), match),
		expr.Cmp(x, expr.Eq, expr.Str{Value: "a"}), expr.Cmp(x, expr.Eq, expr.Int(7)), expr.Cmp(x, expr.Is, expr.Bool{Value: true}),
		expr.SameItems{X: x, Y: expr.List(texts)}, expr.Cmp(x, expr.Eq, expr.List(ints)), expr.Cmp(expr.Str{Value: "a"}, expr.In, x), expr.IsDigits{X: x},
		expr.Cmp(x, expr.Ne, expr.Str{}), expr.Cmp(expr.Len{X: x}, expr.Eq, expr.Int(2))}
	if missing, ok := expr.Missing(x); ok {
		out = append(out, or(missing, match), or(missing, expr.Cmp(x, expr.Eq, expr.Int(7))))
	}
	return out
}

// Whatever the dialect of Java that people write says it can write in the place of an assertion, Java compiles; so it
// does where an assertion is commented out.
func TestRealJVMWrittenFormsCompile(t *testing.T) {
	jars, there := toolsDir(t, "java")
	needs.That(t, "the Java libraries (make tools installs them)", there && found("javac"))
	t.Parallel()
	files := formsOf(t, "ShopTest.java")
	args := append([]string{"-Xlint:-options", "-Xmaxerrs", "20", "-cp", jars + "/*", "-d", t.TempDir()}, files...)
	if out, err := quick(quickJavac, args...).CombinedOutput(); err != nil {
		t.Errorf("javac: %v\n%s", err, out)
	}
}

// formsOf writes a suite of testdata/written anew for each form that its assertions may become, and once with all of
// them commented out, each in a package of its own, and returns the files.
func formsOf(t *testing.T, name string) (files []string) {
	t.Helper()
	s, err := suite.Read(name, read(t, "testdata/written/"+name))
	if err != nil {
		t.Fatal(err)
	}
	dir, written := t.TempDir(), 0
	for form := -1; ; form++ {
		text, n := s.Text, 0
		for _, e := range slices.Backward(editsOf(s, form)) {
			text = text[:e.Start] + e.Text + text[e.End:]
			n++
		}
		if n == 0 && form > 0 {
			break
		}
		written += n
		text = strings.Replace(text, "package shop", fmt.Sprintf("package shop%d", form+1), 1)
		files = append(files, putFile(t, dir, fmt.Sprintf("shop%d/%s", form+1, name), []byte(text)))
	}
	if t.Logf("%d edits in %d files", written, len(files)); written < 600 {
		t.Errorf("%d edits: too few to tell", written)
	}
	return files
}

// editsOf writes the n-th form in the place of each assertion, where it can be; below 0 all are commented out.
func editsOf(s *script.Script, n int) []script.Edit {
	var out []script.Edit
	for _, test := range s.Tests {
		for _, a := range test.Assertions {
			if a.Meaning == nil || a.Relation == "" {
				continue
			}
			if n < 0 {
				out = append(out, s.Writer.Disable(s, a)...)
				continue
			}
			forms := weakerForms(a.Subject(), expr.Answer{Var: test.Calls[a.Call].Var})
			if n >= len(forms) {
				continue
			}
			if text, ok := s.Writer.Assert(s, test, a, forms[n]); ok {
				out = append(out, s.Writer.Above(s, a.At, []string{"// form"})...)
				out = append(out, script.Edit{Start: a.At.Start, End: a.At.End, Text: text})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b script.Edit) int { return a.Start - b.Start })
	return out
}
