package suite

import (
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
)

// jvmStyle is how matchers are written in one file.
type jvmStyle struct {
	matchers string // what goes before Hamcrest's functions: "" where the file imports them
	numbers  bool   // it has the generator's numberMatches
	response string // a name for an answer that no variable has
	own      string // what our own names for answers begin with, which are no variables of the suite
}

var (
	importsMatchers = regexp.MustCompile(`(?m)^\s*import\s+(?:static\s+)?org\.hamcrest\.Matchers\.\*`)
	importsNumbers  = regexp.MustCompile(`(?m)^\s*import\s+(?:static\s+)?[\w.]+\.NumberMatcher\.(?:\*|numberMatches)`)
)

// styleOf notes how a file writes matchers.
func (r *jvmReader) styleOf() jvmStyle {
	st := jvmStyle{matchers: "org.hamcrest.Matchers.", response: "r", own: r.own, numbers: importsNumbers.MatchString(r.script.text)}
	if importsMatchers.MatchString(r.script.text) {
		st.matchers = ""
	}
	return st
}

// literal writes a text as the language does.
func (j *junit) literal(s string) string {
	if j.kotlin {
		return literal.Kotlin(s)
	}
	return literal.Java(s)
}

// jvmKind is what a link looks at.
type jvmKind int

const (
	jvmStatus jvmKind = iota
	jvmHeader
	jvmBody   // the text
	jvmPath   // the value at a path
	jvmSize   // its length
	jvmDouble // the number at a path, whatever its class
)

// jvmSubject is what a link looks at, and where.
type jvmSubject struct {
	kind jvmKind
	name string // of a header
	path string
}

// jvmAtom is a statement about one subject: that it fulfils one of some matchers.
type jvmAtom struct {
	subject jvmSubject
	any     []string
}

// jvmWriter writes an expression in the place of an assertion.
type jvmWriter struct {
	*junit
	t *Test
	a *Assertion
}

// write says an expression as one link of a chain. What would have to be read before it is known whether there is anything
// to look at is asked in a function that REST-assured calls with the answer, as the value of a header that may be anything:
// a path can only be given for a body that can be parsed.
func (j *junit) write(_ *Script, t *Test, a *Assertion, x expr) (string, bool) {
	w := &jvmWriter{j, t, a}
	if a.Relation == "" || !strings.HasPrefix(a.Text, ".") {
		return "", false
	}
	guards, rest, nullable := w.split(x)
	link, ok := "", false
	if !a.bound && !nullable && sameExpr(rest, a.x) {
		link, ok = a.Text, true
	} else if atoms := w.atoms(rest); atoms != nil {
		link, ok = w.link(atoms, nullable)
	}
	if len(guards) > 0 && ok {
		link, ok = w.guarded(guards, link)
	}
	return link, ok && !strings.ContainsAny(link, "\r\n")
}

func sameExpr(a, b expr) bool { return pySource(a) == pySource(b) }

// split parts an alternative into the conditions under which there is nothing to look at, and what is said otherwise.
// nullable is whether one of the former is that a member or an element is missing, which a path shows as null.
func (w *jvmWriter) split(x expr) (guards []expr, rest expr, nullable bool) {
	or, ok := x.(pyBool)
	if !ok || or.op != "or" || !w.a.bound && sameExpr(x, w.a.x) {
		return nil, x, false
	}
	said := or.xs
	var same expr // the assertion as it was, at the end
	if was, ok := w.a.x.(pyBool); ok && was.op == "or" && len(said) > len(was.xs) {
		if tail := (pyBool{"or", said[len(said)-len(was.xs):]}); sameExpr(tail, was) {
			said, same = said[:len(said)-len(was.xs)], was
		}
	}
	var others []expr
	for i, y := range said {
		switch {
		case i == len(said)-1 && same == nil:
			others = append(others, y)
		case isMissing(y):
			nullable = true
		case isGuard(y):
			guards = append(guards, y)
		default:
			others = append(others, y)
		}
	}
	switch {
	case same != nil && len(others) == 0:
		return guards, same, false // it takes null for nothing as it is
	case len(others) == 1:
		return guards, others[0], nullable
	}
	return guards, pyBool{"or", others}, nullable
}

// isMissing reports whether a condition is that a member or an element is not there.
func isMissing(x expr) bool {
	c, ok := x.(pyCompare)
	if !ok || len(c.ops) != 1 {
		return false
	}
	call, isCall := c.x.(pyCall)
	return c.ops[0] == "not in" || c.ops[0] == "<=" && isCall && isName(call.fn, "len")
}

// isGuard reports whether a condition is that the status is another, or that a value is of another type.
func isGuard(x expr) bool {
	switch x := x.(type) {
	case pyUnary:
		call, ok := x.x.(pyCall)
		return x.op == "not" && ok && isName(call.fn, "isinstance")
	case pyCompare:
		attr, ok := x.x.(pyAttr)
		return len(x.ops) == 1 && x.ops[0] == "!=" && ok && attr.name == "status_code"
	}
	return false
}

// guarded writes a link that is looked at where no guard holds.
func (w *jvmWriter) guarded(guards []expr, link string) (string, bool) {
	r := w.style.response
	var conditions []string
	for _, g := range guards {
		switch g := g.(type) {
		case pyCompare:
			status, ok := g.ys[0].(pyNum)
			if !ok {
				return "", false
			}
			conditions = append(conditions, r+".statusCode() == "+status.text)
		case pyUnary:
			args := g.x.(pyCall).args
			kind, ok := args[1].(pyName)
			s, known := w.subject(args[0])
			class := map[string]string{"dict": "Map", "list": "List"}[kind.id]
			if !ok || !known || s.kind != jvmPath || class == "" {
				return "", false
			}
			if w.kotlin {
				conditions = append(conditions, r+".path<Any?>("+w.literal(s.path)+") is "+map[string]string{"Map": "Map<*, *>", "List": "List<*>"}[class])
			} else {
				conditions = append(conditions, r+".path("+w.literal(s.path)+") instanceof java.util."+class)
			}
		}
	}
	condition, anything := strings.Join(conditions, " && "), w.style.matchers+"anything()"
	if w.kotlin {
		return `.header("content-type", { ` + r + " -> if (" + condition + ") { " + r + ".then()" + link + " }; " + anything + " })", true
	}
	return `.header("content-type", ` + r + " -> { if (" + condition + ") " + r + ".then()" + link + "; return " + anything + "; })", true
}

// link writes statements about an answer. They are about one subject, or all about paths.
func (w *jvmWriter) link(atoms []jvmAtom, nullable bool) (string, bool) {
	var pairs []string
	for _, a := range atoms {
		any := a.any
		null := w.style.matchers + "nullValue()"
		if nullable && !slices.Contains(any, null) {
			any = append([]string{null}, any...)
		}
		m := w.either(any)
		optional := slices.Contains(any, null)
		switch a.subject.kind {
		case jvmPath:
			pairs = append(pairs, w.literal(a.subject.path), m)
			continue
		case jvmSize, jvmDouble:
			pairs = append(pairs, w.literal(called(a.subject, optional)), m)
			continue
		}
		if len(atoms) > 1 {
			return "", false
		}
		switch {
		case a.subject.kind == jvmStatus:
			return ".statusCode(" + m + ")", true
		case a.subject.kind == jvmBody:
			return ".body(" + m + ")", true
		case a.subject.name == "content-type" && !optional:
			return ".contentType(" + m + ")", true
		}
		return ".header(" + w.literal(a.subject.name) + ", " + m + ")", true
	}
	return ".body(" + strings.Join(pairs, ", ") + ")", true
}

// called writes a path with the call that makes a length or a number of it; optional leaves it out where there is nothing.
func called(s jvmSubject, optional bool) string {
	p := gpath{end: "size", safe: optional}
	if s.kind == jvmDouble {
		p.end = "doubleValue"
	}
	if s.path == "" {
		return p.end + "()"
	}
	if optional {
		return s.path + "?." + p.end + "()"
	}
	return s.path + "." + p.end + "()"
}

// either writes that one of some matchers holds.
func (w *jvmWriter) either(any []string) string {
	if len(any) == 1 {
		return any[0]
	}
	return w.style.matchers + "anyOf(" + strings.Join(any, ", ") + ")"
}

// subject finds what an expression looks at: a part of the answer of the assertion's call.
func (w *jvmWriter) subject(x expr) (jvmSubject, bool) {
	answer := w.t.Calls[w.a.Call].Var
	switch x := x.(type) {
	case pyAttr:
		if !isName(x.x, answer) {
			break
		}
		switch x.name {
		case "status_code":
			return jvmSubject{kind: jvmStatus}, true
		case "text":
			return jvmSubject{kind: jvmBody}, true
		}
	case pyIndex:
		if attr, ok := x.x.(pyAttr); ok && attr.name == "headers" && isName(attr.x, answer) {
			name, ok := x.i.(pyStr)
			return jvmSubject{kind: jvmHeader, name: name.s}, ok
		}
	case pyCall:
		if isName(x.fn, "len") && len(x.args) == 1 {
			s, ok := w.subject(x.args[0])
			ok = ok && s.kind == jvmPath
			s.kind = jvmSize
			return s, ok
		}
	}
	if isName(jsonOf(x), answer) {
		return jvmSubject{kind: jvmPath, path: gpathSource(x)}, true
	}
	return jvmSubject{}, false
}

// jsonOf returns the answer that a path leads through the JSON of: res_0 of res_0.json()["a"][0]; nil for all else.
func jsonOf(x expr) expr {
	for {
		i, ok := x.(pyIndex)
		if !ok {
			break
		}
		switch i.i.(type) {
		case pyNum, pyStr:
		default:
			return nil
		}
		x = i.x
	}
	call, ok := x.(pyCall)
	if !ok || len(call.args) > 0 {
		return nil
	}
	attr, ok := call.fn.(pyAttr)
	if !ok || attr.name != "json" {
		return nil
	}
	return attr.x
}
