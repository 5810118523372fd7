package build

import (
	"encoding/base64"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// token is a JSON web token (RFC 7519) that an answer gave: the members of its header and of its claims by their names.
type token struct {
	header, claims map[string]*plan.Node
}

// readToken reads a token, alone or behind "Bearer"; ok is false where the text is none.
func readToken(text string) (t token, ok bool) {
	parts := strings.Split(strings.TrimPrefix(text, "Bearer "), ".")
	if len(parts) != 3 {
		return token{}, false
	}
	t = token{tokenPart(parts[0]), tokenPart(parts[1])}
	return t, t.claims != nil && t.header["alg"] != nil
}

// partOfToken returns a member of a token's header or of its claims, as a place within it names it; nil where there is
// none.
func partOfToken(text string, path []string) *plan.Node {
	t, ok := readToken(text)
	switch {
	case !ok || len(path) != 2:
		return nil
	case path[0] == "header":
		return t.header[path[1]]
	case path[0] == "claims":
		return t.claims[path[1]]
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

// tokens reads what the recorded answer, and each run's and trial's of the same status, have at a place; nil where one
// has no token there.
func (a *asserting) tokens(place exchange.Place) []token {
	var out []token
	for _, r := range a.answered() {
		text, _ := message.Value(r, place)
		t, ok := readToken(text)
		if !ok {
			return nil
		}
		out = append(out, t)
	}
	return out
}

// token asserts what the tokens at a place hold alike: the algorithm and the type of their headers, the claims that all
// of them have, with their values where these do not move, and how long they live. A claim is as secret as its token
// is; its value is looked up where the test runs. The signature is not looked at.
func (a *asserting) token(place exchange.Place) {
	all := a.tokens(place)
	if len(all) == 0 {
		return
	}
	part := place.Part(exchange.PartJWT)
	for _, name := range []string{"alg", "typ"} {
		if v := alike(all, func(t token) *plan.Node { return t.header[name] }); v != nil {
			a.add(plan.Check{Kind: plan.CheckEqual, Place: part + "/header" + exchange.Place("").Key(name),
				Text: plan.Text{{Literal: plan.TextOf(v.Raw)}}})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all[0].claims)) {
		if at := part + "/claims" + exchange.Place("").Key(name); a.writable(at) {
			a.claim(all, name, at)
		}
	}
	if seconds := lifetime(all); seconds != "" {
		a.add(plan.Check{Kind: plan.CheckEqual, Place: part + "/lifetime", Text: plan.Text{{Literal: seconds}}})
	}
}

// claim asserts a claim that all tokens have: its value where that does not move, what holds of it where it does.
func (a *asserting) claim(all []token, name string, at exchange.Place) {
	var kinds []string
	for _, t := range all {
		if t.claims[name] == nil {
			return
		}
		if kind := t.claims[name].Kind(); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	f := a.volatile(at)
	v := alike(all, func(t token) *plan.Node { return t.claims[name] })
	made := a.madeClaim(all[0].claims[name], at)
	switch {
	case f != nil && f.Ignored():
	case made != nil:
		a.add(plan.Check{Kind: plan.CheckEqual, Place: at, Text: plan.Text{{Bound: made.Name}}})
	case f != nil:
		a.add(plan.Check{Kind: plan.CheckHolds, Place: at, Why: a.why(f, ""), Holds: a.statable(f.Holds)})
	case v != nil && !passing(name) && a.src.Redactor.Secret(at):
		a.add(plan.Check{Kind: plan.CheckEqual, Place: at, Text: plan.Text{a.secret(plan.TextOf(v.Raw))}})
	case v != nil && !passing(name):
		a.add(plan.Check{Kind: plan.CheckEqual, Place: at, Text: a.text(plan.TextOf(v.Raw), asIs)})
	default:
		a.add(plan.Check{Kind: plan.CheckHolds, Place: at, Holds: mapfile.Holds{Type: typeOf(kinds)}})
	}
}

// madeClaim is the value of a claim that names what the test made, where each run and each trial bears that out; else
// nil.
func (a *asserting) madeClaim(claim *plan.Node, at exchange.Place) *exchange.Binding {
	v := a.context.made[plan.TextOf(claim.Raw)]
	if v == nil || !claim.Scalar() || !a.context.gives(v) {
		return nil
	}
	says := func(r *exchange.Response, value string, known bool) bool {
		found := valuesOf(r)(at)
		return known && len(found) == 1 && plan.TextOf(found[0]) == value
	}
	for _, o := range a.step.Observations {
		if o.Response == nil || o.Response.Status != a.e.Response.Status {
			continue
		}
		if value, known := a.valueIn(o.Run, v); !says(o.Response, value, known) {
			return nil
		}
	}
	for _, r := range a.answers.Tested(a.e.Seq) {
		if value, known := r.Values[v.Name]; r.Status == a.e.Response.Status && !says(r.Response, value, known) {
			return nil
		}
	}
	return v
}

// passing reports whether a claim says when a token was made and when it ends, or which one it is (RFC 7519, section
// 4.1): two that were made within one second have the same, and the next one has not.
func passing(name string) bool {
	return slices.Contains([]string{"exp", "nbf", "iat", "auth_time", "jti"}, name)
}

// alike returns the scalar that all tokens have in one place; nil where they differ.
func alike(all []token, of func(token) *plan.Node) *plan.Node {
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

// lifetime is how many seconds lie between iat and exp, where that is the same in all tokens; "" where it is not.
func lifetime(all []token) string {
	out := ""
	for _, t := range all {
		seconds := ""
		if ends, begins := whole(t.claims["exp"]), whole(t.claims["iat"]); ends != nil && begins != nil {
			seconds = ends.Sub(ends, begins).String()
		}
		if seconds == "" || out != "" && seconds != out {
			return ""
		}
		out = seconds
	}
	return out
}

// whole is a whole number; nil where a node is none.
func whole(n *plan.Node) *big.Int {
	if n == nil || n.Kind() != "integer" {
		return nil
	}
	number, _ := new(big.Int).SetString(n.Raw, 10)
	return number
}
