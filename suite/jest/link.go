package jest

import (
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/jest/library"
	"github.com/flaketap/flaketap/suite/jest/superagent"
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
	a := r.assertion(r.linkOf(n), claim{subject: subject, say: expect.Says, means: superagent.Expected(c, args)})
	if a == nil {
		return
	}
	said := r.file.sayings[a]
	said.link, said.subject = true, named{}
	said.answers = map[string]sent{c.Var: {"res", library.SuperAgent}}
	r.file.sayings[a] = said
}

// linkOf is the span of the last link of a chain, its point included.
func (r *follower) linkOf(n *js.Node) script.Span {
	return r.spanOf(n.Args[0].Args[0].Last, n.Last)
}

// writeLink says an assertion of a chain of supertest: by a function that is called with the answer.
func (w *written) writeLink(t *script.Test, c saying, a *script.Assertion, x expr.Expr) (string, bool) {
	out := js.NewWriter(c.words(), a)
	if w.expects {
		text, one, ok := out.Body(x)
		if !one && ok {
			indent := a.At.Indent
			if line, behind := js.LineOf(w.script.Text, w.tokens, a.At); behind {
				indent = line.Indent
			}
			text = w.block(t, indent, text)
		} else if lines := w.laid(t, a.At.Indent, text); ok && len(lines) == 1 {
			text = strings.TrimSuffix(lines[0], w.layout(t).End)
		}
		return w.spelled(".expect((res) => " + text + ")"), ok
	}
	cond := out.Cond(x, js.AnyLevel)
	text := ".expect((res) => { if (!(" + cond + ")) throw new Error(" + literal.JavaScript(cond) + "); })"
	return w.spelled(text), !out.Failed
}

// disableLink comments a link of a chain out. One that stands behind others in its line goes to the comment above that.
func (w *written) disableLink(s *script.Script, a *script.Assertion) []script.Edit {
	if _, behind := js.LineOf(w.script.Text, w.tokens, a.At); behind {
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
	if line, behind := js.LineOf(w.script.Text, w.tokens, at); behind {
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
