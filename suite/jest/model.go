package jest

import (
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/handset"
	"github.com/flaketap/flaketap/suite/jest/before"
	"github.com/flaketap/flaketap/suite/jest/library"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/script"
)

// body notes where the statements of a test stand, if they have lines of their own: behind its brace, with the comments
// above the first.
func (w *written) body(t *script.Test, fn *js.Node) {
	w.bodies[t] = fn
	if fn.From >= fn.To || fn.To >= len(w.tokens) || !w.tokens[fn.To].Is("}") {
		return
	}
	first, closing := w.spanOf(fn.From, fn.From+1), w.spanOf(fn.To, fn.To+1)
	line := w.tokens[fn.From-1].Line
	if first.FirstLine <= line || closing.FirstLine <= first.FirstLine || !w.ownLine(first) || !w.ownLine(closing) {
		return
	}
	for strings.TrimSpace(w.script.Lines[line]) == "" {
		line++
	}
	t.BodyStart, t.BodyEnd, t.Indent = w.starts[line], w.starts[closing.FirstLine-1], first.Indent
}

// within are the tokens of a piece of the file.
func (w *written) within(at script.Span) []js.Token {
	from := slices.IndexFunc(w.tokens, func(t js.Token) bool { return t.Start >= at.Start })
	to := from
	for to >= 0 && to < len(w.tokens) && w.tokens[to].End <= at.End {
		to++
	}
	return w.tokens[max(from, 0):max(to, 0)]
}

// modelOf is how a test sends its requests; why is what is not known of that.
func (w *written) modelOf(t *script.Test) (m before.Model, why string) {
	fn := w.bodies[t]
	if !w.tokens[fn.First].Is("async") {
		return m, "the test is no async function"
	}
	why = "the test sends no request of its own by fetch or axios"
	for _, c := range t.Calls {
		lib := w.calls[c]
		if c.At.Start < t.BodyStart || c.SentTarget == "" || lib != library.Fetch && lib != library.Axios {
			continue
		}
		m := before.Model{Axios: lib == library.Axios, Quote: w.spelling.Quote()}
		by := m
		if w.modelBy(&m, c, t) {
			return m, ""
		}
		if w.modelThrough(&by, c) {
			return by, ""
		}
		why = "with which client, and to which base URL, the test sends its requests is not known at its head"
	}
	return before.Model{}, why
}

// modelBy reads the one request of a statement: await fetch(…), await axios.get(…).
func (w *written) modelBy(m *before.Model, c *script.Call, t *script.Test) bool {
	tokens, at := w.within(c.At), -1
	for i := 1; i+2 < len(tokens); i++ {
		if !tokens[i-1].Is("await") || tokens[i].Kind != js.Word {
			continue
		}
		if at >= 0 {
			return false
		}
		at = i
	}
	if at < 0 {
		return false
	}
	end := at
	for end+2 < len(tokens) && tokens[end+1].Is(".") && tokens[end+2].Kind == js.Word {
		end += 2
	}
	if !tokens[end+1].Is("(") || m.Axios && (end == at || !library.IsVerb(tokens[end].Text)) || !m.Axios && end > at {
		return false
	}
	m.Client = w.script.Text[tokens[at].Start:tokens[end].End]
	if m.Axios {
		m.Client = strings.TrimSuffix(m.Client, "."+tokens[end].Text)
	}
	if !m.Axios && m.Client != "fetch" && library.ByModule()[w.module.packages[m.Client]] != library.Fetch {
		return false // a function of the file's own, which takes something else
	}
	return w.knownAtHead(m.Client, t) && w.urlBy(m, tokens[end+2:], c, t)
}

// urlBy reads the first argument of a request, which ends the tokens or is followed by others.
func (w *written) urlBy(m *before.Model, tokens []js.Token, c *script.Call, t *script.Test) bool {
	depth, last := 0, len(tokens)
	for i, x := range tokens {
		switch {
		case x.Is("(") || x.Is("[") || x.Is("{"):
			depth++
		case x.Is(")") || x.Is("]") || x.Is("}"):
			depth--
		}
		if depth < 0 || depth == 0 && x.Is(",") {
			last = i
			break
		}
	}
	for i, x := range tokens[:last] {
		if x.Kind != js.JsString && x.Kind != js.JsTemplate {
			continue
		}
		path, ok := "", false
		if m.Base, path, ok = handset.SplitURL(w.script.Text[x.Start+1:x.End-1], "${", x.Kind == js.JsTemplate); !ok {
			return false
		}
		m.Before = w.script.Text[tokens[0].Start:x.Start]
		if m.After, ok = w.behind(tokens[i+1 : last]); !ok {
			return false
		}
		m.Mount, ok = handset.Mount(c.SentTarget, path, "${")
		return ok && w.knownAtHead(m.Before+m.Base, t)
	}
	return false
}

// behind is what of an expression stands behind the bracket that its first part stands in; false where that has others
// behind it.
func (w *written) behind(tokens []js.Token) (string, bool) {
	depth := 0
	for i, x := range tokens {
		switch {
		case x.Is("(") || x.Is("[") || x.Is("{"):
			depth++
		case x.Is(",") && depth == 0:
			return "", false
		case x.Is(")") || x.Is("]") || x.Is("}"):
			if depth--; depth < 0 {
				return w.script.Text[x.Start:tokens[len(tokens)-1].End], i >= 0
			}
		}
	}
	return "", true
}

// knownAtHead reports whether the names of an expression are known where a test begins: it declares none of them.
func (w *written) knownAtHead(source string, t *script.Test) bool {
	locals := w.locals(t)
	return !slices.ContainsFunc(namesIn(source), func(name string) bool { return locals[name] })
}

// namesIn lists the names that an expression speaks of, those of members aside.
func namesIn(source string) (names []string) {
	for _, m := range regexp.MustCompile(`(\.?)\b([A-Za-z_$][\w$]*)`).FindAllStringSubmatch(source, -1) {
		if m[1] == "" {
			names = append(names, m[2])
		}
	}
	return names
}

// locals are the names that a test declares in its body.
func (w *written) locals(t *script.Test) map[string]bool {
	out, fn := map[string]bool{}, w.bodies[t]
	declares := false
	for _, x := range w.tokens[fn.From:fn.To] {
		switch {
		case x.Is("const") || x.Is("let") || x.Is("var"):
			declares = true
		case x.Is("=") || x.Is("of") || x.Is(";"):
			declares = false
		case declares && x.Kind == js.Word:
			out[x.Text] = true
		}
	}
	return out
}

// handed are the variables that tests of the file assign and this one reads, or gives: by them they hand each other
// what they made.
func (w *written) handed(t *script.Test) (reads, gives []string) {
	changed := map[string]bool{}
	for other, fn := range w.bodies {
		locals := w.locals(other)
		for i := fn.From; i+1 < fn.To; i++ {
			x := w.tokens[i]
			if x.Kind != js.Word || locals[x.Text] || i > 0 && w.tokens[i-1].Is(".") {
				continue
			}
			end := i + 1
			for end+2 < fn.To && w.tokens[end].Is(".") && w.tokens[end+1].Kind == js.Word {
				end += 2
			}
			pushes := end > i+1 && w.tokens[end].Is("(") && slices.Contains([]string{"push", "set", "add", "unshift"}, w.tokens[end-1].Text)
			if w.tokens[end].Is("=") || pushes {
				changed[x.Text] = true
			}
		}
	}
	same := func(name string) bool { return !changed[name] }
	reads, gives = js.Reads(w.tokens[w.bodies[t].From:w.bodies[t].To])
	return slices.DeleteFunc(reads, same), slices.DeleteFunc(gives, same)
}

// shares names the first variable that a test is handed, and the first that it hands on.
func (w *written) shares(_ *script.Script, t *script.Test) (reads, gives string) {
	first := func(names []string) string {
		if len(names) == 0 {
			return ""
		}
		return "the variable " + names[0]
	}
	taken, given := w.handed(t)
	return first(taken), first(given)
}

// takes lists the variables that a test is handed.
func (w *written) takes(_ *script.Script, t *script.Test) []string {
	reads, _ := w.handed(t)
	return reads
}

// handedIn is the variable that others hand a test, or its member, that stands for the unknown part of a path.
func (w *written) handedIn(s *script.Script, t *script.Test, c *script.Call) string {
	name := handset.GivenInJavaScript(s, t, c)
	root, _, _ := strings.Cut(name, ".")
	if name == "" || !slices.Contains(w.takes(s, t), root) || w.locals(t)[root] {
		return ""
	}
	return name
}
