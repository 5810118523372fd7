package postman

import (
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/onecall"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// sample is a collection of one request, whose script asserts one thing.
func sample() onecall.Suite {
	return onecall.Suite{Dialect: Dialect(), File: "items.postman_collection.json", Holder: `pm.expect(pm.response.json().z).to.eql(1);`, Text: `{"info": {"name": "shop"}, "item": [{"name": "items", "item": [{
"name": "an item",
"event": [{"listen": "test", "script": {"exec": [
"pm.test(\"an item\", () => {",
"pm.response.to.have.status(200);",
"%s",
"});"
]}}],
"request": {"method": "GET", "header": [], "url": {"raw": "{{host}}/items/4"}}
}]}]}
`}
}

func TestReadOne(t *testing.T) {
	if got, want := sample().Call(t), "GET \x00/items/4"; got != want {
		t.Errorf("the call is %q, want %q", got, want)
	}
	for assertion, want := range map[string]string{
		`pm.response.to.have.status(404);`:                             "/status equal 404",
		`pm.expect(pm.response.json().z[0].b).to.eql(\"x\");`:          `/body/z/0/b equal "x"`,
		`pm.expect(pm.response.json().z.length).to.eql(2);`:            "/body/z length 2",
		`pm.expect(pm.response.headers.get(\"ETag\")).to.eql(\"v1\");`: `/header/etag equal "v1"`,
		`pm.expect(pm.response.text()).to.include(\"x\");`:             `/body contains "x"`,
		`pm.expect(pm.response.responseTime).to.be.below(200);`:        "",
	} {
		if got := sample().Claim(t, assertion); got != want {
			t.Errorf("%s claims %q, want %q", assertion, got, want)
		}
	}
}

func TestWriteOne(t *testing.T) {
	want := map[string]string{
		"status":  `pm.expect(pm.response.code).to.equal(404);`,
		"header":  `pm.expect(pm.response.headers.get(\"etag\")).to.equal(\"\\\"v1\\\"\");`,
		"equal":   `pm.expect(pm.response.json().z).to.equal(-1);`,
		"null":    `pm.expect(pm.response.json().z).to.equal(null);`,
		"one of":  `pm.expect(pm.response.json().z).to.be.oneOf([\"a\", \"b\"]);`,
		"type":    `pm.expect(pm.response.json().z).to.be.a(\"string\");`,
		"count":   `pm.expect(pm.response.json().z.length).to.equal(2);`,
		"pattern": `pm.expect(pm.response.json().z).to.be.a(\"string\").that.matches(/^\\d+$/);`,
	}
	for name, x := range sample().Statements(t) {
		if got, ok := sample().Write(t, x); !ok || got != want[name] {
			t.Errorf("%s: %s, %v, want %s", name, got, ok, want[name])
		}
	}
}

func TestGraftOne(t *testing.T) {
	want := []string{
		`open {"name":"flaketap: set-up: POST /items","protocolProfileBehavior":{"followRedirects":false},"event":[{"listen":"test","script":{"type":"text/javascript","exec":["// flaketap: /items/4 was made by POST /items","// flaketap: the set-up has to succeed","pm.test(\"flaketap: set-up\", () => pm.response.to.have.status(201));","if (pm.response.code === 201) pm.collectionVariables.set(\"flaketap_itemId\", String(pm.response.json().id));"]}}],"request":{"method":"POST","header":[{"key":"Content-Type","value":"application/json"}],"body":{"mode":"raw","raw":"{\"a\": \"it's\"}"},"url":"{{host}}/items"},"response":[]}`,
		`end {"name":"flaketap: clean-up: DELETE /items/{{flaketap_itemId}}","protocolProfileBehavior":{"followRedirects":false},"request":{"method":"DELETE","header":[],"url":"{{host}}/items/{{flaketap_itemId}}"},"response":[]}`,
		`url "{{host}}/items/{{flaketap_itemId}}"`,
		`header "no {{flaketap_itemId}}"`,
		`body "{\"id\": {{flaketap_itemId}}}"`,
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
