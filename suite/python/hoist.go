package python

import (
	"regexp"

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
	return r.hoistedFrom(syntax.Statement{Tokens: tokens, Span: r.site}, tokens, from)
}

// hoistedFrom is hoisted for some of the tokens of a statement.
func (r *follower) hoistedFrom(st syntax.Statement, tokens []syntax.Token, from int) (named []syntax.Token, call string) {
	if !r.own || r.file.said != nil || r.inside(repeated) {
		return tokens, ""
	}
	for _, t := range tokens {
		switch t.Text { // what may not be evaluated, or often
		case "and", "or", "if", "for", "lambda", ":=":
			if t.Kind != syntax.TokenString {
				return tokens, ""
			}
		}
	}
	for i := from; i < len(tokens); i++ {
		if tokens[i].Kind != syntax.TokenName || i > 0 && tokens[i-1].Text == "." {
			continue
		}
		for _, end := range syntax.CallEnds(tokens[i:]) {
			begin := i
			if i > from && tokens[i-1].Text == "await" {
				begin--
			}
			before := len(r.test.Calls)
			x := r.valueAt(st, tokens[begin:i+end+1])
			if len(r.test.Calls) == before {
				continue
			}
			r.handsOn(tokens[begin:i+end+1], x, before)
			name := tokens[i]
			name.Text = r.file.answerName()
			r.env[name.Text] = x
			call = r.file.source(tokens[begin : i+end+1])
			return append(append(tokens[:begin:begin], name), tokens[i+end+1:]...), call
		}
	}
	return tokens, ""
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
