package redact

import (
	"net/url"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// Target returns a URL or request-target as it may be shown: with the parameters of its query that are named as secrets
// are redacted.
func Target(r exchange.Redactor, target string) string { return shower{Redactor: r}.query(target) }

// Body returns a body without its codings as it may be shown: with the members that are named as secrets are redacted,
// in JSON, form and multipart bodies, and the secrets that any body names in its own way, or repeats.
func Body(r exchange.Redactor, contentType string, body []byte) []byte {
	return shower{Redactor: r}.body(contentType, body)
}

// Header returns the value of a header field as it may be shown: redacted as a whole, or the query of the URL that it
// is.
func Header(r exchange.Redactor, name, value string) string {
	s := shower{Redactor: r}
	value = s.Show(exchange.HeaderPlace(name), value)
	if holdsURL(name) {
		return s.query(value)
	}
	return value
}

// holdsURL reports whether the value of a header is a URL.
func holdsURL(name string) bool {
	switch strings.ToLower(name) {
	case "location", "content-location", "referer":
		return true
	}
	return false
}

// query redacts the parameters in the query of a URL or request-target.
func (r shower) query(target string) string {
	path, query, found := strings.Cut(target, "?")
	if r.Reveal {
		return target
	}
	if found {
		path += "?" + r.pairs("/query", query)
	}
	return r.Show("", path)
}

func unescape(s string) string {
	if u, err := url.QueryUnescape(s); err == nil {
		return u
	}
	return s
}
