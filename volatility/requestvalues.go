package volatility

import (
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/notation"
)

// The bounds on what is looked up of one request.
const (
	maxEchoes  = 200 // values
	maxEchoLen = 512 // bytes of one
)

// requestValues are the values of a request, unescaped, each with the places that hold it.
type requestValues map[string][]exchange.Place

// hostPlace is the authority that the client asked for.
var hostPlace = exchange.HeaderPlace("Host")

// requestValuesOf lists what an answer could repeat of a request: segments of the path, pairs of the query, headers
// that are the client's own, members of the body.
func requestValuesOf(r *exchange.Request) requestValues {
	e := make(requestValues)
	path, query := exchange.SplitTarget(r.Target)
	for i, s := range strings.Split(strings.TrimPrefix(path, "/"), "/") {
		e.add(exchange.Place("/path").Index(i), unescape(s))
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

func (e requestValues) add(place exchange.Place, value string) {
	if value != "" && len(value) <= maxEchoLen && len(e) < maxEchoes {
		e[value] = append(e[value], place)
	}
}

func (e requestValues) pairs(root exchange.Place, query string) {
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		e.add(root.Key(unescapeQuery(name)), unescapeQuery(value))
	}
}

// members adds the scalars of a JSON body: a request's body is walked as that of a response without a type.
func (e requestValues) members(body []byte) {
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

// of returns the places of the request that hold the value of a token.
func (e requestValues) of(v notation.Scalar) []exchange.Place {
	if v.Kind == notation.String {
		return e[v.Text]
	}
	if v.Numeric() {
		return e[v.Raw]
	}
	return nil
}

// unescapeQuery is unescape for names and values of queries, in which + is a blank.
func unescapeQuery(s string) string { return unescape(strings.ReplaceAll(s, "+", " ")) }

// unescape undoes percent-encoding; a broken escape stays as it is.
func unescape(s string) string {
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
