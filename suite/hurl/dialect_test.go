package hurl

import (
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/onecall"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// sample is a suite of one test.
func sample() onecall.Suite {
	return onecall.Suite{Dialect: Dialect(), File: "items.hurl", Holder: `jsonpath "$.z" == 1`, OneCollection: true, Text: `PUT {{host}}/items/4
{"n": 1}
HTTP 200
[Asserts]
%s
`}
}

func TestReadOne(t *testing.T) {
	if got, want := sample().Call(t), "PUT \x00/items/4 {\"n\": 1}"; got != want {
		t.Errorf("the call is %q, want %q", got, want)
	}
	for assertion, want := range map[string]string{
		`status == 404`:                   "/status equal 404",
		`jsonpath "$.z[0]['a b']" == "x"`: `/body/z/0/a b equal "x"`,
		`jsonpath "$.z" count == 2`:       "/body/z length 2",
		`header "ETag" == "v1"`:           `/header/etag equal "v1"`,
		`body contains "x"`:               `/body contains "x"`,
		`duration < 500`:                  "",
	} {
		if got := sample().Claim(t, assertion); got != want {
			t.Errorf("%s claims %q, want %q", assertion, got, want)
		}
	}
}

func TestWriteOne(t *testing.T) {
	want := map[string]string{
		"status":  `status == 404`,
		"header":  `header "etag" == "\"v1\""`,
		"equal":   `jsonpath "$.z" == -1`,
		"null":    `jsonpath "$.z" == null`,
		"one of":  `jsonpath "$.z" matches /^(?:a|b)$/`,
		"type":    `jsonpath "$.z" isString`,
		"count":   `jsonpath "$.z" count == 2`,
		"pattern": `jsonpath "$.z" matches /^(?:\d+)$/`,
	}
	for name, x := range sample().Statements(t) {
		if got, ok := sample().Write(t, x); !ok || got != want[name] {
			t.Errorf("%s: %s, %v, want %s", name, got, ok, want[name])
		}
	}
}

func TestGraftOne(t *testing.T) {
	want := []string{
		`open # flaketap: /items/4 was made by POST /items`,
		`open # flaketap: set-up`,
		`open POST {{host}}/items`,
		`open Content-Type: application/json`,
		"open `{\"a\": \"it's\"}`",
		`open # flaketap: the set-up has to succeed`,
		`open HTTP 201`,
		`open [Captures]`,
		`open setup_itemId: jsonpath "$.id" toString`,
		`open`,
		`end`,
		`end # flaketap: clean-up, which Hurl sends only if everything above passes`,
		`end DELETE {{host}}/items/{{setup_itemId}}`,
		`end HTTP *`,
		`url {{host}}/items/{{setup_itemId}}`,
		`header no {{setup_itemId}}`,
		`body {"id": {{setup_itemId}}}`,
	}
	if diff := cmp.Diff(want, sample().Grafted(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRoundTrip: what is written says what was meant, as it is read.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sample().RoundTrip(t, func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") })
	})
}
