package link

import (
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/script"
)

// Style is how matchers are written in one file.
type Style struct {
	Kotlin   bool
	Matchers string // what goes before Hamcrest's functions: "" where the file imports them
	Numbers  bool   // it has the generator's numberMatches
	Response string // a name for an answer that no variable has
}

var (
	importsMatchers = regexp.MustCompile(`(?m)^\s*import\s+(?:static\s+)?org\.hamcrest\.Matchers\.\*`)
	importsNumbers  = regexp.MustCompile(`(?m)^\s*import\s+(?:static\s+)?[\w.]+\.NumberMatcher\.(?:\*|numberMatches)`)
)

// StyleOf notes how a file writes matchers.
func StyleOf(text string, kotlin bool) Style {
	st := Style{Kotlin: kotlin, Matchers: "org.hamcrest.Matchers.", Response: "r",
		Numbers: importsNumbers.MatchString(text)}
	if importsMatchers.MatchString(text) {
		st.Matchers = ""
	}
	return st
}

// Literal writes a text as the language does.
func (st Style) Literal(s string) string {
	if st.Kotlin {
		return literal.Kotlin(s)
	}
	return literal.Java(s)
}

// subjectKind is what a link looks at.
type subjectKind int

const (
	statusSubject subjectKind = iota
	headerSubject
	bodySubject // the text
	pathSubject // the value at a path
	size        // its length
	double      // the number at a path, whatever its class
	withinToken // what a JSON web token at a path holds
)

// assertSubject is what a link looks at, and where.
type assertSubject struct {
	kind subjectKind
	name string // of a header
	path string
	// the steps from a token on: decodes one of its parts, and what is asked of that
	decodes, step string
}

// atom is a statement about one subject: that it fulfils one of some matchers.
type atom struct {
	subject assertSubject
	any     []string
}

// Writer writes an expression in the place of an assertion.
type Writer struct {
	Style
	T *script.Test
	A *script.Assertion
}

// Write says an expression as one link of a chain. What would have to be read before it is known whether there is
// anything to look at is asked in a function that REST-assured calls with the answer, as the value of a header that may
// be anything: a path can only be given for a body that can be parsed.
func (st Style) Write(t *script.Test, a *script.Assertion, x expr.Expr) (string, bool) {
	if a.Relation == "" { // it makes no claim, and says which answer it is about by what it means
		of := t.Answers(a.Meaning)
		if len(of) == 0 {
			return "", false
		}
		about := *a
		about.Call, a = slices.Index(t.Calls, of[0]), &about
	}
	w := &Writer{st, t, a}
	guards, rest, nullable := w.Split(x)
	link, ok := "", false
	if !a.Rebound && !nullable && expr.Identical(rest, a.Meaning) {
		link, ok = "."+strings.TrimPrefix(a.Text, "."), true
	} else if atoms := w.atoms(rest); atoms != nil {
		link, ok = w.link(atoms, nullable)
	}
	if len(guards) > 0 && ok {
		link, ok = w.guarded(guards, link)
	}
	return link, ok && !strings.ContainsAny(link, "\r\n")
}

// Split parts an alternative into the conditions under which there is nothing to look at, and what is said otherwise.
// nullable is whether one of the former is that a member or an element is missing, which a path shows as null.
func (w *Writer) Split(x expr.Expr) (guards []expr.Expr, rest expr.Expr, nullable bool) {
	or, ok := x.(expr.Or)
	if !ok || !w.A.Rebound && expr.Identical(x, w.A.Meaning) {
		return nil, x, false
	}
	said := or.Xs
	var same expr.Expr // the assertion as it was, at the end
	if was, ok := w.A.Meaning.(expr.Or); ok && len(said) > len(was.Xs) {
		if tail := (expr.Or{Xs: said[len(said)-len(was.Xs):]}); expr.Identical(tail, was) {
			said, same = said[:len(said)-len(was.Xs)], was
		}
	}
	var others []expr.Expr
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
	return guards, expr.Or{Xs: others}, nullable
}

// isMissing reports whether a condition is that a member or an element is not there.
func isMissing(x expr.Expr) bool {
	c, ok := x.(expr.Compare)
	_, counts := c.X.(expr.Len)
	return ok && (c.Op == expr.NotIn || c.Op == expr.Le && counts)
}

// isGuard reports whether a condition is that the status is another, or that a value is of another type.
func isGuard(x expr.Expr) bool {
	switch x := x.(type) {
	case expr.Not:
		_, ok := x.X.(expr.IsType)
		return ok
	case expr.Compare:
		of, ok := x.X.(expr.Answer)
		return x.Op == expr.Ne && ok && of.Part == expr.Status
	}
	return false
}

// guarded writes a link that is looked at where no guard holds.
func (w *Writer) guarded(guards []expr.Expr, link string) (string, bool) {
	r := w.Response
	var conditions []string
	for _, g := range guards {
		switch g := g.(type) {
		case expr.Compare:
			status, ok := g.Y.(expr.Num)
			if !ok {
				return "", false
			}
			conditions = append(conditions, r+".statusCode() == "+status.Text)
		case expr.Not:
			is := g.X.(expr.IsType)
			s, known := w.subject(is.X)
			class := map[expr.Type]string{expr.TypeObject: "Map", expr.TypeArray: "List"}[is.Types[0]]
			if len(is.Types) != 1 || !known || s.kind != pathSubject || class == "" {
				return "", false
			}
			if w.Kotlin {
				conditions = append(conditions, r+".path<Any?>("+w.Literal(s.path)+") is "+map[string]string{"Map": "Map<*, *>",
					"List": "List<*>"}[class])
			} else {
				conditions = append(conditions, r+".path("+w.Literal(s.path)+") instanceof java.util."+class)
			}
		}
	}
	condition, anything := strings.Join(conditions, " && "), w.Matchers+"anything()"
	if w.Kotlin {
		return `.header("content-type", { ` + r + " -> if (" + condition + ") { " + r + ".then()" + link + " }; " + anything +
			" })", true
	}
	return `.header("content-type", ` + r + " -> { if (" + condition + ") " + r + ".then()" + link + "; return " +
		anything + "; })", true
}

// link writes statements about an answer. They are about one subject, or all about paths.
func (w *Writer) link(atoms []atom, nullable bool) (string, bool) {
	var pairs []string
	for _, a := range atoms {
		any := a.any
		null := w.Matchers + "nullValue()"
		if nullable && !slices.Contains(any, null) {
			any = append([]string{null}, any...)
		}
		m := w.either(any)
		optional := slices.Contains(any, null)
		switch a.subject.kind {
		case pathSubject:
			pairs = append(pairs, w.Literal(a.subject.path), m)
			continue
		case size, double:
			pairs = append(pairs, w.Literal(called(a.subject, optional)), m)
			continue
		case withinToken:
			pairs = append(pairs, w.Literal(withinPath(a.subject, optional)), m)
			continue
		}
		if len(atoms) > 1 {
			return "", false
		}
		switch {
		case a.subject.kind == statusSubject:
			return ".statusCode(" + m + ")", true
		case a.subject.kind == bodySubject:
			return ".body(" + m + ")", true
		case a.subject.name == "content-type" && !optional:
			return ".contentType(" + m + ")", true
		}
		return ".header(" + w.Literal(a.subject.name) + ", " + m + ")", true
	}
	return ".body(" + strings.Join(pairs, ", ") + ")", true
}

// called writes a path with the call that makes a length or a number of it; optional leaves it out where there is
// nothing.
func called(s assertSubject, optional bool) string {
	p := meaning.Path{End: "size", Safe: optional}
	if s.kind == double {
		p.End = "doubleValue"
	}
	if s.path == "" {
		return p.End + "()"
	}
	if optional {
		return s.path + "?." + p.End + "()"
	}
	return s.path + "." + p.End + "()"
}

// either writes that one of some matchers holds.
func (w *Writer) either(any []string) string {
	if len(any) == 1 {
		return any[0]
	}
	return w.Matchers + "anyOf(" + strings.Join(any, ", ") + ")"
}

// subject finds what an expression looks at: a part of the answer of the assertion's call.
func (w *Writer) subject(x expr.Expr) (assertSubject, bool) {
	answer := w.T.Calls[w.A.Call].Var
	switch x := x.(type) {
	case expr.Answer:
		switch {
		case x.Var != answer:
		case x.Part == expr.Status:
			return assertSubject{kind: statusSubject}, true
		case x.Part == expr.Text:
			return assertSubject{kind: bodySubject}, true
		}
	case expr.Index:
		if of, ok := x.X.(expr.Answer); ok && of.Part == expr.Headers && of.Var == answer {
			name, ok := x.I.(expr.Str)
			return assertSubject{kind: headerSubject, name: name.Value}, ok
		}
	case expr.Each:
		return w.eachSubject(x)
	case expr.Len:
		s, ok := w.subject(x.X)
		ok = ok && s.kind == pathSubject
		s.kind = size
		return s, ok
	}
	if of, ok := expr.BodyOf(x); ok && of == answer {
		return assertSubject{kind: pathSubject, path: meaning.Source(x)}, true
	}
	return w.tokenSubject(x)
}

// Path is the path of Groovy's that an expression is; false where it is something else.
func (w *Writer) Path(x expr.Expr) (string, bool) {
	s, ok := w.subject(x)
	return s.path, ok && s.kind == pathSubject
}
