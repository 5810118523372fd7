package python

import (
	"github.com/flaketap/flaketap/suite/python/meaning"
	"github.com/flaketap/flaketap/suite/python/syntax"
)

// checked reads an assertion of unittest's, as the condition that it asserts; false where the statement is none.
func (r *follower) checked(st syntax.Statement, tokens []syntax.Token) bool {
	if !st.Is("self", ".") && !st.Is("cls", ".") || len(tokens) < 5 || tokens[3].Text != "(" {
		return false
	}
	form, ok := unittestForms()[tokens[2].Text]
	if !ok {
		return false
	}
	f, calls := form.form, len(r.test.Calls)
	if tokens, f.call = r.hoisted(tokens, 4); f.call != "" {
		defer delete(r.env, r.file.answerName())
	}
	x, err := syntax.ParseExpr(tokens)
	call, ok := x.(syntax.Call)
	if err == nil && ok && tokens[2].Text == "assertAlmostEqual" {
		call, ok = meaning.Almost(call)
	}
	if err != nil || !ok || len(call.Args) < form.args {
		return len(r.test.Calls) > calls
	}
	if len(call.Args) > form.args && r.module == r.file.module {
		if comma := lastArgument(tokens); comma > 0 {
			f.end = r.file.script.Text[tokens[comma].Start:st.End]
		}
	}
	r.assertion(st, f, form.says(call.Args), nil)
	return true
}

// unittestForm is a method of unittest's test case.
type unittestForm struct {
	args int // that it takes before the message
	says func(args []syntax.Node) syntax.Node
	form form
}

// unittestForms are the methods that are understood, by name. What is written in their place is assertTrue, with the
// message that there was.
func unittestForms() map[string]unittestForm {
	as := form{open: "self.assertTrue(", end: ")"}
	compare := func(op string) unittestForm {
		return unittestForm{2, func(a []syntax.Node) syntax.Node {
			return syntax.Compare{X: a[0], Ops: []string{op}, Ys: []syntax.Node{a[1]}}
		}, as}
	}
	none := func(op string) unittestForm {
		return unittestForm{1, func(a []syntax.Node) syntax.Node {
			return syntax.Compare{X: a[0], Ops: []string{op}, Ys: []syntax.Node{syntax.Name{Id: "None"}}}
		}, as}
	}
	return map[string]unittestForm{
		"assertEqual": compare("=="), "assertEquals": compare("=="), "assertDictEqual": compare("=="), "assertListEqual": compare("=="),
		"assertSetEqual": compare("=="), "assertTupleEqual": compare("=="), "assertNotEqual": compare("!="), "assertIs": compare("is"), "assertIsNot": compare("is not"),
		"assertAlmostEqual": compare("=="), "assertIn": compare("in"), "assertNotIn": compare("not in"), "assertIsNone": none("is"), "assertIsNotNone": none("is not"),
		"assertGreater": compare(">"), "assertGreaterEqual": compare(">="), "assertLess": compare("<"), "assertLessEqual": compare("<="),
		"assertCountEqual": {2, func(a []syntax.Node) syntax.Node {
			return syntax.Compare{X: meaning.Items{X: a[0]}, Ops: []string{"=="}, Ys: []syntax.Node{a[1]}}
		}, as},
		"assertRegex": {2, func(a []syntax.Node) syntax.Node {
			return syntax.Call{Fn: syntax.Attr{X: syntax.Name{Id: "re"}, Name: "search"}, Args: []syntax.Node{a[1], a[0]}}
		}, as},
		"assertTrue":  {1, func(a []syntax.Node) syntax.Node { return a[0] }, as},
		"assertFalse": {1, func(a []syntax.Node) syntax.Node { return syntax.Unary{Op: "not", X: a[0]} }, as},
		"assertIsInstance": {2, func(a []syntax.Node) syntax.Node {
			return syntax.Call{Fn: syntax.Name{Id: "isinstance"}, Args: a[:2]}
		}, as},
	}
}

// lastArgument is the index of the last comma between the arguments of the call that tokens are; -1 where there is
// none.
func lastArgument(tokens []syntax.Token) int {
	depth, last := 0, -1
	for i, t := range tokens {
		if t.Kind != syntax.TokenOp {
			continue
		}
		switch t.Text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		case ",":
			if depth == 1 {
				last = i
			}
		}
	}
	return last
}
