package link

import (
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
)

// tokenSubject finds what an expression looks at within a token that a path leads to.
func (w *Writer) tokenSubject(x expr.Expr) (assertSubject, bool) {
	step := ""
	switch of := x.(type) {
	case expr.Index:
		step = "." + meaning.Source(expr.Index{X: expr.Name{}, I: of.I})
		_, isKey := of.I.(expr.Str)
		if x = of.X; !isKey {
			return assertSubject{}, false
		}
	case expr.Arith:
		exp, _ := of.X.(expr.Index)
		if !expr.Identical(x, meaning.LifetimeOf(exp.X)) {
			return assertSubject{}, false
		}
		step, x = meaning.TellsLifetime, exp.X
	}
	part, ok := x.(expr.TokenPart)
	if !ok {
		return assertSubject{}, false
	}
	s, ok := w.subject(part.X)
	if s.kind != pathSubject || s.path == "" {
		return assertSubject{}, false
	}
	decodes := strings.Replace(meaning.DecodesPart, "N", strconv.Itoa(part.Nth), 1)
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
func (w *Writer) claims(xs []expr.Expr) (out []atom, n int) {
	m := w.Matchers
	var keys []string
	var part expr.Expr
	for _, x := range xs {
		c, _ := x.(expr.Compare)
		key, isText := c.X.(expr.Str)
		_, isPart := c.Y.(expr.TokenPart)
		if !isText || !isPart || c.Op != expr.In || part != nil && !expr.Identical(part, c.Y) {
			break
		}
		part, keys = c.Y, append(keys, m+"hasKey("+w.Literal(key.Value)+")")
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
