package jest

import (
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/jest/library"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/js/expect"
	"github.com/flaketap/flaketap/suite/script"
)

// expects reads .expect(…) of supertest: a status, a body, both, a header, or a function that asserts.
func (r *follower) expects(n *js.Node, c *script.Call, args []*js.Node) {
	if len(args) == 1 && args[0].Form == js.NodeFunction {
		r.then(value{answer: c, text: script.Unknown}, args[0])
		return
	}
	if len(args) == 0 {
		return
	}
	subject := args[min(len(args), 2)-1]
	a := r.assertion(r.linkOf(n), claim{subject: subject, say: expect.Says, means: linkMeaning(c, args)})
	if a == nil {
		return
	}
	said := r.file.sayings[a]
	said.link, said.subject = true, named{}
	said.answers = map[string]sent{c.Var: {"res", library.SuperAgent}}
	r.file.sayings[a] = said
}

// linkMeaning is what a link of a chain of supertest says.
func linkMeaning(c *script.Call, args []*js.Node) func(by *js.Reading) (expr.Expr, exchange.Relation, bool) {
	return func(by *js.Reading) (expr.Expr, exchange.Relation, bool) {
		first, second := args[0], args[min(len(args), 2)-1]
		if len(args) > 1 && first.Form == js.NodeString {
			header := expr.Header(c.Var, strings.ToLower(first.Text))
			if second.Form == js.NodePattern {
				re, ok := literal.RegexpOfJavaScript(js.Pattern(second))
				return expr.Match{X: header, Pattern: re}, "", ok
			}
			y, ok := by.Meaning(second)
			return expr.Same(header, y), "", ok
		}
		var says []expr.Expr
		for _, arg := range args {
			part := expr.JSON
			if arg.Form == js.NodeNumber {
				part = expr.Status
			}
			composite := arg.Form == js.NodeObject || arg.Form == js.NodeArray
			y, ok := by.Meaning(arg)
			if !ok || len(args) > 2 || !composite && (part == expr.JSON || len(says) == 1) {
				return nil, "", false
			}
			says = append(says, expr.Same(expr.Answer{Var: c.Var, Part: part}, y))
		}
		return expr.AllOf(says...), "", true
	}
}

// linkOf is the span of the last link of a chain, its point included.
func (r *follower) linkOf(n *js.Node) script.Span {
	return r.spanOf(n.Args[0].Args[0].Last, n.Last)
}

// writeLink says an assertion of a chain of supertest: by a function that is called with the answer.
func (w *written) writeLink(t *script.Test, c saying, a *script.Assertion, x expr.Expr) (string, bool) {
	out := js.NewWriter(c.words(), a)
	if w.expects {
		text, ok := out.Line(x, w.expects) // as the body of a function that has no braces
		if several, braced := strings.CutPrefix(text, "{ "); braced && ok {
			indent := a.At.Indent
			if line, behind := w.lineAbove(a.At); behind {
				indent = line.Indent
			}
			text = w.block(t, indent, strings.TrimSuffix(several, " }"))
		}
		return ".expect((res) => " + text + ")", ok
	}
	cond := out.Cond(x, js.AnyLevel)
	return ".expect((res) => { if (!(" + cond + ")) throw new Error(" + literal.JavaScript(cond) + "); })", !out.Failed
}

// disableLink comments a link of a chain out. One that stands behind others in its line goes to the comment above that.
func (w *written) disableLink(s *script.Script, a *script.Assertion) []script.Edit {
	if _, behind := w.lineAbove(a.At); behind {
		comments := strings.Split(strings.TrimSpace(a.Text), "\n")
		for i, line := range comments {
			comments[i] = "// " + strings.TrimSpace(line)
		}
		return append(w.above(s, a.At, comments), script.Edit{Start: a.At.Start, End: a.At.End})
	}
	if strings.Contains(a.Text, "*/") {
		return []script.Edit{{Start: a.At.Start, End: a.At.End}}
	}
	return []script.Edit{{Start: a.At.Start, End: a.At.Start, Text: "/* "}, {Start: a.At.End, End: a.At.End, Text: " */"}}
}

// above writes lines above an assertion: above the line in which it stands, where it stands behind something else.
func (w *written) above(s *script.Script, at script.Span, lines []string) []script.Edit {
	start, indent := at.Start-len(at.Indent), at.Indent
	if line, behind := w.lineAbove(at); behind {
		start, indent = line.Start, line.Indent
	}
	eol := script.LineEnd(s.Lines[at.FirstLine-1])
	if eol == "" {
		eol = script.LineEnd(s.Lines[0])
	}
	text := ""
	for _, line := range lines {
		text += indent + line + eol
	}
	return []script.Edit{{Start: start, End: start, Text: text}}
}

// lineAbove is where the line begins in which a link of a chain stands behind others, with its indentation; false where
// the link begins the line, or what stands there began in the line above.
func (w *written) lineAbove(at script.Span) (script.Span, bool) {
	text := w.script.Text
	start := strings.LastIndexAny(text[:at.Start], "\r\n") + 1
	line := text[start:at.Start]
	if bare := strings.TrimLeft(line, " \t"); bare != "" && strings.HasPrefix(text[at.Start:], ".") {
		for _, t := range w.tokens {
			if t.Start < start && t.End > start { // a template of several lines
				return script.Span{}, false
			}
		}
		return script.Span{Start: start, Indent: line[:len(line)-len(bare)]}, true
	}
	return script.Span{}, false
}
