package request

import (
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/notation"
)

// MaxLen is how many bytes a value that is looked up has at most; maxEchoes is how many values of one request are.
const (
	maxEchoes = 200
	MaxLen    = 512
)

// Values are the values of a request, unescaped, each with the places that hold it.
type Values map[string][]exchange.Place

// HostPlace is where a request names the authority that the client asked for.
var HostPlace = exchange.HeaderPlace("Host")

// ValuesOf lists what an answer could repeat of a request: segments of the path, pairs of the query, headers
// that are the client's own, members of the body.
func ValuesOf(r *exchange.Request) Values {
	e := make(Values)
	path, query := exchange.SplitTarget(r.Target)
	for i, s := range strings.Split(strings.TrimPrefix(path, "/"), "/") {
		e.add(exchange.Place("/path").Index(i), Unescape(s))
	}
	e.pairs("/query", query)
	for _, f := range r.Header {
		name := strings.ToLower(f.Name)
		own := strings.HasPrefix(name, "x-") || strings.HasSuffix(name, "-id") || strings.HasSuffix(name, "-key")
		if own || name == "host" || name == "user-agent" || name == "accept-language" {
			e.add(exchange.HeaderPlace(name), f.Value)
		}
	}
	body, _ := r.Payload()
	switch kind := r.MediaType(); {
	case len(body) == 0 || len(body) > 1<<20:
	case kind == "application/x-www-form-urlencoded":
		e.pairs(exchange.PlaceBody, string(body))
	case strings.HasSuffix(kind, "json"):
		e.members(body)
	}
	return e
}

func (e Values) add(place exchange.Place, value string) {
	if value != "" && len(value) <= MaxLen && len(e) < maxEchoes {
		e[value] = append(e[value], place)
	}
}

func (e Values) pairs(root exchange.Place, query string) {
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		e.add(root.Key(unescapeQuery(name)), unescapeQuery(value))
	}
}

// members adds the scalars of a JSON body: a request's body is walked as that of a response without a type.
func (e Values) members(body []byte) {
	message := exchange.Message{Body: body, Plain: true}
	compare.Walk(&exchange.Response{Message: message}, func(place exchange.Place, raw string) {
		switch v := notation.ScalarOf(raw); {
		case !place.Within(exchange.PlaceBody) || len(e) >= maxEchoes:
		case v.Kind == notation.String:
			e.add(place, v.Text)
		case v.Numeric():
			e.add(place, v.Raw)
		}
	})
}

// Of returns the places of the request that hold the value of a token.
func (e Values) Of(v notation.Scalar) []exchange.Place {
	if v.Kind == notation.String {
		return e[v.Text]
	}
	if v.Numeric() {
		return e[v.Raw]
	}
	return nil
}

// unescapeQuery is Unescape for names and values of queries, in which + is a blank.
func unescapeQuery(s string) string { return Unescape(strings.ReplaceAll(s, "+", " ")) }

// Unescape undoes percent-encoding; a broken escape stays as it is.
func Unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '%' && i+2 < len(s):
			n, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
			if err != nil {
				b.WriteByte('%')
				continue
			}
			b.WriteByte(byte(n))
			i += 2
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
