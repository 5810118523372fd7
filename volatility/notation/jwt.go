package notation

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// isJWT reports whether a text is a JSON web token (RFC 7519): three parts in base64 for URLs, of which the first
// encodes an object with an alg, and the second an object. The signature is not checked.
func isJWT(s string) bool {
	if !reJWT().MatchString(s) {
		return false
	}
	parts := strings.Split(s, ".")
	var header, claims map[string]json.RawMessage
	return encodes(parts[0], &header) && encodes(parts[1], &claims) && header["alg"] != nil
}

// encodes reads the JSON object that a part of a token encodes.
func encodes(part string, object *map[string]json.RawMessage) bool {
	plain, err := base64.RawURLEncoding.DecodeString(part)
	return err == nil && json.Unmarshal(plain, object) == nil
}
