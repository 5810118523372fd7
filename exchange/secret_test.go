package exchange

import (
	"strings"
	"testing"
)

func TestSecret(t *testing.T) {
	tests := map[Place]bool{
		HeaderPlace("Authorization"):               true,
		HeaderPlace("Proxy-Authorization"):         true,
		HeaderPlace("Cookie"):                      true,
		HeaderPlace("Set-Cookie"):                  true,
		HeaderPlace("X-API-Key"):                   true,
		HeaderPlace("X-Auth-Token"):                true,
		HeaderPlace("X-CSRF-Token"):                true,
		HeaderPlace("Content-Type"):                false,
		HeaderPlace("ETag"):                        false,
		HeaderPlace("WWW-Authenticate"):            false,
		"/cookie/theme":                            true,
		"/query/api_key":                           true,
		"/query/access_token":                      true,
		"/query/q":                                 false,
		"/path/2":                                  false,
		"/path/password":                           false,
		PlaceStatus:                                false,
		PlaceBody:                                  false,
		"":                                         false,
		"/":                                        false,
		PlaceBody.Key("password"):                  true,
		PlaceBody.Key("newPassword"):               true,
		PlaceBody.Key("passwort"):                  true,
		PlaceBody.Key("mot_de_passe"):              true,
		PlaceBody.Key("Contraseña"):                true,
		PlaceBody.Key("passage"):                   false,
		PlaceBody.Key("user").Key("PASSWORD_hash"): true,
		PlaceBody.Key("secrets").Index(0).Key("value"):      true,
		PlaceBody.Key("clientSecret"):                       true,
		PlaceBody.Key("refresh_token"):                      true,
		PlaceBody.Key("token"):                              true,
		"/query/user[token]":                                true,
		"/query/user[token_type]":                           false,
		"/query/tokens[]":                                   true,
		"/query/user[][api_key][0]":                         true,
		"/query/[]":                                         false,
		HeaderPlace("X-Auth"):                               true,
		HeaderPlace("X-Session-Id"):                         true,
		"/query/sid":                                        true,
		"/query/side":                                       false,
		PlaceBody.Key("otp"):                                true,
		PlaceBody.Key("access_tokens").Index(0):             true,
		PlaceBody.Key("max_tokens"):                         false,
		PlaceBody.Key("token_type"):                         false,
		PlaceBody.Key("tokens_used"):                        false,
		PlaceBody.Key("jwt"):                                true,
		PlaceBody.Key("sessionId"):                          true,
		PlaceBody.Key("private.key"):                        true,
		PlaceBody.Key("AWSAccessKeyId"):                     true,
		PlaceBody.Key("key"):                                false,
		PlaceBody.Key("items").Each().Key("credentials"):    true,
		PlaceBody.Key("credentialId"):                       false,
		PlaceBody.Key("user_credential_ids").Each():         false,
		PlaceBody.Key("credentialIdSecret"):                 true,
		PlaceBody.Key("bypass"):                             false,
		PlaceBody.Key("compassword/x").Key("anything else"): true,
	}
	for place, want := range tests {
		if Secret(place) != want {
			t.Errorf("Secret(%q) is %v", place, !want)
		}
	}
}

func TestRedactor(t *testing.T) {
	const secret = "Bearer abc"
	place := HeaderPlace("Authorization")
	r, other := Redactor{Key: []byte("one")}, Redactor{Key: []byte("two")}
	token := r.Show(place, secret)
	switch {
	case token == secret || strings.Contains(token, "abc"):
		t.Errorf("the token %q tells the secret", token)
	case len(token) != len("secret:")+12 || !strings.HasPrefix(token, "secret:"):
		t.Errorf("the token is %q", token)
	case r.Show("/body/token", secret) != token:
		t.Error("the same secret in two places has two tokens")
	case r.Token("Bearer abd") == token:
		t.Error("two secrets have one token")
	case other.Token(secret) == token || (Redactor{}).Token(secret) == token:
		t.Error("the token does not depend on the key")
	}
	if got := r.Show("/body/name", secret); got != secret {
		t.Errorf("what is no secret is shown as %q", got)
	}
	if got := r.Show(place, ""); got != "" {
		t.Errorf("an empty value is shown as %q", got)
	}
	r.Reveal = true
	if got := r.Show(place, secret); got != secret {
		t.Errorf("revealed, the secret is shown as %q", got)
	}
	if got := (Redactor{}).Show(place, secret); strings.Contains(got, "abc") {
		t.Errorf("the zero Redactor shows %q", got)
	}
}

// TestShowPlace: a key may be a secret, or hold one, and all else of a place stays as it is written.
func TestShowPlace(t *testing.T) {
	var s Secrets
	s.Note("k3y/of~sessions")
	r := Redactor{Key: []byte("k"), Known: s.Known()}
	token := Place(r.Token("k3y/of~sessions"))
	for place, want := range map[Place]Place{
		"":                                 "",
		"/status":                          "/status",
		"/body/*/~2/a~1b":                  "/body/*/~2/a~1b",
		"/body/k3y~1of~0sessions/*/~2":     "/body/" + token + "/*/~2",
		"/body/at k3y~1of~0sessions/@json": "/body/at " + token + "/@json",
	} {
		if got := r.ShowPlace(place); got != want {
			t.Errorf("%s is shown as %s, want %s", place, got, want)
		}
	}
	r.Reveal = true
	if got := r.ShowPlace("/body/k3y~1of~0sessions"); got != "/body/k3y~1of~0sessions" {
		t.Errorf("revealed, it is shown as %s", got)
	}
}
