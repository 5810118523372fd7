package suite

import (
	"bytes"
	"math"
	"math/big"
	"regexp"
	"strings"
	"unicode/utf16"

	"github.com/flaketap/flaketap/exchange"
)

// client is an HTTP library of suites, where it matters how it shows an answer.
type client uint8

const (
	requests      client = iota // Python's, and what shows answers as it does
	superagent                  // of Node: a body that is not declared to be JSON is an empty object
	postmanClient               // the sandbox that Postman and Newman run scripts in
	hurlClient                  // Hurl's queries
)

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

// failed reports whether the call itself failed for the client: below HTTP, or as the body is not what it was declared.
func (a *answer) failed() bool {
	if a.response == nil {
		return true
	}
	if a.client == superagent && jsonMedia.MatchString(mediaType(a.response)) {
		body, _ := a.response.Payload()
		_, err := a.value()
		return err != nil && len(body) > 0
	}
	return false
}

// decoded is a body as text in UTF-8; what is none of it becomes U+FFFD.
func decoded(body []byte) string { return string(bytes.ToValidUTF8(body, []byte("\ufffd"))) }

// superagentText is superagent's res.text, which answers of neither text nor JSON do not have.
func (a *answer) superagentText() (string, error) {
	body, _ := a.response.Payload()
	media := mediaType(a.response)
	if strings.HasPrefix(media, "text/") || jsonMedia.MatchString(media) || media == "application/x-www-form-urlencoded" {
		return decoded(body), nil
	}
	return "", raised("no text")
}

// parse reads a body as JSON the way the client does.
func (c client) parse(r *exchange.Response) (any, error) {
	body, _ := r.Payload()
	switch c {
	case superagent:
		media := mediaType(r)
		switch {
		case jsonMedia.MatchString(media) && len(body) == 0:
			return "", nil
		case jsonMedia.MatchString(media):
			if bytes.HasPrefix(body, []byte("\xef\xbb\xbf")) {
				return nil, raised("a byte-order mark is no JSON")
			}
		case strings.HasPrefix(media, "text/") || media == "application/json-seq" || len(body) == 0:
			return map[string]any{}, nil
		default:
			return nil, foreign("a body of type %s", media) // a buffer, a form
		}
	case requests, hurlClient:
		return pyJSON(body)
	}
	v, err := pyJSON(body)
	return jsNumbers(v), err
}

// jsNumbers gives a JSON value the numbers that JavaScript reads: floats of 64 bits. Those that are whole are integers.
func jsNumbers(v any) any {
	switch v := v.(type) {
	case *big.Int:
		f, _ := new(big.Float).SetInt(v).Float64()
		return jsNumbers(f)
	case float64:
		if v == math.Trunc(v) && !math.IsInf(v, 0) {
			i, _ := big.NewFloat(v).Int(nil)
			return i
		}
		return v
	case pyItems:
		for i := range v {
			v[i] = jsNumbers(v[i])
		}
		return v
	case map[string]any:
		for k := range v {
			v[k] = jsNumbers(v[k])
		}
		return v
	}
	return v
}

// jsLength is JavaScript's .length: of an array its elements, of a string its UTF-16 units, of an object its member of
// that name.
func jsLength(v any) (any, error) {
	switch v := v.(type) {
	case pyItems:
		return big.NewInt(int64(len(v))), nil
	case string:
		return big.NewInt(int64(len(utf16.Encode([]rune(v))))), nil
	case map[string]any:
		if n, ok := v["length"]; ok {
			return n, nil
		}
	}
	return nil, raised("no length")
}

// jsEmpty is what EvoMaster's Jest format asks of a body that should be empty: that it is nothing, or an object or
// array without members, or, as Object.keys takes it, a number or a boolean.
func jsEmpty(v any) bool {
	if n, ok := pyLen(v); ok {
		return n == 0
	}
	return true
}
