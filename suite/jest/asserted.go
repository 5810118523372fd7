package jest

import (
	"cmp"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/js/chai"
	"github.com/flaketap/flaketap/suite/js/expect"
	"github.com/flaketap/flaketap/suite/script"
)

// asserted reads an assertion, by expect in the words of Jest or of Chai, or by assert; false where the statement is
// none.
func (r *follower) asserted(st js.Statement) bool {
	n, awaited := st.X, false
	for n.Form == js.NodeUnary && (n.Text == "await" || n.Text == "void") {
		awaited = n.Text == "await"
		n = n.Args[0]
	}
	at := r.spanOf(st.First, st.Last)
	if c, ok := chai.ChainOf(n); ok && c.Joined() {
		r.assertion(at, r.chained(c))
		return true
	}
	if e, ok := expect.Of(n); ok {
		if e.Has("rejects") || e.Has("resolves") {
			guarded := r.in.Guarded
			r.in.Guarded = guarded || e.Has("rejects")
			r.eval(e.Subject)
			r.in.Guarded = guarded
			if e.Has("rejects") { // the call was noted as one that is to fail
				if r.own && r.module == r.file.module {
					r.note(at).Reason = "it says how a request fails: assert what the error has, behind a catch"
				}
				return true
			}
		}
		if e.IsSnapshot() {
			r.shot(at, e)
			return true
		}
		r.assertion(at, claim{subject: e.Subject, resolves: e.Has("resolves"), awaited: awaited, say: expect.Says, means: func(by *js.Reading) (expr.Expr, exchange.Relation,
			bool) {
			x, ok := expect.Meaning(by, e)
			return x, e.Relation(), ok
		}})
		return true
	}
	if object, name, args := n.Method(); object.Is("should") && name == "exist" && len(args) > 0 {
		exist := func(x *js.Node) *js.Node { // as expect(x).to.exist
			call := &js.Node{Form: js.NodeCall, Args: []*js.Node{{Form: js.NodeName, Text: "expect"}, x}}
			to := &js.Node{Form: js.NodeMember, Text: "to", Args: []*js.Node{call}}
			return &js.Node{Form: js.NodeMember, Text: "exist", Args: []*js.Node{to}}
		}
		if c, ok := chai.ChainOf(exist(args[0])); ok {
			r.assertion(at, r.chained(c))
			return true
		}
	}
	if c, ok := r.assertOf(n); ok {
		r.assertion(at, c)
		return true
	}
	return false
}

// claim is an assertion as it is written.
type claim struct {
	subject *js.Node
	by      string // what asserts; "" for expect
	// the subject is a promise, of which the assertion looks at what it gives; it may be awaited
	resolves, awaited bool
	say               func(v js.Verb, l, r string) string
	// what it means, and the relation that it means, where "in" alone does not tell
	means func(by *js.Reading) (expr.Expr, exchange.Relation, bool)
}

// chained is an assertion in the words of Chai. Its subject may be an answer as a whole, as chai-http has it.
func (r *follower) chained(c chai.Chain) claim {
	answer := ""
	subject := c.Subject
	if v := r.eval(subject); v.answer != nil {
		c.Subject, answer = nil, v.answer.Var
	}
	return claim{subject: subject, say: func(v js.Verb, l, r string) string { return chai.Says("expect", v, l, r) },
		means: func(by *js.Reading) (expr.Expr, exchange.Relation, bool) { return c.Read(by, answer) }}
}

// assertion notes what is asserted; nil where it was noted before, or belongs to another file. What sends requests
// does so all the same.
func (r *follower) assertion(at script.Span, c claim) *script.Assertion {
	if r.said != nil {
		r.says(c)
		return nil
	}
	if r.module != r.file.module || !r.own && r.file.shared[at.FirstLine] {
		c.means(r.reading)
		return nil
	}
	if !r.own {
		r.file.shared[at.FirstLine] = true
	}
	a := r.note(at)
	r.understand(a, c)
	return a
}

// understand says what an assertion means, or why that is not known.
func (r *follower) understand(a *script.Assertion, c claim) {
	r.what = ""
	said := r.sayingNow(c)
	if of := c.subject; of != nil && !several(of) && !((r.in.Condition || r.around.Var != "") && of.Form == js.NodeName) {
		a.Looked = expr.Name{ID: r.looked(c)}
	}
	said.given = c.resolves && !c.awaited
	x, relation, ok := c.means(r.reading)
	if ok {
		if subject, known := r.reading.Meaning(c.subject); known {
			said.subject = named{r.looked(c), subject}
		}
	}
	r.stands(a, x, relation, said, ok)
}

// looked is what an assertion looks at, as it is written: not the promise of it.
func (r *follower) looked(c claim) string {
	text := r.postfix(c.subject)
	if c.resolves {
		return "(await " + text + ")"
	}
	return text
}

// stands has an assertion mean something, where that is known; said is how values are called where it stands.
func (r *follower) stands(a *script.Assertion, x expr.Expr, relation exchange.Relation, said saying, ok bool) {
	if of, about := r.ofEach(x); !about {
		r.what, ok = "whether the loop runs at all", false
	} else {
		x, said.around = of, r.around
	}
	r.file.sayings[a] = said
	if why := r.unclearOf(x, ok); why != "" {
		a.Reason = cmp.Or(a.Reason, why)
	} else if r.in.Condition && a.Reason == "" {
		a.Reason = script.UnderCondition
	}
	if a.Reason != "" && a.Reason != script.UnderCondition { // in an earlier round, it may be
		a.Meaning, a.Claim = nil, exchange.Claim{File: a.File, Line: a.Line, Test: a.Test}
		return
	}
	meaning := r.ofErrors(x)
	if r.caught != nil { // nothing is said of a success
		status := expr.Answer{Var: r.caught.Var, Part: expr.Status}
		meaning = expr.Or{Xs: []expr.Expr{expr.Between{Low: expr.Int(200), X: status, High: expr.Int(299)}, x}}
	}
	a.Meaning = r.inRounds(a, meaning, said)
	a.Relation = relation
	if a.Runs || r.in.Condition || !(script.Claims{Test: r.test}).Any(a, x) {
		a.Relation, a.Place, a.Value, a.Call = "", "", "", 0
	}
}

// several reports whether an expression has a step that is another each time: by a name, not by a literal.
func several(n *js.Node) bool {
	if n.Form == js.NodeIndex && len(n.Args) == 2 && n.Args[1].Form != js.NodeString && n.Args[1].Form != js.NodeNumber {
		return true
	}
	return slices.ContainsFunc(n.Args, several)
}

// unclearOf is why it is not known what an assertion means; "" where it is.
func (r *follower) unclearOf(x expr.Expr, ok bool) string {
	switch c, compares := x.(expr.Compare); {
	case !r.own:
		return "it stands in a function that tests share"
	case !ok && r.many:
		return "the test runs with several values"
	case !ok && r.what != "":
		return r.what + " is not known"
	case !ok || !expr.FromAnswer(x):
		return "it asserts in an unknown way"
	case compares && r.isEmptied(c.X) && (c.Y == expr.Expr(expr.Null{}) || c.Op != expr.Eq && c.Op != expr.Is):
		return "the test takes an empty body for null"
	}
	return ""
}

// ofErrors is what is said of answers that the test has only from the errors which they raise: they are no success.
func (r *follower) ofErrors(x expr.Expr) expr.Expr {
	if r.caught != nil {
		return x
	}
	says := []expr.Expr{x}
	expr.Walk(x, func(y expr.Expr) {
		if of, ok := y.(expr.Answer); ok && r.file.raised[r.test][of.Var] && len(says) == 1 {
			status := expr.Answer{Var: of.Var, Part: expr.Status}
			says = append(says, expr.Cmp(status, expr.Ge, expr.Int(300)))
		}
	})
	return expr.AllOf(says...)
}

// isEmptied reports whether an expression is the JSON of an answer that the test takes for null where there is none.
func (r *follower) isEmptied(x expr.Expr) bool {
	of, ok := x.(expr.Answer)
	return ok && of.Part == expr.JSON && r.file.emptied[of.Var]
}

// note adds an assertion to the test; in a further round, it is the one that was added.
func (r *follower) note(at script.Span) *script.Assertion {
	if a := r.listed(at); a != nil {
		return a
	}
	s := r.file.script
	a := &script.Assertion{Text: s.Text[at.Start:at.End], At: at}
	a.File, a.Line, a.Test = s.File, at.FirstLine, r.test.Name
	a.Ours = s.Commented(at.FirstLine)
	r.test.Assertions = append(r.test.Assertions, a)
	if r.rows != nil && r.own {
		of := &rounds{Assertion: a}
		r.rows.said[at.Start], r.file.rounds[a] = of, of
	}
	return a
}

// unread notes the assertions of a statement that is not read.
func (r *follower) unread(st js.Statement) {
	tokens := r.tokens
	for i := st.First; i+1 < st.Last; i++ {
		if tokens[i].Is("expect") && tokens[i+1].Is("(") {
			if at := r.spanOf(st.First, st.Last); r.own {
				r.note(at).Reason = "it is in code that flaketap does not read"
			}
			return
		}
	}
}

// postfix is the source of an expression, in brackets where something that goes on with it would bind more strongly.
func (r *follower) postfix(n *js.Node) string {
	at := r.spanOf(n.First, n.Last)
	text := r.file.script.Text[at.Start:at.End]
	switch n.Form {
	case js.NodeName, js.NodeMember, js.NodeIndex, js.NodeCall:
		return text
	}
	return "(" + text + ")"
}

// sayingNow is how values are called where an assertion stands: the innermost variable of each counts.
func (r *follower) sayingNow(c claim) saying {
	out := saying{say: c.say, answers: map[string]sent{}}
	hidden := map[string]bool{}
	for s := r.scope; s != nil; s = s.up {
		names := make([]string, 0, len(s.vars))
		for name := range s.vars {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			if hidden[name] {
				continue
			}
			hidden[name] = true
			v := s.vars[name]
			switch _, again := out.answers[varOf(v)]; {
			case v.answer != nil && !again:
				out.answers[v.answer.Var] = sent{name, r.file.calls[v.answer]}
			case v.x != nil && (expr.FromAnswer(v.x) || r.ofElement(v.x)):
				out.values = append(out.values, named{name, v.x})
			}
			for _, f := range v.fields { // of an object that a function of the suite put together
				if f.value.x != nil && expr.FromAnswer(f.value.x) && !v.array && js.Identifier.MatchString(f.key) {
					out.values = append(out.values, named{name + "." + f.key, f.value.x})
				}
			}
		}
	}
	return out
}

// varOf is the variable of the answer that a value is; "" for any other.
func varOf(v value) string {
	if v.answer == nil {
		return ""
	}
	return v.answer.Var
}
