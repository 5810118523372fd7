// What the tests assert of an answer as a whole: status, headers, JSON with what moves left out.

package apitest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// volatile stands in expected JSON for a value that is not compared.
const volatile = "<volatile>"

// answer is what the API answered: its body without content coding, when it came, the host that was asked.
type answer struct {
	t    *testing.T
	code int
	head http.Header
	body []byte
	when time.Time
	host string
}

// made returns when the answer was made: by its Date, else when it came by the clock of this machine.
func (a *answer) made() time.Time {
	if date, err := http.ParseTime(a.head.Get("Date")); err == nil {
		return date
	}
	return a.when
}

// status asserts that the status is one of these.
func (a *answer) status(want ...int) {
	a.t.Helper()
	if !slices.Contains(want, a.code) {
		a.t.Fatalf("status %d, want %s; the body: %.300q", a.code, strings.Trim(fmt.Sprint(want), "[]"), a.body)
	}
}

// header asserts that a header has these lines.
func (a *answer) header(name string, want ...string) {
	a.t.Helper()
	got := a.lines(name)
	if !slices.Equal(got, want) {
		a.t.Errorf("header %s: %q, want %q", name, got, want)
	}
}

// lines returns the lines of a header, a character for each byte.
func (a *answer) lines(name string) []string {
	var out []string
	for _, line := range a.head.Values(name) {
		runes := make([]rune, len(line))
		for i := range len(line) {
			runes[i] = rune(line[i])
		}
		out = append(out, string(runes))
	}
	return out
}

func (a *answer) cookies() map[string]string {
	out := map[string]string{}
	for _, line := range a.head.Values("Set-Cookie") {
		pair, _, _ := strings.Cut(line, ";")
		name, value, _ := strings.Cut(pair, "=")
		out[strings.TrimSpace(name)] = strings.Trim(strings.TrimSpace(value), `"`)
	}
	return out
}

// cookie asserts that the answer sets a cookie of that name.
func (a *answer) cookie(name string) {
	a.t.Helper()
	if _, ok := a.cookies()[name]; !ok {
		a.t.Errorf("no cookie %s", name)
	}
}

// empty asserts that the body is empty.
func (a *answer) empty() {
	a.t.Helper()
	if len(a.body) > 0 {
		a.t.Errorf("the body is not empty: %.300q", a.body)
	}
}

// text asserts that the body is this text.
func (a *answer) text(want string) {
	a.t.Helper()
	if got := strings.ToValidUTF8(string(a.body), "\ufffd"); got != want {
		a.t.Errorf("the body is %.500q, want %.500q", got, want)
	}
}

// digest asserts the length and the SHA-256 of the body.
func (a *answer) digest(length int, sum string) {
	a.t.Helper()
	if got := sha256.Sum256(a.body); len(a.body) != length || hex.EncodeToString(got[:]) != sum {
		a.t.Errorf("the body has %d bytes with digest %x, want %d with %s", len(a.body), got, length, sum)
	}
}

// size asserts the length of the body; 0 stands for any length above 0.
func (a *answer) size(length int) {
	a.t.Helper()
	if len(a.body) != length && length > 0 || len(a.body) == 0 {
		a.t.Errorf("the body has %d bytes, want %d", len(a.body), length)
	}
}

// masks and absent are JSON pointers, in which * stands for every element: what is not compared, and what is left out as it
// is not always there.
type (
	masks  []string
	absent []string
)

// json asserts that the body is this JSON.
func (a *answer) json(want string, m masks, out absent) {
	a.t.Helper()
	got, err := parse(a.body)
	if err != nil {
		a.t.Errorf("the body is no JSON: %v: %.300q", err, a.body)
		return
	}
	for _, d := range differences("", masked(got, m, out), mustParse(want), nil) {
		a.t.Error(d)
	}
}

// extent says what an array has beside the elements that are given: nothing, each as often as it is given; nothing, each
// as often as may be; or whatever.
type extent int

const (
	whole extent = iota
	asSet
	among
)

// items asserts that the array at a place has these elements in any order, as a set each as often as may be.
func (a *answer) items(place, want string, m masks, out absent, e extent) {
	a.t.Helper()
	values := a.values(place)
	if len(values) == 0 {
		a.t.Errorf("nothing at %s", place)
		return
	}
	got, ok := masked(values[0], m, out).([]any)
	if !ok {
		a.t.Errorf("%s is no array: %s", place, show(values[0]))
		return
	}
	have, wanted := sorted(got), sorted(mustParse(want).([]any))
	switch e {
	case asSet:
		have, wanted = slices.Compact(have), slices.Compact(wanted)
	case among:
		have = common(have, wanted)
	}
	if !slices.Equal(have, wanted) {
		a.t.Errorf("%s has %s, want in any order %s", place, have, wanted)
	}
}

// common returns what two sorted lists have in common.
func common(have, wanted []string) (both []string) {
	for _, v := range have {
		if len(wanted) > 0 && wanted[0] < v {
			return both
		}
		if len(wanted) > 0 && wanted[0] == v {
			both, wanted = append(both, v), wanted[1:]
		}
	}
	return both
}

func sorted(items []any) []string {
	out := make([]string, len(items))
	for i, v := range items {
		out[i] = canonical(v)
	}
	slices.Sort(out)
	return out
}

// outline asserts that the body has these keys, or is an array of this length.
func (a *answer) outline(length int, keys ...string) {
	a.t.Helper()
	got, err := parse(a.body)
	switch got := got.(type) {
	case []any:
		if len(keys) == 0 && len(got) == length {
			return
		}
	case *object:
		if !slices.ContainsFunc(keys, func(k string) bool { _, ok := got.get(k); return !ok }) {
			return
		}
	}
	a.t.Errorf("the body is not as it was: %d elements, keys %q: %.300q (%v)", length, keys, a.body, err)
}

// object is a JSON object: its members in order, since a key may occur twice.
type object struct {
	keys   []string
	values []any
}

// get returns the last member of that key.
func (o *object) get(key string) (any, bool) {
	for i, k := range slices.Backward(o.keys) {
		if k == key {
			return o.values[i], true
		}
	}
	return nil, false
}

// parse reads JSON without loss: numbers as they are written, and duplicate keys.
func parse(text []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	v, err := parseValue(dec)
	if err == nil && dec.More() {
		err = fmt.Errorf("more than one value")
	}
	return v, err
}

func mustParse(text string) any {
	v, err := parse([]byte(text))
	if err != nil {
		panic(err)
	}
	return v
}

func parseValue(dec *json.Decoder) (any, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('['):
		items := []any{}
		for dec.More() {
			v, err := parseValue(dec)
			if err != nil {
				return nil, err
			}
			items = append(items, v)
		}
		_, err = dec.Token()
		return items, err
	case json.Delim('{'):
		o := &object{}
		for dec.More() {
			key, err := dec.Token()
			if err != nil {
				return nil, err
			}
			v, err := parseValue(dec)
			if err != nil {
				return nil, err
			}
			o.keys, o.values = append(o.keys, key.(string)), append(o.values, v)
		}
		_, err = dec.Token()
		return o, err
	}
	return token, nil
}

// masked is a value with what is not compared replaced, and without what is left out.
func masked(value any, m masks, out absent) any {
	for _, pointer := range out {
		value = mask(value, split(pointer), true)
	}
	for _, pointer := range m {
		value = mask(value, split(pointer), false)
	}
	return value
}

func mask(value any, path []string, drop bool) any {
	if len(path) == 0 {
		return volatile
	}
	switch v := value.(type) {
	case []any:
		items := make([]any, len(v))
		for i, e := range v {
			if items[i] = e; path[0] == "*" || path[0] == fmt.Sprint(i) {
				items[i] = mask(e, path[1:], drop)
			}
		}
		return items
	case *object:
		o := &object{}
		for i, k := range v.keys {
			e := v.values[i]
			if path[0] == "*" || unescape(path[0]) == k {
				if drop && len(path) == 1 {
					continue
				}
				e = mask(e, path[1:], drop)
			}
			o.keys, o.values = append(o.keys, k), append(o.values, e)
		}
		return o
	}
	return value
}

// differences lists where two values differ, at most some.
func differences(at string, got, want any, found []string) []string {
	const most = 10
	if len(found) == most || canonical(got) == canonical(want) {
		return found
	}
	switch w := want.(type) {
	case *object:
		g, ok := got.(*object)
		if !ok || len(w.keys) != len(slices.Compact(slices.Sorted(slices.Values(w.keys)))) {
			break
		}
		before := len(found)
		for i, k := range w.keys {
			if v, there := g.get(k); there {
				found = differences(at+"/"+k, v, w.values[i], found)
			} else {
				found = append(found, fmt.Sprintf("%s/%s is missing, want %s", at, k, show(w.values[i])))
			}
		}
		for i, k := range g.keys {
			if _, there := w.get(k); !there {
				found = append(found, fmt.Sprintf("%s/%s is new: %s", at, k, show(g.values[i])))
			}
		}
		if len(found) > before {
			return found
		}
	case []any:
		if g, ok := got.([]any); ok && len(g) == len(w) {
			for i := range w {
				found = differences(fmt.Sprintf("%s/%d", at, i), g[i], w[i], found)
			}
			return found
		}
	}
	return append(found, fmt.Sprintf("%s is %s, want %s", named(at), show(got), show(want)))
}

func named(at string) string {
	if at == "" {
		return "the body"
	}
	return at
}

// show is a value for a message.
func show(v any) string {
	if s := canonical(v); len(s) <= 300 {
		return s
	}
	return canonical(v)[:300] + "…"
}

// canonical is a text that is the same for equal values: members in the order of their keys, numbers by value.
func canonical(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case json.Number:
		if n := number(v.String()); n != nil {
			return n.RatString()
		}
		return v.String()
	case string:
		return quote(v)
	case []any:
		items := make([]string, len(v))
		for i, e := range v {
			items[i] = canonical(e)
		}
		return "[" + strings.Join(items, ",") + "]"
	case *object:
		order := make([]int, len(v.keys))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int { return strings.Compare(v.keys[i], v.keys[j]) })
		members := make([]string, len(order))
		for i, n := range order {
			members[i] = quote(v.keys[n]) + ":" + canonical(v.values[n])
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	return fmt.Sprint(v)
}

// number reads a number exactly; nil if the text is not a number, or an unreasonably long one.
func number(text string) *big.Rat {
	if _, exponent, ok := strings.Cut(strings.ToLower(text), "e"); ok && len(exponent) > 4 || len(text) > 2000 || strings.Contains(text, "/") {
		return nil
	}
	n, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil
	}
	return n
}
