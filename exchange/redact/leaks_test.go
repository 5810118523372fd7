package redact

import (
	"strings"
	"testing"
)

// What looks like a part of a token, or is named in a way of its own, does not come to rest, nor does what repeats it.
func TestRestLeaks(t *testing.T) {
	for _, c := range []struct{ line, fields, body, secret string }{
		{"GET / HTTP/1.1", "X-API-Key: 0f0f0f1b2c3d\r\n", "", "0f0f0f1b2c3d"},
		{"GET /?token=111122223333 HTTP/1.1", "", "", "111122223333"},
		{"GET / HTTP/1.1", "Authorization: Bearer aaaabbbb1234\r\n", "", "aaaabbbb1234"},
		{"POST / HTTP/1.1", "Content-Type: application/json\r\n", `{"token":123456789012}`, "123456789012"},
		{"GET /?user%5Btoken%5D=tk-bracket-1 HTTP/1.1", "", "", "tk-bracket-1"},
		{"POST / HTTP/1.1", "Content-Type: application/x-www-form-urlencoded\r\n", "session%5Btoken%5D=tk-bracket-1", "tk-bracket-1"},
		{"GET /?next=%2Fcb%3Ftoken%3DTKnestAA345 HTTP/1.1", "", "", "TKnestAA345"},
		{"POST / HTTP/1.1", "Content-Type: application/json\r\n", `{"url":"http://h/f?e=1&sig=5ig-of-it"}`, "5ig-of-it"},
		{"POST / HTTP/1.1", "Content-Type: application/json\r\n", `{"url":"http://h/f?e=1\u0026sig=5ig-of-it"}`, "5ig-of-it"},
		{"POST / HTTP/1.1", "Content-Type: application/x-www-form-urlencoded\r\n", `{"user":"a","password":"x=1&y=pw-2"}`, "x=1&y=pw-2"},
	} {
		e := NewRest(key, nil).Exchange(exchanged(message(c.line, c.fields, c.body),
			message("HTTP/1.1 200 OK", "Content-Type: text/plain\r\n", "you said "+c.secret+", did you?")))
		if stored := all(e); strings.Contains(stored, c.secret) || !strings.Contains(stored, "you said "+token(c.secret)+", did you?") {
			t.Errorf("%s %s is stored as\n%s", c.line, c.secret, stored)
		}
	}
}
