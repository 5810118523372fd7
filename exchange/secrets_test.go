package exchange

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

// TestSecretsInTexts shows what a text itself names as a secret, in every form.
func TestSecretsInTexts(t *testing.T) {
	tests := map[string][]string{
		`{"user":"ann","password":"pw1","n":1}`:                                  {"pw1"},
		`{"user":"ann","password" : "p\"w\u00fc", "x":"y"}`:                      {`p"wü`},
		`{"pin":12,"api_key":12345,"secret":true,"token":null}`:                  {"12345"},
		`{"pass\u0077ord":"pw1"}`:                                                {"pw1"},
		`{"secrets":[{"value":"one"},{"value":"two","n":3}],"free":"text"}`:      {"one", "two", "3"},
		`{"query":"mutation { login(user: \"ann\", password: \"pw1\") { id }}"}`: {"pw1"},
		`mutation { login(user: "ann", password: "pw1") { id }}`:                 {"pw1"},
		`{"inner":"{\"password\":\"pw1\",\"a\":\"b\"}"}`:                         {"pw1"},
		`user=ann&password=p%26w+1&x=y`:                                          {"p&w 1"},
		`user[password]=pw1`:                                                     {"pw1"},
		`<login><user>ann</user><password>p&amp;w</password></login>`:            {"p&w"},
		`<s:Password type="text">pw1</s:Password>`:                               {"pw1"},
		`<secret><![CDATA[a<b]]></secret>`:                                       {"a<b"},
		`<credentials><user>ann</user><key>k1</key></credentials><a>b</a>`:       {"ann", "k1"},
		`<login password="pw1" user="ann"/>`:                                     {"pw1"},
		`<input type="hidden" name="csrf_token" value="abc"><p>free</p>`:         {"abc"},
		`<input value="abc" name="csrf_token"><p>free</p>`:                       {"abc"},
		`<input type="password" name="pw2" value="abc"><i type=a value="b">`:     {"abc"},
		`<INPUT VALUE='a&amp;b' NAME=pw2 TYPE=Password>`:                         {"a&b"},
		`<input data-value=x value=abc type=password><i value="free">`:           {"abc"},
		"<input\n  type=\"password\"\n  value=\"abc\"\n>":                        {"abc"},
		`{"page":"<input type=\"password\" value=\"abc\">"}`:                     {"abc"},
		`<p value="free"><textarea rows=2 name="secret">a&lt;b</textarea> free`:  {"a<b"},
		`<textarea name=secret></textarea><textarea name=note>free</textarea>`:   nil,
		`a type=password value="free" and {"type":"password","value":"free"}`:    nil,
		"--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\npw1\r\n--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nfree\r\n--b--\r\n": {"pw1"},
		`cannot log in with Bearer abcd1234efgh today`:                {"abcd1234efgh"},
		`postgres://ann:pw1@db.example/x and http://host:80/a@b`:      {"pw1"},
		`https://ghp12345@example.org/`:                               {"ghp12345"},
		`{"url":"https://cdn.example/f?expires=1&sig=a%2Fb1"}`:        {"a/b1"},
		`<a href="/f?e=1&amp;X-Amz-Signature=ab12">`:                  {"ab12"},
		`the signature=none, sig=1 and {"sig":"2","a":"x?b=1"}`:       nil,
		`see eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_1, then`:       {"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_1"},
		`password: must not be empty`:                                 nil,
		`token: 4f9d02`:                                               {"4f9d02"},
		`the password is needed, token=true`:                          nil,
		`Bearer realm="demo", error="invalid_token" Basic realm=demo`: nil,
		`at 12:30 a=b <a href="x">`:                                   nil,
		`{"password":"secret:0123456789ab"} secret:0123456789ab`:      nil,
	}
	for text, want := range tests {
		var got []string
		for _, s := range (Redactor{}).Secrets(text) {
			got = append(got, s.Value)
		}
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Errorf("in %s\nfound %q, want %q", text, got, want)
		}
	}
}

func TestShowIsDoneOnce(t *testing.T) {
	r := Redactor{Key: []byte("k"), Known: known(t, "kn0wn-value")}
	for _, text := range []string{"/a?token=x1&b=kn0wn-value", `{"password":"pw","api_key":12}`, "a kn0wn-value b", "Authorization: Bearer kn0wn-value"} {
		once := r.Show("", text)
		if once == text || strings.Contains(once, "kn0wn") {
			t.Errorf("%s is shown as %s", text, once)
		}
		if twice := r.Show("", once); twice != once {
			t.Errorf("shown twice, %s becomes %s, then %s", text, once, twice)
		}
	}
}

func known(t *testing.T, values ...string) *Known {
	t.Helper()
	var s Secrets
	for _, v := range values {
		s.Note(v)
	}
	return s.Known()
}

// TestSecretsKnown plants a secret in each way in which a message can hold one, and wants it known in free text.
func TestSecretsKnown(t *testing.T) {
	post := func(kind, body string) string {
		return "POST /x HTTP/1.1\r\nHost: a\r\nContent-Type: " + kind + "\r\n\r\n" + body
	}
	tests := map[string]string{ // the request, the secret
		"GET / HTTP/1.1\r\nAuthorization: Bearer tok-4711-a\r\n\r\n":                                                              "tok-4711-a",
		"GET / HTTP/1.1\r\nAuthorization: Basic " + b64("ann:hunter2") + "\r\n\r\n":                                               "hunter2",
		"GET / HTTP/1.1\r\nX-Api-Key: key-4711\r\n\r\n":                                                                           "key-4711",
		"GET / HTTP/1.1\r\nCookie: a=b; sid=\"s-4711-x\"\r\n\r\n":                                                                 "s-4711-x",
		"GET /a?x=1&sig=abc%2F4711%3D HTTP/1.1\r\n\r\n":                                                                           "abc/4711=",
		"GET /a?X-Amz-Signature=4711aa4711 HTTP/1.1\r\n\r\n":                                                                      "4711aa4711",
		"GET http://ann:pw-4711@host/a HTTP/1.1\r\n\r\n":                                                                          "pw-4711",
		"GET /password-reset/4f9d02c7aa81be53d0 HTTP/1.1\r\n\r\n":                                                                 "4f9d02c7aa81be53d0",
		post("application/json", `{"a":{"newPassword":"pw/4711"}}`):                                                               "pw/4711",
		post("text/plain", `{"password":"pw-4711"}`):                                                                              "pw-4711",
		post("application/xml", `<a><password>pw&lt;4711</password></a>`):                                                         "pw<4711",
		post("application/x-www-form-urlencoded", `a=b&password=pw,%204711;)`):                                                    "pw, 4711;)",
		post("application/json", `{"query":"{ login(password: \"pw-\\u00e94711\") }"}`):                                           "pw-é4711",
		post("multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\ntok 4711\r\n--b--"): "tok 4711",
		post("application/json", `{"note":"\u003cpassword\u003epw-4711\u003c/password\u003e"}`):                                   "pw-4711",
		post("application/json", `{"note":"Content-Disposition: form-data; name=\"token\"\r\n\r\nto-4711\r\n--b"}`):               "to-4711",
		post("application/json", `{"at":"https:\/\/ann:pw-4711@h\/"}`):                                                            "pw-4711",
		post("application/json", `{"url":"https://h/f?e=1\u0026sig=sig-4711"}`):                                                   "sig-4711",
		post("application/json", `{"ssn":"123-45-6789"}`):                                                                         "123-45-6789",
		post("application/json", `{"deep":[{"x":"1"},{"x":"id-4711"}]}`):                                                          "id-4711",
		"GET / HTTP/1.1\r\nX-Tenant: ten-4711\r\n\r\n":                                                                            "ten-4711",
	}
	for head, secret := range tests {
		h, body, _ := strings.Cut(head, "\r\n\r\n")
		e := &Exchange{Request: ParseRequest(Message{Head: []byte(h + "\r\n\r\n"), Body: []byte(body), Plain: true})}
		s := Secrets{Named: []string{"SSN", "/body/deep/*/x", "/header/x-tenant"}}
		s.Step(Step{Exchange: e})
		r := Redactor{Known: s.Known()}
		for _, text := range append(spellings(secret), secret) {
			got := r.Show("/body/harmless", "it says "+text+" here")
			if got != "it says "+r.Token(secret)+" here" {
				t.Errorf("%s\n%s is shown as %s", head, text, got)
			}
		}
	}
}

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func TestNote(t *testing.T) {
	tests := map[string]bool{
		"": false, "true": false, "1": false, "admin": false, "password": false, "string": false, "12345": false, "1234567": false,
		"unavailable": false, "not set yet": false, "hunter2": true, "12345678": true, "SuperSecret": true, "opensesameplease": true,
		"correct-horse-battery": true, "pass word": false, "p@ssword": true, "secret:0123456789ab": false,
	}
	for value, want := range tests {
		text := "before " + value + " after"
		if got := (Redactor{Known: known(t, value)}).Show("", text) != text; got != want {
			t.Errorf("%q is known: %v", value, got)
		}
	}
}

// TestMatcher wants the longest of several texts at each position.
func TestMatcher(t *testing.T) {
	k := known(t, "token-1", "token-1-long", "token-1-long-er", "other-22", "eyJhbGci1", "eyJhbGci2")
	for text, want := range map[string]string{
		"a token-1-long b":       "token-1-long",
		"a token-1-lon b":        "token-1",
		"token-1-long-eother-22": "token-1-long,other-22",
		"eyJhbGci3eyJhbGci2":     "eyJhbGci2",
		"token-":                 "",
	} {
		var got []string
		for _, s := range k.spans(text) {
			got = append(got, text[s.From:s.To])
		}
		if strings.Join(got, ",") != want {
			t.Errorf("in %s: %q", text, got)
		}
	}
}

// FuzzShow wants that nothing known is shown, whatever surrounds it, and that spans are in order and within the text.
func FuzzShow(f *testing.F) {
	f.Add(`{"password":"`, `"}`)
	f.Add(`<password>`, `</password>`)
	f.Add("Content-Disposition: form-data; name=\"token\"\r\n\r\n", "\r\n--")
	f.Add("http://a:", "@b")
	f.Add(`{"secrets":[`, `{"a":1,"b":"`)
	f.Add("password=\\\"'", "eyJa.b.c")
	r := Redactor{Known: func() *Known { var s Secrets; s.Note("kn0wn-value"); return s.Known() }()}
	f.Fuzz(func(t *testing.T, before, after string) {
		text := before + "kn0wn-value" + after
		last := 0
		for _, s := range r.Secrets(text) {
			if s.From < last || s.To <= s.From || s.To > len(text) {
				t.Fatalf("span %d-%d after %d in %q", s.From, s.To, last, text)
			}
			last = s.To
		}
		if shown := r.Show("", text); strings.Contains(shown, "kn0wn-value") {
			t.Errorf("%q is shown as %q", text, shown)
		}
		var s Secrets
		s.text(text)
	})
}

// BenchmarkSecrets reads an answer of 4 kB, and looks for 100 000 secrets in it.
func BenchmarkSecrets(b *testing.B) {
	body := []byte(strings.Repeat(`{"id":17,"name":"article number 17","price":17.99,"tags":["a","b"],"at":"2020-01-29T12:15:09Z","stock":{"berlin":3}},`, 35))
	b.Run("collect", func(b *testing.B) {
		var s Secrets
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			s.body("application/json", body)
		}
	})
	b.Run("show", func(b *testing.B) {
		var s Secrets
		for i := range 100_000 {
			s.Note(fmt.Sprintf("tok-%d-%x", i, i*7919))
		}
		r := Redactor{Known: s.Known()}
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			r.Show("", string(body))
		}
	})
}
