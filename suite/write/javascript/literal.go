package javascript

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// Key is the key of a member of an object literal: bare where it is a name or a plain number. __proto__ has to be
// computed to be a key like any other.
func Key(key string) string {
	if key == "__proto__" {
		return `["__proto__"]`
	}
	if n, err := strconv.ParseUint(key, 10, 53); err == nil && strconv.FormatUint(n, 10) == key && n < 1<<53 {
		return key
	}
	for i, r := range key {
		part := r == '$' || r == '_' || r < 1<<16 && (unicode.IsLetter(r) || unicode.Is(unicode.Nl, r))
		if i > 0 {
			part = part || r < 1<<16 && (unicode.IsDigit(r) || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Pc))
		}
		if !part {
			return literal.PrettyJavaScript(key)
		}
	}
	if key == "" {
		return `""`
	}
	return key
}

// plainNumber is how a number is written that JavaScript reads and writes as this.
var plainNumber = regexp.MustCompile(`^-?(0|[1-9]\d{0,20})(\.\d*[1-9])?$`)

// number is a JSON number: as JavaScript's own where that is the same number, else as its token.
func number(token string) Node {
	f, err := strconv.ParseFloat(token, 64)
	if err == nil {
		short := strconv.FormatFloat(f, 'f', -1, 64)
		if plainNumber.MatchString(short) && short != "-0" && sameDecimal(short, token) {
			return Node{Kind: Number, Text: short}
		}
	}
	return Call("exact", String(token))
}

// sameDecimal reports whether two plain notations are of one number; false where one of them is not plain.
func sameDecimal(a, b string) bool {
	trim := func(s string) string {
		if strings.Contains(s, ".") {
			s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
		}
		return s
	}
	return trim(a) == trim(b)
}

// As writes whatever is masked as one node.
func As(n Node) func(exchange.Place) Node { return func(exchange.Place) Node { return n } }

// JSON is a JSON value as a literal; what is masked is written as masked says, of its place from the root.
func JSON(raw json.RawMessage, masks plan.PlaceSet, masked func(exchange.Place) Node) Node {
	n := plan.ReadNode(raw)
	if n == nil { // deeper than a literal may be, or no JSON: it never comes to that
		return Call("exact", String(string(raw)))
	}
	return tree(n, "", masks, masked)
}

func tree(n *plan.Node, place exchange.Place, masks plan.PlaceSet, masked func(exchange.Place) Node) Node {
	switch {
	case n.Raw == `"`+plan.Masked+`"` && masks.Has(place):
		return masked(place)
	case n.Raw == "[":
		out := Node{Kind: Array}
		for i, k := range n.Kids {
			out.Parts = append(out.Parts, tree(k, place.Index(i), masks, masked))
		}
		return out
	case n.Raw == "{":
		out := Node{Kind: Object}
		var pairs []Node
		seen := map[string]bool{}
		for i, k := range n.Kids {
			kid := tree(k, place.Key(n.Keys[i]), masks, masked)
			bare := kid // a comment would stand within the pair
			bare.Note = ""
			pairs = append(pairs, List(String(n.Keys[i]), bare))
			seen[n.Keys[i]] = true
			out = out.With(Key(n.Keys[i]), kid)
		}
		if len(seen) < len(pairs) {
			return Call("pairs", pairs...)
		}
		return out
	case n.Raw[0] == '"':
		return Node{Kind: Quoted, Text: literal.PrettyJavaScriptUnits(literal.JSONUnits(n.Raw))}
	case n.Raw == "true" || n.Raw == "false" || n.Raw == "null":
		return Name(n.Raw)
	}
	return number(n.Raw)
}
