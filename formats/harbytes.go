package formats

import (
	"encoding/base64"
	"strconv"
)

// preserved undoes what Schemathesis does with --report-preserve-bytes: the text of a request body is then base64, and
// nothing says so. It shows where the length that was sent is not that of the text, but that of what the text decodes
// to.
func (r *harRequest) preserved(body []byte) []byte {
	for _, f := range r.Headers {
		if f.Name != "Content-Length" {
			continue
		}
		n, err := strconv.Atoi(f.Value)
		if err != nil || n == len(body) || base64.StdEncoding.EncodedLen(n) != len(body) {
			return body
		}
		if plain, err := base64.StdEncoding.DecodeString(string(body)); err == nil && len(plain) == n {
			return plain
		}
	}
	return body
}
