package flakycatch

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
)

// TestInfer proves what is known of the expressions: what they find, what they take for what it is not, what they miss.
func TestInfer(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"millis with a Z", `"2026-01-29T12:15:09.123Z"`, `"` + markTime + `"`},
		{"no zone", `"2026-01-29 12:15:09"`, `"` + markTime + `"`},
		{"epoch in ms", `{"at":1700000000000}`, `{"at":` + markTime + `}`},
		{"MD5", `"d41d8cd98f00b204e9800998ecf8427e"`, `"` + markCrypto + `"`},
		{"SHA-256", `"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"`, `"` + markCrypto + `"`},
		{"UUID", `"3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a101"`, `"` + markUUID + `"`},
		{"UUID in a path", `"/orders/3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a101"`, `"/orders/` + markUUID + `"`},
		{"hex of 16", `"deadbeefdeadbeef"`, `"` + markRandom + `"`},
		{"base64", `"dGhpcyBpcyBhIHRleHQgb2Y="`, `"` + markRandom + `="`},
		{"Java object", `"Foo@72c11c70"`, `"` + markObject + `"`},
		{"address", `"at 0x7f3a"`, `"at ` + markRunMsg + `"`},
		{"source line", `"Foo.java:12"`, `"Foo` + markRunMsg + `"`},

		{"an e-mail is an object", `"bob@example.com"`, `"` + markObject + `xample.com"`},
		{"a birth date is a time", `"1815-12-10"`, `"` + markTime + `"`},
		{"a seed UUID is random", `{"id":"00000000-0000-4000-8000-000000000000"}`, `{"id":"` + markUUID + `"}`},
		{"an article number is a time", `4006381333931`, markTime},
		{"a path is random", `"https://example.com/api/v1/customers/orders"`, `"https://example.` + markRandom + `"`},
		{"a key is random", `{"responseTimeInMilliseconds":3}`, `{"` + markRandom + `":3}`},

		{"an offset is missed", `"2026-01-29T12:15:09+07:00"`, ``},
		{"microseconds are missed", `"2026-01-29T12:15:09.630739+07:00"`, ``},
		{"seconds with a Z are missed", `"2026-01-29T12:15:09Z"`, ``},
		{"epoch seconds are missed", `{"at":1700000000}`, ``},
		{"RFC 1123 is missed", `"Thu, 29 Jan 2026 05:15:09 GMT"`, ``},
		{"a short id is missed", `"V1StGXR8_Z5jdHi6B-myT"`, ``},
		{"a time of day is missed", `"12:15:09.123"`, ``},
		{"an uptime is missed", `{"uptime":20554.017359977}`, ``},
		{"an e-mail beyond hex passes", `"bob@north.example"`, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.want == "" {
				tt.want = tt.text
			}
			if got := Infer(tt.text); got != tt.want {
				t.Errorf("%s became %s, want %s", tt.text, got, tt.want)
			}
		})
	}
}

// answer returns an answer with a JSON body.
func answer(status int, body string, head ...string) *exchange.Response {
	text := fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: application/json\r\n", status)
	for _, h := range head {
		text += h + "\r\n"
	}
	return exchange.ParseResponse(exchange.Message{Head: []byte(text + "\r\n"), Body: []byte(body), Plain: true})
}

// TestJudge proves how answers are compared.
func TestJudge(t *testing.T) {
	for _, tt := range []struct {
		name            string
		recorded, again *exchange.Response
		want            map[exchange.Place]string // what is volatile, with its category
	}{
		{"alike", answer(200, `{"a":1}`), answer(200, `{ "a": 1 }`), nil},
		{"status", answer(200, `{}`), answer(500, `{}`), map[exchange.Place]string{"/status": "Unk"}},
		{"media type", answer(200, `{}`), exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"), Body: []byte("{}"), Plain: true}),
			map[exchange.Place]string{"/header/content-type": "Unk"}},
		{"no header", answer(200, `{}`, "ETag: 1", "X-Request-Id: a"), answer(200, `{}`, "ETag: 2", "X-Request-Id: b"), nil},
		{"member", answer(200, `{"a":{"b":1,"c":1}}`), answer(200, `{"a":{"b":2,"c":1}}`), map[exchange.Place]string{"/body/a/b": "Unk"}},
		{"by index", answer(200, `["a","b","c"]`), answer(200, `["b","a","c"]`), map[exchange.Place]string{"/body/0": "Unk", "/body/1": "Unk"}},
		{"grown", answer(200, `{"l":[1,2]}`), answer(200, `{"l":[1,3,2]}`), map[exchange.Place]string{"/body/l": "Unk", "/body/l/1": "Unk"}},
		{"gone", answer(200, `{"a":1,"b":1}`), answer(200, `{"a":1}`), map[exchange.Place]string{"/body/b": "Unk"}},
		{"come", answer(200, `{"a":1}`), answer(200, `{"a":1,"b":1}`), map[exchange.Place]string{"/body/b": "Unk"}},
		{"null", answer(200, `{"a":1}`), answer(200, `{"a":null}`), map[exchange.Place]string{"/body/a": "Unk"}},
		{"one and 1.0", answer(200, `{"a":1}`), answer(200, `{"a":1.0}`), map[exchange.Place]string{"/body/a": "Unk"}},
		{"beyond a float", answer(200, `{"a":12345678.90000000001}`), answer(200, `{"a":12345678.90000000002}`), nil},
		{"moved and named", answer(200, `{"a":"2026-01-29"}`), answer(200, `{"a":"2026-01-30"}`), map[exchange.Place]string{"/body/a": "Time"}},
		{"number", answer(200, `{"n":4006381333931,"m":1}`), answer(200, `{"n":4006381333931,"m":1}`), map[exchange.Place]string{"/body/n": "Time"}},
		{"fraction", answer(200, `{"n":3.14159265358979323846}`), answer(200, `{"n":3.14159265358979323846}`), map[exchange.Place]string{"/body/n": "Rand"}},
		{"key", answer(200, `{"customerreferencenumber":1}`), answer(200, `{"customerreferencenumber":1}`),
			map[exchange.Place]string{"/body/customerreferencenumber": "Rand"}},
		{"in a list", answer(200, `[{"mail":"bob@example.com"}]`), nil, map[exchange.Place]string{"/body/0/mail": "RunMsg"}},
		{"text", answer(200, `up 1 s`), answer(200, `up 2 s`), map[exchange.Place]string{"/body": "Unk"}},
		{"text with a placeholder", answer(200, `Foo@72c11c70`), answer(200, `Foo@72c11c70`), map[exchange.Place]string{"/body": "RunMsg"}},
		{"gone body", answer(200, `{"a":1}`), answer(200, ``), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := map[exchange.Place]string{}
			for _, v := range Judge([]Pair{{exchange.Operation{Method: "GET", Template: "/x"}, tt.recorded, tt.again}}) {
				if v.Volatile {
					got[v.Place] = v.Category
				}
			}
			if tt.want == nil {
				tt.want = map[exchange.Place]string{}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("volatile (-want +got):\n%s", diff)
			}
		})
	}
}

// TestJudgeLists proves that every place is listed once for an operation, and that one answer is enough for it to be volatile.
func TestJudgeLists(t *testing.T) {
	op := exchange.Operation{Method: "GET", Template: "/x"}
	got := Judge([]Pair{
		{op, answer(200, `{"a":1,"l":[1]}`), answer(200, `{"a":2,"l":[1]}`)},
		{op, answer(200, `{"a":1}`), answer(200, `{"a":1}`)},
		{op, nil, answer(200, `{}`)},
		{op, answer(404, `{}`), nil},
	})
	want := []Verdict{
		{op, 200, "/body", false, ""}, {op, 200, "/body/a", true, "Unk"}, {op, 200, "/body/l", false, ""}, {op, 200, "/body/l/0", false, ""},
		{op, 200, "/header/content-type", false, ""}, {op, 200, "/status", false, ""},
		{op, 404, "/body", false, ""}, {op, 404, "/header/content-type", false, ""}, {op, 404, "/status", false, ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
}
