package python

import (
	"regexp"
	"slices"

	"github.com/flaketap/flaketap/suite/python/syntax"
	"github.com/flaketap/flaketap/suite/script"
)

// answerName is what the answer of an assertion that sends a request itself is called where that is written anew. It is
// a name that the file does not have.
func (w *suiteFile) answerName() string {
	if regexp.MustCompile(`\banswer\b`).MatchString(w.script.Text) {
		return "flaketap_answer"
	}
	return "answer"
}

// hoisted has a name stand for the answer to the one request that an assertion sends itself, so that what is written in
// its place can ask for more than one part of that, and the request is sent whatever becomes of the assertion. It
// returns the tokens with that name in the place of the call, which begins at a token or behind, and the call.
func (r *follower) hoisted(tokens []syntax.Token, from int) (named []syntax.Token, call string) {
	if !r.own || r.file.said != nil || r.inside(repeated) || !plain(tokens) {
		return tokens, ""
	}
	for _, c := range calls(tokens, from) {
		before := len(r.test.Calls)
		x := r.valueAt(syntax.Statement{Tokens: tokens, Span: r.site}, tokens[c.begin:c.end])
		if len(r.test.Calls) == before {
			continue
		}
		r.handsOn(tokens[c.begin:c.end], x, before)
		return r.standIn(tokens, c, r.file.answerName(), x), r.file.source(tokens[c.begin:c.end])
	}
	return tokens, ""
}

// plain reports whether what stands in tokens is evaluated, and once.
func plain(tokens []syntax.Token) bool {
	return !slices.ContainsFunc(tokens, func(t syntax.Token) bool {
		return t.Kind != syntax.TokenString && slices.Contains([]string{"and", "or", "if", "for", "lambda", ":="}, t.Text)
	})
}

// called is a call among some tokens, from one up to another.
type called struct{ begin, end int }

// calls lists the calls among tokens from one on, in the order in which they begin.
func calls(tokens []syntax.Token, from int) (all []called) {
	for i := from; i < len(tokens); i++ {
		if tokens[i].Kind != syntax.TokenName || operator(tokens[i]) || i > 0 && tokens[i-1].Text == "." {
			continue
		}
		for _, end := range syntax.CallEnds(tokens[i:]) {
			c := called{i, i + end + 1}
			if i > from && tokens[i-1].Text == "await" {
				c.begin--
			}
			all = append(all, c)
		}
	}
	return all
}

// operator reports whether a word is no name: a parenthesis behind it is no call, as in: status in (200, 201).
func operator(t syntax.Token) bool {
	return slices.Contains([]string{"in", "not", "is", "await", "yield"}, t.Text)
}

// standIn has a name stand for a call that has a value, among some tokens.
func (r *follower) standIn(tokens []syntax.Token, c called, name string, x syntax.Node) []syntax.Token {
	t := tokens[c.begin]
	if t.Text == "await" {
		t = tokens[c.begin+1]
	}
	t.Text, r.env[name] = name, x
	return append(append(tokens[:c.begin:c.begin], t), tokens[c.end:]...)
}

// sending is the statement that sends the request of an assertion by itself, with what stands behind it; "" where the
// assertion sends none.
func (w *suiteFile) sending(a *script.Assertion) string {
	f := w.forms[a]
	if f.call == "" {
		return ""
	}
	return w.answerName() + " = " + f.call + w.lineEnd() + a.At.Indent
}

// lineEnd is how lines of the file end.
func (w *suiteFile) lineEnd() string {
	if end := script.LineEnd(w.script.Lines[0]); end != "" {
		return end
	}
	return "\n"
}
