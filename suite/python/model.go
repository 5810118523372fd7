package python

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/handset"
	"github.com/flaketap/flaketap/suite/python/before"
	"github.com/flaketap/flaketap/suite/python/syntax"
	"github.com/flaketap/flaketap/suite/script"
)

// sentAt is where a request is sent: the statement, and the function that it is of.
type sentAt struct {
	st syntax.Statement
	fn *function
}

// model is how a test sends a request, as a call of it shows.
type model struct {
	before.Model
	call *script.Call
}

// modelOf is how a test sends its requests; why is what is not known of that.
func (w *suiteFile) modelOf(t *script.Test) (m model, why string) {
	test := w.functions[t]
	why = "the test sends no request of its own"
	for _, sentBy := range []sender{theTest, aHelper, aFixture} {
		for _, c := range t.Calls {
			s := w.sendings[c]
			if c.SentTarget == "" || w.senderOf(s.fn, test) != sentBy {
				continue
			}
			if m, ok := w.modelBy(c, s, test); ok {
				return m, ""
			}
			why = "with which client, and to which base URL, the test sends its requests is not known at its head"
		}
	}
	return model{}, why
}

// sender is what of a test sends a request, the best model first.
type sender int

const (
	theTest sender = iota
	aHelper
	aFixture
	anotherFile // or what cannot be called where the test can
)

func (w *suiteFile) senderOf(f, test *function) sender {
	switch {
	case f == test:
		return theTest
	case f == nil || f.module != w.module || f.class != "" && test.class == "":
		return anotherFile
	case f.fixture:
		return aFixture
	}
	return aHelper
}

// modelBy reads the one request of a statement.
func (w *suiteFile) modelBy(c *script.Call, s sentAt, test *function) (model, bool) {
	tokens, at := s.st.Tokens, -1
	for i := 2; i+1 < len(tokens); i++ {
		method, sends := script.ClientMethod(tokens[i].Text)
		if !sends || tokens[i+1].Text != "(" || tokens[i-1].Text != "." || method != "" && method != c.Method {
			continue
		}
		if at >= 0 {
			return model{}, false
		}
		at = i
	}
	if at < 0 || s.st.Is("with") || s.st.Is("async") {
		return model{}, false
	}
	from := at - 2
	for from >= 2 && tokens[from-1].Text == "." {
		from -= 2
	}
	if tokens[from].Kind != syntax.TokenName || from > 0 && tokens[from-1].Text == "." {
		return model{}, false
	}
	m := model{before.Model{Client: w.source(tokens[from : at-1])}, c}
	if from > 0 && tokens[from-1].Text == "await" {
		m.Awaits = "await "
	}
	if async := test.head.Is("async"); async != (m.Awaits != "") || !w.knownAtHead(m.Client, s.fn, test) {
		return model{}, false
	}
	args := splitArguments(tokens[at+1:])
	method, _ := script.ClientMethod(tokens[at].Text)
	if method == "" && len(args) > 0 && syntax.TopLevel(args[0], "=") < 0 {
		args = args[1:]
	}
	return m, w.urlBy(&m, args, s, test)
}

// source is the text of tokens as it stands in the file.
func (w *suiteFile) source(tokens []syntax.Token) string {
	if len(tokens) == 0 {
		return ""
	}
	return w.script.Text[tokens[0].Start:tokens[len(tokens)-1].End]
}

// splitArguments splits the tokens of a call, from its parenthesis on, into its arguments.
func splitArguments(tokens []syntax.Token) [][]syntax.Token {
	var out [][]syntax.Token
	depth, from := 0, 1
	for i, t := range tokens {
		if t.Kind != syntax.TokenOp {
			continue
		}
		switch t.Text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		if depth == 0 || depth == 1 && t.Text == "," {
			if i > from {
				out = append(out, tokens[from:i])
			}
			from = i + 1
		}
		if depth == 0 {
			break
		}
	}
	return out
}

// urlBy reads the arguments of a request: the URL, and what goes with each request of the client.
func (w *suiteFile) urlBy(m *model, args [][]syntax.Token, s sentAt, test *function) bool {
	var url []syntax.Token
	for i, a := range args {
		switch {
		case len(a) > 2 && a[1].Text == "=" && a[0].Kind == syntax.TokenName:
			text := w.source(a)
			switch name := a[0].Text; name {
			case "url":
				url = a[2:]
			case "timeout", "verify":
				if !w.knownAtHead(w.source(a[2:]), s.fn, test) {
					return false
				}
				m.Further = append(m.Further, text)
			case "auth", "cookies", "cert", "proxies":
				return false // who asks would be another
			}
		case i == 0:
			url = a
		}
	}
	return len(url) > 0 && w.pathBy(m, url, s, test)
}

// pathBy finds where in the expression of a URL its path begins.
func (w *suiteFile) pathBy(m *model, url []syntax.Token, s sentAt, test *function) bool {
	for i, t := range url {
		path, ok := "", false
		switch content := w.content(t); {
		case t.Kind == syntax.TokenString || t.Kind == syntax.TokenFormat:
			m.Base, path, ok = handset.SplitURL(content, "{", t.Kind == syntax.TokenFormat)
			if base, name := twoHoles(content); t.Kind == syntax.TokenFormat && base != "" && w.holdsPath(name, s.fn, test) {
				m.Base, path, ok = base, m.call.Target, true
			}
		case t.Kind == syntax.TokenName && i > 0 && (i+1 == len(url) || url[i+1].Text == ")"):
			path, ok = m.call.Target, w.holdsPath(t.Text, s.fn, test)
		}
		if !ok {
			continue
		}
		m.Before, m.After = w.script.Text[url[0].Start:t.Start], behind(w, url[i+1:])
		if strings.Contains(m.After, ",") {
			return false
		}
		m.Mount, ok = handset.Mount(m.call.SentTarget, path, "{")
		return ok && w.knownAtHead(m.Before+m.Base, s.fn, test)
	}
	return false
}

// content is what stands between the quotes of a text.
func (w *suiteFile) content(t syntax.Token) string {
	text := strings.TrimLeft(w.script.Text[t.Start:t.End], "rRfFuU")
	return strings.Trim(text, `"'`)
}

// behind is what of an expression stands behind the bracket that its first part stands in.
func behind(w *suiteFile, tokens []syntax.Token) string {
	depth := 0
	for i, t := range tokens {
		if t.Kind != syntax.TokenOp {
			continue
		}
		switch t.Text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth < 0 {
				return w.source(tokens[i:])
			}
		case ",":
			if depth == 0 {
				return ","
			}
		}
	}
	return ""
}

// twoHoles reads the content of a text that is two names alone: {BASE}{path}.
func twoHoles(content string) (first, second string) {
	if m := regexp.MustCompile(`^(\{[^{}]+\})\{(\w+)\}$`).FindStringSubmatch(content); m != nil {
		return m[1], m[2]
	}
	return "", ""
}

// holdsPath reports whether a name can hold the path of a request: a parameter of a function that a test calls, or a
// variable of its own.
func (w *suiteFile) holdsPath(name string, of, test *function) bool {
	if of == test {
		return localsOf(test)[name]
	}
	return slices.ContainsFunc(of.params, func(p parameter) bool { return p.name == name })
}

// localsOf are the names that a function assigns.
func localsOf(f *function) map[string]bool {
	locals := map[string]bool{}
	for _, st := range f.body {
		equals := syntax.TopLevel(st.Tokens, "=")
		for i, t := range st.Tokens {
			assigned := i < equals && slices.Contains([]string{"=", ":", ","}, st.Tokens[i+1].Text)
			bound := i > 0 && (st.Tokens[i-1].Text == "as" || st.Tokens[i-1].Text == "for")
			if t.Kind == syntax.TokenName && (assigned || bound) {
				locals[t.Text] = true
			}
		}
	}
	return locals
}

// knownAtHead reports whether the names of an expression, one of a function that a test calls or its own, are known
// where the test begins: they are those of the file, of its parameters or of the test case.
func (w *suiteFile) knownAtHead(source string, of, test *function) bool {
	locals := localsOf(of)
	maps.Copy(locals, localsOf(test))
	if of != test {
		for _, p := range of.params {
			locals[p.name] = true
		}
		for _, p := range test.params {
			locals[p.name] = true
		}
	}
	return !slices.ContainsFunc(namesIn(source), func(name string) bool { return locals[name] })
}

// namesIn lists the names that an expression speaks of, those of members and what stands in texts aside.
func namesIn(source string) (names []string) {
	texts := regexp.MustCompile(`"[^"{}]*"|'[^'{}]*'`)
	for _, m := range regexp.MustCompile(`(\.?)\b([A-Za-z_]\w*)`).FindAllStringSubmatch(texts.ReplaceAllString(source, " "), -1) {
		if m[1] == "" {
			names = append(names, m[2])
		}
	}
	return names
}

// partOf is how the test asks an answer for a part.
func (w *suiteFile) partOf(t *script.Test, m model, answer string, part expr.Part) string {
	return w.spelling(w.spelled[t], m.call.Var).Of(answer, part)
}
