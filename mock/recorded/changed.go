package recorded

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/match"
	"github.com/flaketap/flaketap/internal/jsontree"
)

const (
	// maxNames bounds how many values of answers are told apart.
	maxNames = 10_000
	// maxTokens bounds how many values by one name are remembered.
	maxTokens = 4
)

// Values names the texts and numbers in recorded answers of JSON, as rates.example.com/orders/{id}#/lines/*/price.
func (r *Recording) Values() []string { return slices.Clone(r.names) }

// learn remembers the values of an answer.
func (r *Recording) learn(x *exchange.External, body []byte) {
	base := baseOf(x)
	jsontree.Scalars(body, func(path []jsontree.Step, start, end int) {
		name, token := base+pointer(path), string(body[start:end])
		all, known := r.values[name]
		switch {
		case !known && len(r.names) >= maxNames, len(all) >= maxTokens, slices.Contains(all, token):
			return
		case !known:
			r.names = append(r.names, name)
		}
		r.values[name] = append(all, token)
	})
}

// change gives a value of an answer, wherever it stands there, another one: one that it had in another answer, or else
// one that nobody had.
func (r *Recording) change(x *exchange.External, body []byte, name string) []byte {
	base := baseOf(x)
	if !strings.HasPrefix(name, base) {
		return body
	}
	var out []byte
	last := 0
	jsontree.Scalars(body, func(path []jsontree.Step, start, end int) {
		if base+pointer(path) != name {
			return
		}
		token := string(body[start:end])
		other := altered(token)
		if i := slices.IndexFunc(r.values[name], func(t string) bool { return t != token }); i >= 0 {
			other = r.values[name][i]
		}
		out = append(append(out, body[last:start]...), other...)
		last = end
	})
	return append(out, body[last:]...)
}

// baseOf names what was asked: the service, and the path, of which segments that are no words are one.
func baseOf(x *exchange.External) string {
	_, route, _ := strings.Cut(match.RouteKey(x.Request.Method, x.Request.Target), " ")
	return x.Service() + strings.ReplaceAll(strings.TrimPrefix(route, "/ "), " ", "{id}") + "#"
}

// pointer names a place in JSON: a JSON Pointer with * for each index.
func pointer(path []jsontree.Step) string {
	var p exchange.Place
	for _, s := range path {
		if s.Key == nil {
			p = p.Each()
		} else {
			p = p.Key(*s.Key)
		}
	}
	return string(p)
}

// altered returns a token of the same type with another value.
func altered(token string) string {
	if !strings.HasPrefix(token, `"`) {
		if n, err := strconv.ParseInt(token, 10, 64); err == nil {
			return strconv.FormatInt(n^1, 10)
		}
		n, err := strconv.ParseFloat(token, 64)
		if err != nil || n+1 == n { // it is too large to count on
			return "1"
		}
		return strconv.FormatFloat(n+1, 'g', -1, 64)
	}
	text := []byte(jsontree.Unquote(token))
	if i := bytes.LastIndexAny(text, "012345678"); i >= 0 { // what was a date, or an id, stays one
		text[i]++
		return jsontree.Quote(string(text))
	}
	return jsontree.Quote(string(text) + " changed")
}
