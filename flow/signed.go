package flow

import (
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// Signature is what in a request vouches for that request alone, at its time: who sends it again later, or with one
// value changed, sends what an API that checks it has to refuse.
type Signature struct {
	Scheme string         // for people: "AWS Signature Version 4"
	Place  exchange.Place // where it stands
}

// authSchemes are the authentication schemes of an Authorization that sign, by their names in lower case, with what has
// to follow in the value.
var authSchemes = []struct{ name, holds, scheme string }{
	{"aws4-hmac-sha256", "signature=", "AWS Signature Version 4"},
	{"aws4-ecdsa-p256-sha256", "signature=", "AWS Signature Version 4a"},
	{"aws", ":", "AWS Signature Version 2"},
	{"goog4-", "signature=", "Google signature, version 4"},
	{"sharedkey", ":", "Azure Shared Key"},
	{"digest", "nonce=", "Digest authentication, with a nonce of the server"}, // RFC 7616
	{"oauth", "oauth_signature=", "OAuth 1.0"},                                // RFC 5849
	{"hawk", "mac=", "Hawk"},
	{"signature", "keyid=", "HTTP signature (draft-cavage)"},
	{"acs3-hmac-sha256", "signature=", "Alibaba Cloud signature"},
	{"tc3-hmac-sha256", "signature=", "Tencent Cloud signature"},
}

// signedQuery are the query parameters that sign, in lower case.
var signedQuery = map[string]string{
	"x-amz-signature":  "AWS Signature Version 4",
	"x-goog-signature": "Google signature, version 4",
	"oauth_signature":  "OAuth 1.0",
}

// Signed reports whether a request bears a signature, a proof or a nonce that is good for it alone, so that it cannot
// be replayed as it was meant. It knows those of the usual schemes, and a header that is called a signature beside one
// that is called a timestamp or a nonce; not what an API made up otherwise.
func Signed(r *exchange.Request) (s Signature, signed bool) {
	stamped, own := false, Signature{}
	for _, f := range r.Header {
		name, value := strings.ToLower(strings.TrimSpace(f.Name)), strings.ToLower(f.Value)
		switch {
		case name == "authorization" || name == "proxy-authorization":
			if scheme := authScheme(value); scheme != "" {
				return Signature{scheme, exchange.HeaderPlace(f.Name)}, true
			}
		case name == "signature" && r.Header.Has("Signature-Input"):
			return Signature{"HTTP message signature (RFC 9421)", exchange.HeaderPlace(f.Name)}, true
		case name == "signature" && strings.Contains(value, "keyid="):
			return Signature{"HTTP signature (draft-cavage)", exchange.HeaderPlace(f.Name)}, true
		case name == "dpop" && strings.Count(value, ".") == 2:
			return Signature{"DPoP proof (RFC 9449)", exchange.HeaderPlace(f.Name)}, true
		case strings.HasSuffix(name, "signature") &&
			name != "signature", strings.HasSuffix(name, "-hmac"), strings.HasSuffix(name, "-sign"):
			own = Signature{"a signature of the API's own with a time or nonce", exchange.HeaderPlace(f.Name)}
			stamped = stamped || strings.Contains(value, "t=") && strings.Contains(value, "v1=")
		case strings.HasSuffix(name, "timestamp"), strings.HasSuffix(name, "nonce"):
			stamped = true
		}
	}
	if own.Scheme != "" && stamped {
		return own, true
	}
	return signedPair(r)
}

// authScheme names the scheme of an Authorization, in lower case, that signs; "" where it does not.
func authScheme(value string) string {
	name, rest, _ := strings.Cut(strings.TrimSpace(value), " ")
	for _, s := range authSchemes {
		fits := name == s.name || strings.HasSuffix(s.name, "-") && strings.HasPrefix(name, s.name)
		if fits && strings.Contains(rest, s.holds) {
			return s.scheme
		}
	}
	return ""
}

// signedPair finds a signature among the pairs of the query, or of a form.
func signedPair(r *exchange.Request) (Signature, bool) {
	_, query := exchange.SplitTarget(r.Target)
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if scheme := signedQuery[strings.ToLower(name)]; scheme != "" && value != "" {
			return Signature{scheme, exchange.Place("/query").Key(name)}, true
		}
	}
	if r.MediaType() == "application/x-www-form-urlencoded" {
		body, _ := r.Payload()
		if s := string(body); strings.HasPrefix(s, "oauth_signature=") || strings.Contains(s, "&oauth_signature=") {
			return Signature{"OAuth 1.0", exchange.PlaceBody.Key("oauth_signature")}, true
		}
	}
	return Signature{}, false
}
