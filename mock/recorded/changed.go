package recorded

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/match"
	"github.com/flaketap/flaketap/flow/message"
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

// change gives the value that is to be another one, wherever it stands in an answer, another one: one that it had in
// another answer, or else one that nobody had.
func (a *Answers) change(x *exchange.External, body []byte) []byte {
	base, all := baseOf(x), a.of.values[a.changed]
	if !strings.HasPrefix(a.changed, base) {
		return body
	}
	var out []byte
	last := 0
	jsontree.Scalars(body, func(path []jsontree.Step, start, end int) {
		if base+pointer(path) != a.changed {
			return
		}
		token := string(body[start:end])
		other := altered(token)
		if i := slices.IndexFunc(all, func(t string) bool { return t != token }); i >= 0 {
			other = all[i]
		}
		a.said(message.Swap{Before: plain(token), After: plain(other)})
		out = append(append(out, body[last:start]...), other...)
		last = end
	})
	return append(out, body[last:]...)
}

// maxSwaps bounds how many values are remembered that were said in the place of others.
const maxSwaps = 256

func (a *Answers) said(s message.Swap) {
	if len(a.swaps) < maxSwaps && !slices.Contains(a.swaps, s) {
		a.swaps = append(a.swaps, s)
	}
}

// carrying has values be others, first of all and beside those that may be anyway, where the API passes on what it was
// told in their place.
func (a *Answers) carrying(others []differs) []differs {
	out := []differs{func(_ int, _ exchange.Place, c match.Changed) bool { return a.carried(c) }}
	for _, may := range others {
		out = append(out, func(i int, p exchange.Place, c match.Changed) bool { return a.carried(c) || may(i, p, c) })
	}
	return out
}

// carried reports whether a value that differs is what the API was told in the place of the recorded one.
func (a *Answers) carried(c match.Changed) bool { return slices.ContainsFunc(a.swaps, within(c)) }

// within says of a swap whether it makes what was sent of what was recorded: the whole value, a number in whatever
// notation, or what stands by itself in a longer text.
func within(c match.Changed) func(message.Swap) bool {
	return func(s message.Swap) bool {
		return c == match.Changed{Recorded: s.Before, Live: s.After} ||
			jsontree.SameNumber(c.Recorded, s.Before) && jsontree.SameNumber(c.Live, s.After) ||
			len(message.Apart(c.Recorded, s.Before)) > 0 && message.SwapAll(c.Recorded, []message.Swap{s}) == c.Live
	}
}

// plain is the text of a token.
func plain(token string) string {
	if strings.HasPrefix(token, `"`) {
		return jsontree.Unquote(token)
	}
	return token
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
	text := []byte(plain(token))
	if i := bytes.LastIndexAny(text, "012345678"); i >= 0 { // what was a date, or an id, stays one
		text[i]++
		return jsontree.Quote(string(text))
	}
	return jsontree.Quote(string(text) + " changed")
}
