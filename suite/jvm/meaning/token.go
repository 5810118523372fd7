package meaning

import (
	"regexp"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
)

// REST-assured evaluates a path as Groovy, so a path can go on within a JSON web token: one step decodes a part of it,
// the steps behind that lead through its claims, and another one tells how long the token lives. All that is used comes
// with REST-assured and Java 8.
const (
	// DecodesPart is the step to the N-th part of a token.
	DecodesPart = `.with { new groovy.json.JsonSlurper().parse(java.util.Base64.getUrlDecoder().decode(` +
		`it.tokenize('.')[N]), 'UTF-8') }`
	// TellsLifetime is the step from its claims to how long it lives.
	TellsLifetime = `.with { it.'exp'.minus(it.'iat').intValue() }`
)

// decodesStep and lifetimeStep read these steps, which are left out where there is nothing if ?. is written.
var (
	decodesStep  = regexp.MustCompile(`^(\??)` + strings.Replace(regexp.QuoteMeta(DecodesPart), "N", "([01])", 1))
	lifetimeStep = regexp.MustCompile(`^\??` + regexp.QuoteMeta(TellsLifetime) + `$`)
)

// inToken reads the steps behind a path to a token, and reports whether they are of the form that flaketap writes.
func (p *Path) inToken(rest string) bool {
	m := decodesStep.FindStringSubmatch(rest)
	if m == nil {
		return false
	}
	p.Token, p.Safe = p.X, m[1] != ""
	p.X, rest = expr.TokenPart{X: p.X, Nth: int(m[2][0] - '0')}, rest[len(m[0]):]
	if lifetimeStep.MatchString(rest) {
		p.X = LifetimeOf(p.X)
		return true
	}
	if rest == "" {
		return true
	}
	rest, ok := strings.CutPrefix(strings.TrimPrefix(rest, "?"), ".")
	key, n, wrong := gpathKey(rest)
	p.X = expr.Index{X: p.X, I: expr.Str{Value: key}}
	return ok && n > 0 && n == len(rest) && !wrong
}

// LifetimeOf says how many seconds lie between the iat and the exp of some claims.
func LifetimeOf(claims expr.Expr) expr.Expr {
	claim := func(name string) expr.Expr { return expr.Index{X: claims, I: expr.Str{Value: name}} }
	return expr.Arith{Op: expr.Subtract, X: claim("exp"), Y: claim("iat")}
}
