package expr

import (
	"encoding/base64"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/volatility/notation"
)

// decoded is what a part of a token encodes; an error is raised where a value is no token, or the part no object.
func (x TokenPart) decoded(v any) (any, error) {
	text, err := textOf(v)
	if err != nil {
		return nil, err
	}
	parts := strings.Split(text, ".")
	if x.Nth >= len(parts) {
		return nil, Raised("a text of %d parts", len(parts))
	}
	plain, err := base64.RawURLEncoding.DecodeString(parts[x.Nth])
	if err != nil {
		return nil, Raised("no base64: %v", err)
	}
	object, err := ParseJSON(plain)
	if _, ok := object.(map[string]any); err != nil || !ok {
		return nil, Raised("no JSON object")
	}
	return object, nil
}

// isToken reports whether a text is a JSON web token: three parts, of which two encode objects, the first with an alg.
func isToken(text string) bool {
	const v = "v"
	token := Name{v}
	ok, err := Scope{v: text}.Holds(And{[]Expr{
		Match{token, notation.FormatPattern("jwt"), true},
		Compare{Str{"alg"}, In, TokenPart{token, 0}},
		Compare{TokenPart{token, 1}, Ne, Null{}},
	}})
	return ok && err == nil
}

// TokenHolds says of a subject what is true of some values that are JSON web tokens: that it has three parts, the
// algorithm and the type in its header, the claims that all of them have, how long it lives; and then the same without
// the last, for languages that do not compute. A claim that hides reports to be no secret is told with its value, where
// all have the same. Nothing is said where a value is no token. No signature is looked at.
func TokenHolds(subject Expr, values []any, hides func(claim string) bool) []Expr {
	var headers, claims []map[string]any
	for _, v := range values {
		text, isText := v.(string)
		if !isText || !isToken(text) {
			return nil
		}
		header, _ := TokenPart{Nth: 0}.decoded(text)
		claim, _ := TokenPart{Nth: 1}.decoded(text)
		headers, claims = append(headers, header.(map[string]any)), append(claims, claim.(map[string]any))
	}
	if len(values) == 0 {
		return nil
	}
	all := []Expr{Match{subject, notation.FormatPattern("jwt"), true}}
	for _, name := range []string{"alg", "typ"} {
		if same, ok := alike(headers, name); ok {
			all = append(all, Same(Index{TokenPart{subject, 0}, Str{name}}, same))
		}
	}
	body := TokenPart{subject, 1}
	for _, name := range slices.Sorted(maps.Keys(claims[0])) {
		same, ok := alike(claims, name)
		switch {
		case !everyHas(claims, name):
		case ok && !hides(name) && !passing(name):
			all = append(all, Same(Index{body, Str{name}}, same))
		default:
			all = append(all, Compare{Str{name}, In, body})
		}
	}
	out := []Expr{AllOf(all...)}
	if seconds, ok := lifetime(claims); ok {
		between := Arith{Op: Subtract, X: Index{body, Str{"exp"}}, Y: Index{body, Str{"iat"}}}
		out = append([]Expr{AllOf(append(slices.Clone(all), Compare{between, Eq, Numeral(seconds.String())})...)}, out...)
	}
	return out
}

// passing reports whether a claim says when a token was made and when it ends, or which one it is (RFC 7519, section
// 4.1): two that were made within one second have the same, and the next one has not.
func passing(claim string) bool {
	return slices.Contains([]string{"exp", "nbf", "iat", "auth_time", "jti"}, claim)
}

// everyHas reports whether all objects have a member.
func everyHas(objects []map[string]any, name string) bool {
	return !slices.ContainsFunc(objects, func(o map[string]any) bool { _, ok := o[name]; return !ok })
}

// alike returns the scalar that all objects have under a name, as a literal.
func alike(objects []map[string]any, name string) (Expr, bool) {
	for _, o := range objects {
		if v, ok := o[name]; !ok || !Equal(v, objects[0][name]) {
			return nil, false
		}
	}
	return Literal(objects[0][name])
}

// lifetime is how many seconds lie between iat and exp, where that is the same in all claims.
func lifetime(claims []map[string]any) (seconds *big.Int, ok bool) {
	for _, c := range claims {
		ends, isEnd := c["exp"].(*big.Int)
		begins, isBegin := c["iat"].(*big.Int)
		if !isEnd || !isBegin {
			return nil, false
		}
		lives := new(big.Int).Sub(ends, begins)
		if seconds != nil && seconds.Cmp(lives) != 0 {
			return nil, false
		}
		seconds = lives
	}
	return seconds, true
}
