package python

// checked reads an assertion of unittest's, as the condition that it asserts; false where the statement is none.
func (r *follower) checked(st statement, tokens []token) bool {
	if !st.is("self", ".") && !st.is("cls", ".") || len(tokens) < 5 || tokens[3].text != "(" {
		return false
	}
	form, ok := unittestForms()[tokens[2].text]
	if !ok {
		return false
	}
	f, calls := form.form, len(r.test.Calls)
	if tokens, f.call = r.hoisted(tokens, 4); f.call != "" {
		defer delete(r.env, r.file.answerName())
	}
	x, err := parseExpr(tokens)
	call, ok := x.(pyCall)
	if err == nil && ok && tokens[2].text == "assertAlmostEqual" {
		call, ok = almost(call)
	}
	if err != nil || !ok || len(call.args) < form.args {
		return len(r.test.Calls) > calls
	}
	if len(call.args) > form.args {
		if comma := lastArgument(tokens); comma > 0 {
			f.end = r.file.script.Text[tokens[comma].start:st.End]
		}
	}
	r.assertion(st, f, form.says(call.args), nil)
	return true
}

// unittestForm is a method of unittest's test case.
type unittestForm struct {
	args int // that it takes before the message
	says func(args []node) node
	form form
}

// unittestForms are the methods that are understood, by name. What is written in their place is assertTrue, with the
// message that there was.
func unittestForms() map[string]unittestForm {
	as := form{open: "self.assertTrue(", end: ")"}
	compare := func(op string) unittestForm {
		return unittestForm{2, func(a []node) node { return pyCompare{a[0], []string{op}, []node{a[1]}} }, as}
	}
	none := func(op string) unittestForm {
		return unittestForm{1, func(a []node) node { return pyCompare{a[0], []string{op}, []node{pyName{"None"}}} }, as}
	}
	return map[string]unittestForm{
		"assertEqual": compare("=="), "assertEquals": compare("=="), "assertDictEqual": compare("=="), "assertListEqual": compare("=="),
		"assertSetEqual": compare("=="), "assertTupleEqual": compare("=="), "assertNotEqual": compare("!="), "assertIs": compare("is"), "assertIsNot": compare("is not"),
		"assertAlmostEqual": compare("=="), "assertIn": compare("in"), "assertNotIn": compare("not in"), "assertIsNone": none("is"), "assertIsNotNone": none("is not"),
		"assertGreater": compare(">"), "assertGreaterEqual": compare(">="), "assertLess": compare("<"), "assertLessEqual": compare("<="),
		"assertCountEqual": {2, func(a []node) node {
			return pyCompare{pyItems{a[0]}, []string{"=="}, []node{a[1]}}
		}, as},
		"assertRegex": {2, func(a []node) node {
			return pyCall{fn: pyAttr{pyName{"re"}, "search"}, args: []node{a[1], a[0]}}
		}, as},
		"assertTrue":  {1, func(a []node) node { return a[0] }, as},
		"assertFalse": {1, func(a []node) node { return pyUnary{"not", a[0]} }, as},
		"assertIsInstance": {2, func(a []node) node {
			return pyCall{fn: pyName{"isinstance"}, args: a[:2]}
		}, as},
	}
}

// lastArgument is the index of the last comma between the arguments of the call that tokens are; -1 where there is
// none.
func lastArgument(tokens []token) int {
	depth, last := 0, -1
	for i, t := range tokens {
		if t.kind != tokenOp {
			continue
		}
		switch t.text {
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
