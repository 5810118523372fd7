package redact

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

func TestRedactBody(t *testing.T) {
	r := shower{Redactor: exchange.Redactor{Key: []byte("k")}}
	token := r.Token("s3")
	for _, c := range []struct{ kind, body, want string }{
		{"application/json", `{"password":"s3"}`, `{"password":"` + token + `"}`},
		{"application/json", "{ \"password\" :\t\"s3\" , \"a\":[1, 2.50] }\n", "{ \"password\" :\t\"" + token + "\" , \"a\":[1, 2.50] }\n"},
		{"application/problem+json", `{"a":{"password":{"b":"s3"}},"c":"s3"}`, `{"a":{"password":{"b":"` + token + `"}},"c":"s3"}`},
		{"application/json", `{"password":"` + token + `"}`, `{"password":"` + token + `"}`},
		{"application/json", `{"token":123456789012}`, `{"token":"` + r.Token("123456789012") + `"}`},
		{"multipart/form-data; boundary=X", "--X\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n" + token + "\r\n--X--\r\n",
			"--X\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n" + token + "\r\n--X--\r\n"},
		{"application/x-www-form-urlencoded", "session%5Btoken%5D=s3&user[token]=s3", strings.ReplaceAll("session%5Btoken%5D="+token+"&user[token]="+token, ":", "%3A")},
		{"text/plain", "GET /?user%5Btoken%5D=s3x&a[tokens][]=s3x", "GET /?user%5Btoken%5D=" + r.Token("s3x") + "&a[tokens][]=" + r.Token("s3x")},
		{"application/x-www-form-urlencoded", `{"user":"a","password":"x=1&y=2","b":"c&d=1"}`, `{"user":"a","password":"` + r.Token("x=1&y=2") + `","b":"c&d=1"}`},
		{"text/plain", ` {"user":"a","password":"x=1&y=2"}`, ` {"user":"a","password":"` + r.Token("x=1&y=2") + `"}`},
		{"application/json", `{"password":12}`, `{"password":"` + r.Token("12") + `"}`},
		{"application/json", `{"password":null,"token":true,"tokens":[]}`, `{"password":null,"token":true,"tokens":[]}`},
		{"application/json", `{"a":"s3","b":[{"x":1},{"password":"s3"}],"c":"s3"}`, `{"a":"s3","b":[{"x":1},{"password":"` + token + `"}],"c":"s3"}`},
		{"application/x-ndjson", `{"password":"s3"}` + "\n" + `{"password":"s3"}`, `{"password":"` + token + `"}` + "\n" + `{"password":"` + token + `"}`},
		{"", `{"password":"s3"}`, `{"password":"` + token + `"}`},
		{"text/plain", `password s3`, `password s3`},
		{"application/x-www-form-urlencoded", "a=s3&pass%77ord=s3&password", "a=s3&pass%77ord=" + strings.ReplaceAll(token, ":", "%3A") + "&password"},
		{
			"multipart/form-data; boundary=X",
			"--X\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\ns3\r\n--X\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\ns3\r\n--X--\r\n",
			"--X\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n" + token + "\r\n--X\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\ns3\r\n--X--\r\n",
		},
		{"application/json", `{"a":1,"b`, `{"a":1,"b`},
		{"application/json", `{"password":"s3","b`, `{"password":"` + token + `","b`},
		{"application/json", `{"password":"s3`, `{"password"` + r.Token(`:"s3`)},
		{"application/json", `{"a":1 "password":"s3"}`, `{"a":1` + r.Token(` "password":"s3"}`)},
	} {
		if got := string(r.body(c.kind, []byte(c.body))); got != c.want {
			t.Errorf("%s %s:\ngot  %s\nwant %s", c.kind, c.body, got, c.want)
		}
	}
}

// FuzzRedactJSON sees that redaction leaves JSON JSON, and its structure alone.
func FuzzRedactJSON(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"password":"x"}],"token":{"b":[true,null]}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		got := shower{}.json(slices.Clone(body))
		if json.Valid(body) && !json.Valid(got) {
			t.Errorf("%q became %q", body, got)
		}
		if same := (shower{Redactor: exchange.Redactor{Reveal: true}}).body("application/json", body); !bytes.Equal(same, body) {
			t.Errorf("with Reveal %q became %q", body, same)
		}
	})
}
