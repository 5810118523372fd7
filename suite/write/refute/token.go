package refute

import (
	"encoding/base64"
	"math/big"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/write/plan"
)

// Token is a JSON web token (RFC 7519) that an answer gave: the members of its header and of its claims by their names.
type Token struct {
	Header, Claims map[string]*plan.Node
}

// ReadToken reads a token, alone or behind "Bearer"; ok is false where the text is none.
func ReadToken(text string) (t Token, ok bool) {
	parts := strings.Split(strings.TrimPrefix(text, "Bearer "), ".")
	if len(parts) != 3 {
		return Token{}, false
	}
	t = Token{tokenPart(parts[0]), tokenPart(parts[1])}
	return t, t.Claims != nil && t.Header["alg"] != nil
}

// partOfToken returns a member of a token's header or of its claims, or how long it lives, as a place within it names
// it; nil where there is none.
func partOfToken(text string, path []string) *plan.Node {
	t, ok := ReadToken(text)
	switch {
	case ok && len(path) == 1 && path[0] == "lifetime" && t.Lifetime() != "":
		return &plan.Node{Raw: t.Lifetime()}
	case !ok || len(path) != 2:
		return nil
	case path[0] == "header":
		return t.Header[path[1]]
	case path[0] == "claims":
		return t.Claims[path[1]]
	}
	return nil
}

// tokenPart reads the members of the object that a part of a token encodes; nil where it encodes none.
func tokenPart(part string) map[string]*plan.Node {
	plain, err := base64.RawURLEncoding.DecodeString(part)
	root := plan.ReadNode(plain)
	if err != nil || root == nil || root.Raw != "{" {
		return nil
	}
	out := map[string]*plan.Node{}
	for i, name := range root.Keys {
		out[name] = root.Kids[i]
	}
	return out
}

// Lifetime is how many seconds lie between iat and exp; "" where a token lacks one of these.
func (t Token) Lifetime() string {
	ends, begins := whole(t.Claims["exp"]), whole(t.Claims["iat"])
	if ends == nil || begins == nil {
		return ""
	}
	return ends.Sub(ends, begins).String()
}

// whole is a whole number; nil where a node is none.
func whole(n *plan.Node) *big.Int {
	if n == nil || n.Kind() != "integer" {
		return nil
	}
	number, _ := new(big.Int).SetString(n.Raw, 10)
	return number
}

// Passing reports whether a claim says when a token was made and when it ends, or which one it is (RFC 7519, section
// 4.1): two that were made within one second have the same, and the next one has not.
func Passing(name string) bool {
	return slices.Contains([]string{"exp", "nbf", "iat", "auth_time", "jti"}, name)
}

// Alike returns the scalar that all tokens have in one place; nil where they differ.
func Alike(all []Token, of func(Token) *plan.Node) *plan.Node {
	first := of(all[0])
	if first == nil || !first.Scalar() {
		return nil
	}
	for _, t := range all[1:] {
		if v := of(t); v == nil || v.Raw != first.Raw {
			return nil
		}
	}
	return first
}

// Lifetime is how many seconds lie between iat and exp, where that is the same in all tokens; "" where it is not.
func Lifetime(all []Token) string {
	out := ""
	for _, t := range all {
		seconds := t.Lifetime()
		if seconds == "" || out != "" && seconds != out {
			return ""
		}
		out = seconds
	}
	return out
}
