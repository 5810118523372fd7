package flow

import (
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
)

func parsed(head, body string) exchange.Request {
	return exchange.ParseRequest(exchange.Message{Head: []byte(head), Body: []byte(body)})
}

// TestSigned: each scheme is told by its own marks, and what only looks like one is not.
func TestSigned(t *testing.T) {
	for _, c := range []struct{ head, body, scheme, place string }{
		{"GET / HTTP/1.1\r\nAuthorization: AWS4-HMAC-SHA256 Credential=AK/20260129/eu/s3/aws4_request, SignedHeaders=host, Signature=ab\r\n\r\n", "", "AWS Signature Version 4", "/header/authorization"},
		{"GET /o?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=ab HTTP/1.1\r\n\r\n", "", "AWS Signature Version 4", "/query/X-Amz-Signature"},
		{"GET /o?X-Goog-Signature=ab HTTP/1.1\r\n\r\n", "", "Google signature, version 4", "/query/X-Goog-Signature"},
		{"GET / HTTP/1.1\r\nAuthorization: AWS AKID:frJIUN8DYpKDtOLCwo//yllqDzg=\r\n\r\n", "", "AWS Signature Version 2", "/header/authorization"},
		{"GET / HTTP/1.1\r\nAuthorization: Digest username=\"u\", realm=\"r\", nonce=\"dc\", response=\"66\"\r\n\r\n", "", "Digest authentication, with a nonce of the server", "/header/authorization"},
		{"GET / HTTP/1.1\r\nAuthorization: OAuth oauth_consumer_key=\"k\", oauth_signature=\"s\"\r\n\r\n", "", "OAuth 1.0", "/header/authorization"},
		{"GET /?oauth_signature=s HTTP/1.1\r\n\r\n", "", "OAuth 1.0", "/query/oauth_signature"},
		{"POST / HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 21\r\n\r\n", "a=1&oauth_signature=s", "OAuth 1.0", "/body/oauth_signature"},
		{"GET / HTTP/1.1\r\nSignature-Input: sig1=(\"@method\");created=1\r\nSignature: sig1=:ab:\r\n\r\n", "", "HTTP message signature (RFC 9421)", "/header/signature"},
		{"GET / HTTP/1.1\r\nAuthorization: Signature keyId=\"k\",signature=\"s\"\r\n\r\n", "", "HTTP signature (draft-cavage)", "/header/authorization"},
		{"GET / HTTP/1.1\r\nDPoP: eyJ0.eyJq.2oW9\r\n\r\n", "", "DPoP proof (RFC 9449)", "/header/dpop"},
		{"GET / HTTP/1.1\r\nX-Api-Timestamp: 1769663709\r\nX-Api-Signature: ab\r\n\r\n", "", "a signature of the API's own with a time or nonce", "/header/x-api-signature"},
		{"GET / HTTP/1.1\r\nStripe-Signature: t=1492774577,v1=5257a8\r\n\r\n", "", "a signature of the API's own with a time or nonce", "/header/stripe-signature"},
		{"GET / HTTP/1.1\r\nAuthorization: SharedKey acct:ab=\r\n\r\n", "", "Azure Shared Key", "/header/authorization"},

		{"GET / HTTP/1.1\r\nAuthorization: Bearer eyJ0.eyJq.2oW9\r\n\r\n", "", "", ""},
		{"GET / HTTP/1.1\r\nAuthorization: Basic dTpw\r\n\r\n", "", "", ""},
		{"GET / HTTP/1.1\r\nAuthorization: OAuth ya29.token\r\n\r\n", "", "", ""},
		{"GET / HTTP/1.1\r\nAuthorization: Digest\r\n\r\n", "", "", ""},
		{"GET /?X-Amz-Signature= HTTP/1.1\r\n\r\n", "", "", ""},
		{"GET / HTTP/1.1\r\nX-Api-Signature: ab\r\n\r\n", "", "", ""},
		{"GET / HTTP/1.1\r\nX-Timestamp: 1\r\n\r\n", "", "", ""},
		{"POST / HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 19\r\n\r\n", `{"oauth_signature=1`, "", ""},
	} {
		r := parsed(c.head, c.body)
		s, signed := Signed(&r)
		if signed != (c.scheme != "") || s.Scheme != c.scheme || string(s.Place) != c.place {
			t.Errorf("%q: %v %+v, want %q at %s", c.head, signed, s, c.scheme, c.place)
		}
	}
}

// TestRenew: a Date of the recorded moment becomes one of now in its own form; any other stays.
func TestRenew(t *testing.T) {
	recorded := time.Date(2026, 1, 29, 5, 15, 9, 630_000_000, time.UTC)
	now := time.Date(2026, 11, 21, 23, 59, 58, 900_000_000, time.FixedZone("", 3600))
	for _, c := range []struct{ name, date, want string }{
		{"IMF", "Thu, 29 Jan 2026 05:15:09 GMT", "Sat, 21 Nov 2026 22:59:58 GMT"},
		{"a clock that is a minute slow", "Thu, 29 Jan 2026 05:14:09 GMT", "Sat, 21 Nov 2026 22:58:58 GMT"},
		{"RFC 850", "Thursday, 29-Jan-26 05:15:09 GMT", "Saturday, 21-Nov-26 22:59:58 GMT"},
		{"asctime", "Thu Jan 29 05:15:09 2026", "Sat Nov 21 22:59:58 2026"},
		{"another day", "Wed, 28 Jan 2026 05:15:09 GMT", "Wed, 28 Jan 2026 05:15:09 GMT"},
		{"no date", "yesterday", "yesterday"},
	} {
		head := "GET / HTTP/1.1\r\nHost: a\r\ndate:  %  \r\nX-Date: Thu, 29 Jan 2026 05:15:09 GMT\r\n\r\n"
		got := Renew(parsed(strings.Replace(head, "%", c.date, 1), ""), recorded, now)
		if want := strings.Replace(head, "%", c.want, 1); string(got.Head) != want || got.Header.Get("Date") != c.want {
			t.Errorf("%s: %q, want %q", c.name, got.Head, want)
		}
	}
	signed := "GET / HTTP/1.1\r\nDate: Thu, 29 Jan 2026 05:15:09 GMT\r\nAuthorization: AWS k:s\r\n\r\n"
	if got := Renew(parsed(signed, ""), recorded, now); string(got.Head) != signed {
		t.Errorf("the Date of a signed request became %q", got.Head)
	}
}

// TestWithHeader: one field of the name is left, in the place of the first; the lines end as the others do.
func TestWithHeader(t *testing.T) {
	for _, c := range []struct{ name, head, want string }{
		{"none", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nAccept-Language: de\r\n\r\n"},
		{"one", "GET / HTTP/1.1\r\naccept-language: en, fr;q=0.5\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\naccept-language: de\r\nHost: a\r\n\r\n"},
		{"two", "GET / HTTP/1.1\r\nAccept-Language: en\r\nHost: a\r\nAccept-Language: fr\r\n\r\n", "GET / HTTP/1.1\r\nAccept-Language: de\r\nHost: a\r\n\r\n"},
		{"bare line feeds", "GET / HTTP/1.1\nHost: a\n\n", "GET / HTTP/1.1\nHost: a\nAccept-Language: de\n\n"},
		{"no fields", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nAccept-Language: de\r\n\r\n"},
		{"HTTP/2", "GET / HTTP/2.0\r\nhost: a\r\n\r\n", "GET / HTTP/2.0\r\nhost: a\r\naccept-language: de\r\n\r\n"},
		{"malformed", "GET /\r\nHost a\r\n\r\n", "GET /\r\nHost a\r\n\r\n"},
	} {
		got := message.WithHeader(parsed(c.head, ""), "Accept-Language", "de")
		if string(got.Head) != c.want {
			t.Errorf("%s: %q, want %q", c.name, got.Head, c.want)
		}
	}
	if got := message.WithHeader(parsed("GET / HTTP/1.1\r\n\r\n", ""), "A", "b\r\nC: d"); got.Header.Has("C") {
		t.Errorf("a second field was smuggled in: %q", got.Head)
	}
}
