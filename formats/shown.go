package formats

import "github.com/flaketap/flaketap/exchange"

// ShownTarget returns a URL or request-target as it may be shown: with the parameters of its query that are named as
// secrets are redacted.
func ShownTarget(r exchange.Redactor, target string) string { return redact{r}.query(target) }

// ShownBody returns a body without its codings as it may be shown: with the members that are named as secrets are
// redacted, in JSON, form and multipart bodies. Other bodies have no names to go by.
func ShownBody(r exchange.Redactor, contentType string, body []byte) []byte {
	return redact{r}.body(contentType, body)
}

// ShownHeader returns the value of a header field as it may be shown.
func ShownHeader(r exchange.Redactor, name, value string) string {
	return redact{r}.header(name, value)
}
