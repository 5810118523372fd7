package secret

import (
	"net/url"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/compare"
)

// At is a secret of a request.
type At struct {
	Place exchange.Place
	Value string
}

// Of lists the secrets of a request, as their places are named: headers whole, query and form values, members of a JSON
// body.
func Of(e *exchange.Exchange, r exchange.Redactor) []At {
	var out []At
	values(e, func(place exchange.Place, value string) {
		if value != "" && r.Secret(place) {
			out = append(out, At{place, value})
		}
	})
	return out
}

// values calls visit with each value of a request that has a place.
func values(e *exchange.Exchange, visit func(exchange.Place, string)) {
	r := &e.Request
	for _, f := range r.Header {
		switch name := strings.TrimSpace(f.Name); {
		case strings.EqualFold(name, "Cookie"):
			for cookie := range strings.SplitSeq(f.Value, ";") {
				key, value, _ := strings.Cut(strings.TrimSpace(cookie), "=")
				visit(exchange.Place("/cookie").Key(key), value)
			}
		case !ConnectionField(name, f.Value):
			visit(exchange.HeaderPlace(name), f.Value)
		}
	}
	_, query := exchange.SplitTarget(r.Target)
	pairs(query, "/query", visit)
	if r.MediaType() == "application/x-www-form-urlencoded" {
		payload, _ := r.Payload()
		pairs(string(payload), exchange.PlaceBody, visit)
	}
	members(r, visit)
}

// pairs calls visit with each pair of a query or a form; the second of a name is that name's /1.
func pairs(query string, root exchange.Place, visit func(exchange.Place, string)) {
	seen := map[string]int{}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if n, err := url.QueryUnescape(name); err == nil {
			name = n
		}
		if v, err := url.QueryUnescape(value); err == nil {
			value = v
		}
		place := root.Key(name)
		if n := seen[name]; n > 0 {
			place = place.Index(n)
		}
		seen[name]++
		visit(place, value)
	}
}

// members calls visit with each scalar of a request's JSON body.
func members(r *exchange.Request, visit func(place exchange.Place, value string)) {
	payload, err := r.Payload()
	if err != nil || len(payload) == 0 || !strings.HasSuffix(r.MediaType(), "json") {
		return
	}
	as := exchange.ParseResponse(exchange.Message{
		Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"), Body: payload, Plain: true,
	})
	compare.Walk(as, func(place exchange.Place, raw string) {
		if place.Root() == "body" && raw != "" && raw[0] != '{' && raw[0] != '[' {
			visit(place, plan.TextOf(raw))
		}
	})
}

// ConnectionField reports whether a request header belongs to the connection and not to the request: the client adds
// framing and Host of its own, and neither waits for interim answers nor leaves HTTP. The rest of Connection's values
// are sent as recorded, for APIs that answer with the headers they got.
func ConnectionField(name, value string) bool {
	switch strings.ToLower(name) {
	case "host", "content-length", "transfer-encoding", "proxy-connection", "proxy-authorization", "upgrade", "expect":
		return true
	case "connection":
		return !strings.EqualFold(value, "keep-alive") && !strings.EqualFold(value, "close")
	}
	return false
}
