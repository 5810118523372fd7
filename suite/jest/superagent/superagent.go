package superagent

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/js"
)

// Client is superagent, an HTTP library of Node: a body that is not declared to be JSON is an empty object.
func Client() *expr.Client {
	return &expr.Client{Text: superagentText, JSON: superagentJSON, Rejects: func(r *exchange.Response, err error) bool {
		body, _ := r.Payload()
		return err != nil && len(body) > 0 && jsonMedia.MatchString(mediaType(r))
	}}
}

// jsonMedia is superagent's rule for media types that it reads as JSON.
var jsonMedia = regexp.MustCompile(`(?i)[/+]json($|[^-\w])`)

// mediaType returns the media type of an answer, in lower case, without parameters. superagent takes text for granted.
func mediaType(r *exchange.Response) string {
	name, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if name = strings.ToLower(strings.TrimSpace(name)); name == "" {
		return "text/plain"
	}
	return name
}

// superagentText is superagent's res.text, which answers of neither text nor JSON do not have.
func superagentText(r *exchange.Response) (string, error) {
	media := mediaType(r)
	if strings.HasPrefix(media, "text/") || jsonMedia.MatchString(media) || media == "application/x-www-form-urlencoded" {
		return expr.UTF8(r)
	}
	return "", expr.Raised("no text")
}

// superagentJSON is superagent's res.body.
func superagentJSON(r *exchange.Response) (any, error) {
	body, _ := r.Payload()
	media := mediaType(r)
	switch {
	case jsonMedia.MatchString(media) && len(body) == 0:
		return "", nil
	case jsonMedia.MatchString(media):
		if bytes.HasPrefix(body, []byte("\xef\xbb\xbf")) {
			return nil, expr.Raised("a byte-order mark is no JSON")
		}
		return js.ParseJSON(r)
	case strings.HasPrefix(media, "text/") || media == "application/json-seq" || len(body) == 0:
		return map[string]any{}, nil
	}
	return nil, expr.NotKnown("a body of type %s", media) // a buffer, a form
}

// IsMethod reports whether a function of the library is named after an HTTP method.
func IsMethod(name string) bool {
	switch name {
	case "get", "head", "post", "put", "patch", "delete", "del", "options", "trace", "connect", "query", "search",
		"propfind", "purge", "link", "unlink":
		return true
	}
	return false
}
