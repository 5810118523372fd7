package apitest

// The helpers of generated projects, held against values that they are to accept and to refuse.

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"
)

func answerOf(t *testing.T, body string) *answer {
	return &answer{
		t: t, code: 200, body: []byte(body), host: "localhost:8080", when: time.Date(2026, 1, 29, 12, 0, 0, 0, time.UTC),
		head: http.Header{"Location": {"/orders/17?page=2"}, "Set-Cookie": {"sid=abc; Path=/"}, "Etag": {`"v1"`}},
	}
}

func TestIsNear(t *testing.T) {
	now := time.Date(2026, 1, 29, 12, 15, 9, 120e6, time.UTC)
	for _, text := range []string{
		now.Format(time.RFC3339), now.Format(time.RFC3339Nano), now.Format(time.RFC1123), now.Format(time.RFC850), now.Format(time.ANSIC),
		now.In(time.FixedZone("", 7*3600)).Format(time.RFC3339), now.In(time.FixedZone("", -9000)).Format("2006-01-02T15:04:05-0700"),
		now.Format("2006/01/02 15:04:05"), now.Format("20060102150405"), now.Format("20060102T150405Z"), now.Format("2006-01-02"), now.Format("20060102"),
		now.Format("2 January 2006"), now.Format("Jan 2, 2006"), now.Format("02.01.2006"), now.Format("2.1.2006"), now.Format("2006-01-02T15:04Z"), "1769688909", "1769688909120", "1769688909120000", "1769688909120000000",
		"1769688909.12", "20482", "639052857091200000",
	} {
		if !isNear(text, 60, now) {
			t.Errorf("%s is not taken for now", text)
		}
		if isNear(text, 60, now.AddDate(0, 0, 3)) {
			t.Errorf("%s is taken for a time three days later", text)
		}
	}
	for _, text := range []string{"", "no time", "17", "17.1", "29.1.1026", "2026-13-29", "2026-01-29T12:15:09 and more", "99999999999999999999"} {
		if isNear(text, 60, now) {
			t.Errorf("%q is taken for a time", text)
		}
	}
}

func TestSays(t *testing.T) {
	a := answerOf(t, `{}`)
	for _, tt := range []struct {
		value string
		s     says
		ok    bool
	}{
		{`"a1"`, says{Type: "string", Pattern: `a\d`}, true},
		{`"xa1"`, says{Type: "string", Pattern: `a\d`}, false},
		{`null`, says{Type: "null|string", Pattern: `a\d`}, true},
		{`null`, says{Type: "string"}, false},
		{`1.5`, says{Type: "integer"}, false},
		{`1`, says{Type: "number"}, true},
		{`12`, says{Type: "integer", Low: "1", High: "12.5"}, true},
		{`13`, says{Type: "integer", Low: "1", High: "12.5"}, false},
		{`[1,2]`, says{Type: "array", MinLength: 1, MaxLength: 2}, true},
		{`[]`, says{Type: "array", MinLength: 1}, false},
		{`"b"`, says{OneOf: `["a", null]`}, false},
		{`null`, says{OneOf: `["a", null]`}, true},
		{`{"b":1.0,"a":2}`, says{Equal: `{"a":2,"b":1}`}, true},
		{`"ab"`, says{Format: "hex:2"}, true},
		{`"6f1c2a54-9d3e-4b7a-8c15-0e9d7b42fa3"`, says{Format: "uuid"}, false},
		{`"http://localhost:8080/x"`, says{Host: true}, true},
		{`"http://localhost:9090/x"`, says{Host: true}, false},
		{`"2026-01-29T12:00:30Z"`, says{Within: 60}, true},
		{`"2026-01-29T12:01:30Z"`, says{Within: 60}, false},
		{`"2026-01-29T13:00:02Z"`, says{After: 3600, Within: 2}, true},
		{`"2026-01-29T13:00:30Z"`, says{After: 3600, Within: 2}, false},
		{`"2026-01-29T11:59:58Z"`, says{Within: 2}, true},
	} {
		if got := tt.s.not(mustParse(tt.value), a); (got == "") != tt.ok {
			t.Errorf("%s, %+v: not %q", tt.value, tt.s, got)
		}
	}
}

// A time is held against the Date of its answer, and against when that came where it has none.
func TestMade(t *testing.T) {
	for date, want := range map[string]int64{"Tue, 14 Nov 2023 22:13:20 GMT": 1700000000, "soon": 1769688000, "": 1769688000} {
		a := answerOf(t, `{}`)
		a.head.Set("Date", date)
		if got := a.made().Unix(); got != want {
			t.Errorf("Date %q: made at %d, want %d", date, got, want)
		}
	}
}

func TestDifferences(t *testing.T) {
	for _, tt := range []struct {
		got, want string
		m         masks
		out       absent
		differ    int
	}{
		{`{"a":1,"b":[{"at":5,"n":1}]}`, `{"b":[{"n":1,"at":"<volatile>"}],"a":1.0}`, masks{"/b/*/at"}, nil, 0},
		{`{"a":1,"hint":2}`, `{"a":1}`, nil, absent{"/hint"}, 0},
		{`{"a":1,"hint":2}`, `{"a":1}`, nil, nil, 1},
		{`{"a":1}`, `{"a":1,"b":null}`, nil, nil, 1},
		{`[1,2]`, `[2,1]`, nil, nil, 2},
		{`{"a":1,"a":2}`, `{"a":2,"a":1}`, nil, nil, 1},
		{`9007199254740993`, `9007199254740992`, nil, nil, 1},
		{`1e400`, `1e401`, nil, nil, 1},
		{`{"*":1,"x/y":2}`, `{"*":1,"x/y":"<volatile>"}`, masks{"/x~1y"}, nil, 0},
	} {
		if got := differences("", masked(mustParse(tt.got), tt.m, tt.out), mustParse(tt.want), nil); len(got) != tt.differ {
			t.Errorf("%s and %s: %q", tt.got, tt.want, got)
		}
	}
}

func TestRelates(t *testing.T) {
	body := `{"net":2,"tax":0.38,"total":2.38,"n":2,"sum":7,"items":[{"p":2,"q":2,"t":4},{"p":3,"q":1,"t":3}],"noise":0.30000000000000004,"x":0.1,"y":0.2,"at":"2026-01-02T00:00:00+01:00","list":["b","A"],"twice":[1,2,1]}`
	for _, tt := range []struct {
		kind   string
		places []string
		ok     bool
	}{
		{"sum", []string{"/body/total", "/body/net", "/body/tax"}, true},
		{"sum", []string{"/body/noise", "/body/x", "/body/y"}, true},
		{"difference", []string{"/body/net", "/body/total", "/body/tax"}, true},
		{"difference", []string{"/body/net", "/body/tax", "/body/total"}, false},
		{"product", []string{"/body/items/*/t", "/body/items/*/p", "/body/items/*/q"}, true},
		{"product", []string{"/body/items/*/p", "/body/items/*/t", "/body/items/*/q"}, false},
		{"count", []string{"/body/n", "/body/items"}, true},
		{"count", []string{"/body/sum", "/body/items"}, false},
		{"total", []string{"/body/sum", "/body/items/*/t"}, true},
		{"total", []string{"/body/sum", "/body/items/*/p", "/body/items/*/q"}, true},
		{"total", []string{"/body/sum", "/body/items/*/p"}, false},
		{"equal", []string{"/body/n", "/body/net"}, true},
		{"equal", []string{"/body/n", "/body/tax"}, false},
		{"equal", []string{"/body/n", "/body/absent"}, true},
		{"sum", []string{"/body/n", "=1", "=1"}, true},
		{"sum", []string{"/body/n", "=2", "=1"}, false},
		{"other", []string{"/body/n", "=3"}, true},
		{"other", []string{"/body/n", "=2"}, false},
		{"above", []string{"/body/sum", "/body/n"}, true},
		{"above", []string{"/body/n", "=2"}, false},
		{"contains", []string{"/body/at", "=02T"}, true},
		{"contains", []string{"/body/at", "=x"}, false},
		{"at-least", []string{"/body/at", "=2026-01-01T22:59:59Z"}, true},
		{"at-least", []string{"/body/at", "=2026-01-01T23:00:01Z"}, false},
		{"ascending", []string{"/body/items", "/body/items/*/p"}, true},
		{"descending", []string{"/body/items", "/body/items/*/p"}, false},
		{"descending", []string{"/body/list", "/body/list/*"}, true},
		{"unique", []string{"/body/items", "/body/items/*/p"}, true},
		{"unique", []string{"/body/twice", "/body/twice/*"}, false},
		{"ascending", []string{"/body/list", "/body/list/*"}, false},
	} {
		var inner testing.T // what fails in it is to be counted, not to be reported
		a := answerOf(&inner, body)
		a.related(tt.kind, tt.places[0], tt.places[1:]...)
		if inner.Failed() == tt.ok {
			t.Errorf("%s %q is %v", tt.kind, tt.places, !tt.ok)
		}
	}
}

func TestDigestOf(t *testing.T) {
	for _, tt := range []struct {
		body, place, kind, of string
		digits                int
		ok                    bool
	}{
		{`{"v":"CBF43926"}`, "/body/v", "crc32", "=123456789", 0, true},
		{`{"v":"CBF43926"}`, "/body/v", "crc32", "=12345678", 0, false},
		{`{"v":"md5=kAFQmDzST7DWlj99KOF_cg","w":"abc"}`, "/body/v", "md5", "/body/w", 0, true},
		{`{"v":"a9993e364706816aba3e25717850c26c9cd0d89d"}`, "/body/v", "sha1", "=abc", 0, true},
		{`{"v":"ba7816bf8f01cfea"}`, "/body/v", "sha256", "=abc", 16, true},
		{`{"v":"ba7816bf8f01cfea"}`, "/body/v", "sha256", "=abc", 17, false},
		{`{"v":"ba7816bf8f01cfea"}`, "/body/v", "sha256", "=abc", 0, false},
		{`{"v":"ddaf35a193617aba"}`, "/body/v", "sha512", "=abc", 16, true},
		{`{"v":"ddaf35a193617aba"}`, "/body/v", "sha512", "/body", 16, false},
		{`{"v":"ddaf35a193617aba"}`, "/body/v", "sha512", "/body/none", 16, false},
		{`{"v":"ddaf35a193617aba"}`, "/body/none", "sha512", "=abc", 16, false},
	} {
		var inner testing.T // what fails in it is to be counted, not to be reported
		a := answerOf(&inner, tt.body)
		a.digestOf(tt.place, tt.kind, tt.of, tt.digits)
		if inner.Failed() == tt.ok {
			t.Errorf("%s of %s in %s is %v", tt.kind, tt.of, tt.body, !tt.ok)
		}
	}
}

func TestTaken(t *testing.T) {
	a := answerOf(t, `{"id":17,"list":[{"id":"abcdef"},{"id":"zzz"}]}`)
	for place, want := range map[string]string{
		"/body/id": "17", "/header/location/path/1": "17", "/header/location/query/page": "2", "/header/set-cookie/sid": "abc", "/header/etag": `"v1"`,
	} {
		if got, ok := a.taken(place); !ok || got != want {
			t.Errorf("%s gives %q, want %q", place, got, want)
		}
	}
	for _, place := range []string{"/body/none", "/body/list", "/header/none", "/header/location/path/9", "/header/set-cookie/none"} {
		if got, ok := a.taken(place); ok {
			t.Errorf("%s gives %q", place, got)
		}
	}
	c := &client{t: t, values: map[string]string{}, given: map[string]bool{}}
	c.find("item", a, "/body/list/1/id")
	if c.bound("item") != "abcdef" {
		t.Errorf("the recorded item is in the list, and %q was taken", c.bound("item"))
	}
	if c.take("orderId", a, "/body/id"); !c.given["orderId"] {
		t.Error("nothing was taken")
	}
	for _, code := range []int{http.StatusAccepted, http.StatusForbidden} {
		if c.gone("orderId", &answer{code: code}); !c.given["orderId"] {
			t.Errorf("gone with %d", code)
		}
	}
	if c.gone("orderId", &answer{code: http.StatusNoContent}); c.given["orderId"] {
		t.Error("still there")
	}
}

func TestEscapes(t *testing.T) {
	for got, want := range map[string]string{
		inPath("a/b c%"): "a%2Fb%20c%25", inQuery("a&b=c d+é"): "a%26b%3Dc%20d%2B%C3%A9", inJSON("a\"<\n"): `a\"<\n`,
		asJSON("17"): "17", asJSON("x"): `"x"`, asJSON("true"): `"true"`, asJSON("017"): `"017"`, fromBase64("YQ=="): "a", latin1("\u00e9"): "\xe9",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if !json.Valid([]byte(asJSON(`"`))) {
		t.Error("a quote makes no JSON")
	}
}

// TestTextThatCouldBeJSON: what an answer calls text is text, also where it could be read as JSON.
func TestTextThatCouldBeJSON(t *testing.T) {
	for kind, want := range map[string]string{"application/x-ndjson": "string", "application/json; charset=utf-8": "object", "": "object"} {
		a := answerOf(t, `{"n":1}`)
		a.head.Set("Content-Type", kind)
		if got := a.values("/body"); len(got) != 1 || (want == "string") != (got[0] == `{"n":1}`) {
			t.Errorf("%q: %v, want a %s", kind, got, want)
		}
	}
}
