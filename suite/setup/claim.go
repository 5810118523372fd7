package setup

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/internal/jsontree"
)

// Satisfies reports whether an answer satisfies a claim. known is false where that cannot be told: the claim has no
// relation, or the body cannot be read.
func Satisfies(c exchange.Claim, r *exchange.Response) (ok, known bool) {
	if r == nil || r.Malformed {
		return false, true
	}
	switch c.Place.Root() {
	case "status":
		return sameToken(c.Value, strconv.Itoa(r.Status)), c.Relation == exchange.Equal
	case "header":
		return headerSatisfies(c, r)
	case "body":
		if slices.Contains(c.Place.Segments(), "*") { // of each element of an array
			return false, false
		}
		body, err := r.Payload()
		if err != nil || len(body) > jsontree.MaxText {
			return false, false
		}
		if c.Place == exchange.PlaceBody && (c.Relation == exchange.Contains || c.Relation == exchange.Empty) {
			if c.Relation == exchange.Empty {
				return len(body) == 0, true
			}
			return bytes.Contains(body, []byte(jsontree.Unquote([]byte(c.Value)))) ||
				strings.Contains(jsontree.Unquote(bytes.TrimSpace(body)), jsontree.Unquote([]byte(c.Value))), true
		}
		return tokenSatisfies(c, rawAt(body, c.Place))
	}
	return false, false
}

func headerSatisfies(c exchange.Claim, r *exchange.Response) (ok, known bool) {
	segments := c.Place.Segments()
	if len(segments) != 2 {
		return false, false
	}
	value, there := r.Header.Get(segments[1]), r.Header.Has(segments[1])
	want := jsontree.Unquote([]byte(c.Value))
	switch c.Relation {
	case exchange.Equal:
		return there && value == want, true
	case exchange.Contains:
		return there && strings.Contains(value, want), true
	case exchange.Absent:
		return !there, true
	case exchange.Present:
		return there, true
	case exchange.URI:
		_, err := url.Parse(value)
		return err == nil, true
	}
	return false, false
}

// tokenSatisfies holds a claim against the JSON at its place, nil where there is none.
func tokenSatisfies(c exchange.Claim, raw json.RawMessage) (ok, known bool) {
	switch c.Relation {
	case exchange.Absent:
		return raw == nil, true
	case exchange.Present:
		return raw != nil, true
	case exchange.Equal:
		return raw != nil && sameToken(c.Value, string(raw)), true
	case exchange.Contains:
		return raw != nil && strings.Contains(jsontree.Unquote(raw), jsontree.Unquote([]byte(c.Value))), true
	case exchange.Length:
		n, isList := lengthOf(raw)
		return isList && sameToken(c.Value, strconv.Itoa(n)), true
	case exchange.Empty:
		n, isList := lengthOf(raw)
		return isList && n == 0, true
	case exchange.URI:
		_, err := url.Parse(jsontree.Unquote(raw))
		return raw != nil && err == nil, true
	}
	return false, false
}

// sameToken reports whether two JSON tokens say the same.
func sameToken(a, b string) bool { return a == b || jsontree.Same(a, b) }

// lengthOf returns how many elements an array, members an object, or characters a string has.
func lengthOf(raw json.RawMessage) (n int, ok bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return 0, false
	}
	switch raw[0] {
	case '[':
		var list []json.RawMessage
		err := json.Unmarshal(raw, &list)
		return len(list), err == nil
	case '{':
		var object map[string]json.RawMessage
		err := json.Unmarshal(raw, &object)
		return len(object), err == nil
	case '"':
		return len([]rune(jsontree.Unquote(raw))), true
	}
	return 0, false
}

// rawAt returns the JSON at a place of a body, nil where there is none.
func rawAt(body []byte, place exchange.Place) json.RawMessage {
	raw := json.RawMessage(bytes.TrimSpace(body))
	if !json.Valid(raw) {
		return nil
	}
	segments := place.Segments()[1:]
	if len(segments) > jsontree.MaxDepth {
		return nil
	}
	for _, s := range segments {
		raw = bytes.TrimSpace(raw)
		if len(raw) == 0 {
			return nil
		}
		if raw[0] == '[' {
			var list []json.RawMessage
			i, err := strconv.Atoi(s)
			if err != nil || json.Unmarshal(raw, &list) != nil || i < 0 || i >= len(list) {
				return nil
			}
			raw = list[i]
			continue
		}
		var object map[string]json.RawMessage
		if raw[0] != '{' || json.Unmarshal(raw, &object) != nil || object[s] == nil {
			return nil
		}
		raw = object[s]
	}
	return raw
}

// Rebound returns a claim as it is to be held against an answer in which a value is another one: a bound value that the
// claim names is replaced. It is the same claim where it does not name it.
func Rebound(c exchange.Claim, before, after string) exchange.Claim {
	if c.Relation != exchange.Equal && c.Relation != exchange.Contains || before == after {
		return c
	}
	text := jsontree.Unquote([]byte(c.Value))
	if strings.HasPrefix(c.Value, `"`) {
		c.Value = jsontree.Quote(message.SwapApart(text, before, after))
		return c
	}
	// 14.0 for 14
	if text != before && !jsontree.SameNumber(text, before) {
		return c
	}
	if c.Value = after; !jsontree.IsNumber(after) {
		c.Value = jsontree.Quote(after)
	}
	return c
}

// contradicted returns the claims of each call that some answer seen does not satisfy. Where nothing was seen of the
// whole test these are all of them, as far as they can be told of: told is false then. What only cleans up has none,
// nor has a call that no execution came to.
func contradicted(test []Wanted) (claims [][]exchange.Claim, told bool) {
	claims = make([][]exchange.Claim, len(test))
	told = slices.ContainsFunc(test, func(w Wanted) bool { return len(w.Seen) > 0 })
	for i, w := range test {
		switch {
		case w.CleanUp:
		case !told:
			claims[i] = w.Claims
		default:
			for _, c := range w.Claims {
				if slices.ContainsFunc(w.Seen, func(r *exchange.Response) bool { return !bears(c, r) }) {
					claims[i] = append(claims[i], c)
				}
			}
		}
	}
	return claims, told
}

// bears reports whether an answer does not contradict a claim.
func bears(c exchange.Claim, r *exchange.Response) bool {
	ok, known := Satisfies(c, r)
	return ok || !known
}
