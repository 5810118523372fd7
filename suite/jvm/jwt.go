package jvm

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
)

// REST-assured evaluates a path as Groovy, so a path can go on within a JSON web token: one step decodes a part of it,
// the steps behind that lead through its claims, and another one tells how long the token lives. All that is used comes
// with REST-assured and Java 8.
const (
	decodesPart = `.with { new groovy.json.JsonSlurper().parse(java.util.Base64.getUrlDecoder().decode(` +
		`it.tokenize('.')[N]), 'UTF-8') }`
	tellsLifetime = `.with { it.'exp'.minus(it.'iat').intValue() }`
)

// decodesStep and lifetimeStep read these steps, which are left out where there is nothing if ?. is written.
var (
	decodesStep  = regexp.MustCompile(`^(\??)` + strings.Replace(regexp.QuoteMeta(decodesPart), "N", "([01])", 1))
	lifetimeStep = regexp.MustCompile(`^\??` + regexp.QuoteMeta(tellsLifetime) + `$`)
)

// inToken reads the steps behind a path to a token, and reports whether they are of the form that flaketap writes.
func (p *gpath) inToken(rest string) bool {
	m := decodesStep.FindStringSubmatch(rest)
	if m == nil {
		return false
	}
	p.token, p.safe = p.x, m[1] != ""
	p.x, rest = expr.TokenPart{X: p.x, Nth: int(m[2][0] - '0')}, rest[len(m[0]):]
	if lifetimeStep.MatchString(rest) {
		p.x = lifetimeOf(p.x)
		return true
	}
	if rest == "" {
		return true
	}
	rest, ok := strings.CutPrefix(strings.TrimPrefix(rest, "?"), ".")
	key, n, wrong := gpathKey(rest)
	p.x = expr.Index{X: p.x, I: expr.Str{Value: key}}
	return ok && n > 0 && n == len(rest) && !wrong
}

// lifetimeOf says how many seconds lie between the iat and the exp of some claims.
func lifetimeOf(claims expr.Expr) expr.Expr {
	claim := func(name string) expr.Expr { return expr.Index{X: claims, I: expr.Str{Value: name}} }
	return expr.Arith{Op: expr.Subtract, X: claim("exp"), Y: claim("iat")}
}

// tokenSubject finds what an expression looks at within a token that a path leads to.
func (w *assertWriter) tokenSubject(x expr.Expr) (assertSubject, bool) {
	step := ""
	switch of := x.(type) {
	case expr.Index:
		step = "." + gpathSource(expr.Index{X: expr.Name{}, I: of.I})
		_, isKey := of.I.(expr.Str)
		if x = of.X; !isKey {
			return assertSubject{}, false
		}
	case expr.Arith:
		exp, _ := of.X.(expr.Index)
		if !expr.Identical(x, lifetimeOf(exp.X)) {
			return assertSubject{}, false
		}
		step, x = tellsLifetime, exp.X
	}
	part, ok := x.(expr.TokenPart)
	if !ok {
		return assertSubject{}, false
	}
	s, ok := w.subject(part.X)
	if s.kind != pathSubject || s.path == "" {
		return assertSubject{}, false
	}
	decodes := strings.Replace(decodesPart, "N", strconv.Itoa(part.Nth), 1)
	return assertSubject{kind: withinToken, path: s.path, decodes: decodes, step: step}, ok
}

// withinPath writes the path of a subject within a token; optional leads on only where there is a token.
func withinPath(s assertSubject, optional bool) string {
	safe := ""
	if optional {
		safe = "?"
	}
	path := s.path + safe + s.decodes
	if s.step != "" {
		path += safe + s.step
	}
	return path
}

// claims says that the header or the claims of a token have some members, those that the first n of some statements
// name; n is 0 where the first one says something else.
func (w *assertWriter) claims(xs []expr.Expr) (out []atom, n int) {
	m := w.style.matchers
	var keys []string
	var part expr.Expr
	for _, x := range xs {
		c, _ := x.(expr.Compare)
		key, isText := c.X.(expr.Str)
		_, isPart := c.Y.(expr.TokenPart)
		if !isText || !isPart || c.Op != expr.In || part != nil && !expr.Identical(part, c.Y) {
			break
		}
		part, keys = c.Y, append(keys, m+"hasKey("+w.literal(key.Value)+")")
	}
	switch s, ok := w.subject(part); {
	case !ok:
		return nil, len(keys)
	case len(keys) == 1:
		return []atom{{s, keys}}, 1
	default:
		return []atom{{s, []string{m + "allOf(" + strings.Join(keys, ", ") + ")"}}}, len(keys)
	}
}

// tokenLink gives the meaning of a matcher over what a token holds, or over nothing where there may be no token.
func (r *reader) tokenLink(p gpath, m java.Node) expr.Expr {
	x := r.matcher(p.x, m)
	if x == nil || !p.safe || !r.takesNull(m) {
		return x
	}
	return tolerant(p.token, expr.Or{Xs: []expr.Expr{expr.IsNull(p.token), x}})
}
