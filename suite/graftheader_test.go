package suite

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/setup"
)

// aHeaderGraft makes an item and changes it, under the ETag that it was answered; the test changes it again.
func aHeaderGraft() Grafting {
	put := func(etag, body string) exchange.Request {
		return sentRequest("PUT /items/4 HTTP/1.1\r\nHost: x\r\nIf-Match: "+etag+"\r\nContent-Length: 2\r\n\r\n", body)
	}
	return Grafting{
		Graft: setup.Graft{
			Why: "/items/4 was made by POST /items",
			Steps: []setup.Step{
				{Seq: 7, Request: sentRequest("POST /items HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n", "{}"), Status: 201},
				{Seq: 8, Request: put(`"v1"`, "{}"), Status: 200},
			},
			CleanUp: []setup.Step{{Seq: 9, Request: sentRequest("DELETE /items/4 HTTP/1.1\r\nHost: x\r\nX-Item: no/4/x\r\n\r\n", "")}},
			Binds: []setup.Bind{
				{Name: "itemId", Place: "/header/location/path/1", Value: "4", Uses: []setup.BindUse{
					{In: setup.InSetUp, At: 1, Place: "/path/1"},
					{In: setup.InCall, At: 0, Place: "/path/1"},
					{In: setup.InCleanUp, At: 0, Place: "/path/1"},
					{In: setup.InCleanUp, At: 0, Place: "/header/x-item"},
				}},
				{Name: "etag", Place: "/header/etag", Value: `"v1"`, Uses: []setup.BindUse{{In: setup.InSetUp, At: 1, Place: "/header/if-match"}}},
				{Name: "etag2", Step: 1, Place: "/header/etag", Value: `"v2"`, Uses: []setup.BindUse{{In: setup.InCall, At: 0, Place: "/header/if-match"}}},
				{Name: "etag3", Step: 1, Place: "/header/etag", Value: `"v3"`, Uses: []setup.BindUse{{In: setup.InCall, At: 0, Place: "/header/x-unsent"}}},
			},
		},
		Calls: []setup.Wanted{{Request: put(`"v2"`, "[]")}},
	}
}

func inAnswer(place exchange.Place) setup.BindUse {
	return setup.BindUse{In: setup.InAnswer, Place: place}
}

const headerPython = `import unittest
import requests
class EvoMaster_Test(unittest.TestCase):
    baseUrlOfSut = "http://localhost:1"

    def test_0(self):
        
        headers = {}
        headers['If-Match'] = "\"v2\"" # why
        headers['Accept'] = "*/*"
        body = "[]"
        res_0 = requests \
                .put(self.baseUrlOfSut + "/items/4",
                    headers=headers, data=body)
        
        assert res_0.status_code == 200
`

const headerJava = `import org.junit.jupiter.api.Test;
import static io.restassured.RestAssured.given;
public class T {
    @Test
    public void test_0() throws Exception {
        
        given().accept("*/*")
                .header("If-Match", "\"v2\"") // why
                .body("[]")
                .put(baseUrlOfSut + "/items/4")
                .then()
                .statusCode(200);
    }
}
`

const headerKotlin = `import org.junit.jupiter.api.Test
import io.restassured.RestAssured.given
internal class T {
    @Test
    fun test_0()  {
        
        given().accept("*/*")
                .header("If-Match", "\"v2\"") // why
                .body("[]")
                .put("${baseUrlOfSut}/items/4")
                .then()
                .statusCode(200)
    }
}
`

const headerJest = `const superagent = require("superagent");
const baseUrlOfSut = "http://localhost:1";
test("test_0", async () => {
    
    const res_0 = await superagent
            .put(baseUrlOfSut + "/items/4").set('Accept', "*/*")
            .set("If-Match", "\"v2\"") // why
            .send("[]")
            .ok(res => res.status);
    
    expect(res_0.status).toBe(200);
});
`

// TestGraftHeaders writes values into the headers of a set-up, of a test's own call, and of a clean-up.
func TestGraftHeaders(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string // that the patched suite holds
	}{
		{"t.py", headerPython, []string{
			`setup_1 = requests.request("PUT", self.baseUrlOfSut + "/items/" + setup_itemId, headers={"If-Match": setup_etag}, data=("{}").encode()`,
			`setup_etag = setup_0.headers["etag"]`,
			`        headers['If-Match'] = setup_etag2 # why` + "\n        headers['Accept'] = \"*/*\"\n",
			`"DELETE", self.baseUrlOfSut + "/items/" + setup_itemId, headers={"X-Item": "no/" + setup_itemId + "/x"}`,
		}},
		{"T.java", headerJava, []string{
			`.header("If-Match", setup_etag)`,
			`String setup_etag = setup_0.extract().header("etag");`,
			`                .header("If-Match", setup_etag2) // why` + "\n                .body(\"[]\")\n",
			`.header("X-Item", "no/" + setup_itemId + "/x")`,
		}},
		{"T.kt", headerKotlin, []string{
			`.header("If-Match", setup_etag)`,
			`val setup_etag: String = setup_0.extract().header("etag")`,
			`                .header("If-Match", setup_etag2) // why` + "\n                .body(\"[]\")\n",
			`.header("X-Item", "no/" + setup_itemId + "/x")`,
		}},
		{"t.js", headerJest, []string{
			`.set("If-Match", setup_etag)`,
			`const setup_etag = setup_0.header["etag"];`,
			`            .set("If-Match", setup_etag2) // why` + "\n            .send(\"[]\")\n",
			`.set("X-Item", "no/" + setup_itemId + "/x")`,
		}},
	} {
		o := PatchOptions{Grafts: map[string]Grafting{"test_0": aHeaderGraft()}}
		for _, text := range []string{tt.text, strings.ReplaceAll(tt.text, "\n", "\r\n"), "\xef\xbb\xbf" + tt.text} {
			p, err := Patch(tt.name, []byte(text), Source{}, o)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(text, "\r\n") && strings.Count(string(p.Data), "\n") != strings.Count(string(p.Data), "\r\n") {
				t.Errorf("%s: line ends differ:\n%q", tt.name, p.Data)
			}
			got := strings.ReplaceAll(string(p.Data), "\r\n", "\n")
			for _, want := range tt.want {
				if strings.Count(got, want) != 1 {
					t.Errorf("%s has no %s:\n%s", tt.name, want, got)
				}
			}
			if strings.Contains(got, "etag3") {
				t.Errorf("%s keeps a value that nothing uses:\n%s", tt.name, got)
			}
			again, err := Patch(tt.name, p.Data, Source{}, o)
			if err != nil || string(again.Data) != string(p.Data) {
				t.Errorf("patched again: %v\n%s", err, cmp.Diff(string(p.Data), string(again.Data)))
			}
		}
	}
}

// TestGraftHeadersRefused leaves a test alone where a value that it needs cannot be written into it, and what it does not
// send out of it.
func TestGraftHeadersRefused(t *testing.T) {
	for _, tt := range []struct {
		name, from, to string
		graft          func(g *Grafting)
		given          bool
	}{
		{name: "the call does not send the header", from: "        headers['If-Match'] = \"\\\"v2\\\"\" # why\n", given: true},
		{name: "the header holds another value", from: `"\"v2\"" # why`, to: `"*"`},
		{name: "the header is a variable's", from: `"\"v2\"" # why`, to: "etag()", given: true},
		{name: "headers that are not written out", from: "        headers['If-Match'] = \"\\\"v2\\\"\" # why\n", to: "        headers.update(more)\n"},
		{name: "a header whose name is a variable's", from: "        headers['If-Match'] = \"\\\"v2\\\"\" # why\n", to: "        headers[key] = more\n"},
		{name: "a part of a header that is not taken", graft: func(g *Grafting) { g.Binds[1].Place = "/header/set-cookie/sid" }},
		{name: "a secret", graft: func(g *Grafting) {
			g.Steps[0].Request = sentRequest("POST /items HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer abcdef\r\n\r\n", "")
		}},
		{name: "a secret that the suite has", to: "# abcdef\nimport requests\n", from: "import requests\n", given: true, graft: func(g *Grafting) {
			g.Steps[0].Request = sentRequest("POST /items HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer abcdef\r\n\r\n", "")
		}},
		{name: "a secret that is bound", given: true, graft: func(g *Grafting) {
			g.Steps[1].Request = sentRequest("PUT /items/4 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer abcdef\r\nCookie: sid=abcdef\r\n\r\n", "")
			g.Binds[1] = setup.Bind{Name: "auth", Place: "/body/token", Value: "abcdef", Uses: []setup.BindUse{
				{In: setup.InSetUp, At: 1, Place: "/header/authorization"}, {In: setup.InSetUp, At: 1, Place: "/cookie/sid"}}}
		}},
		{name: "a secret in a body", graft: func(g *Grafting) {
			g.Steps[0].Request = sentRequest("POST /items HTTP/1.1\r\nHost: x\r\nContent-Length: 22\r\n\r\n", `{"password": "abcdef"}`)
		}},
		{name: "a secret in a body, bound", given: true, graft: func(g *Grafting) {
			g.Steps[1].Request = sentRequest("PUT /items/4 HTTP/1.1\r\nHost: x\r\nContent-Length: 19\r\n\r\n", `{"token": "abcdef"}`)
			g.Binds[1] = setup.Bind{Name: "auth", Place: "/body/token", Value: "abcdef", Uses: []setup.BindUse{{In: setup.InSetUp, At: 1, Place: "/body/token"}}}
		}},
	} {
		text := headerPython
		if tt.from != "" {
			text = strings.Replace(text, tt.from, tt.to, 1)
		}
		g := aHeaderGraft()
		if tt.graft != nil {
			tt.graft(&g)
		}
		p, err := Patch("t.py", []byte(text), Source{}, PatchOptions{Grafts: map[string]Grafting{"test_0": g}})
		if err != nil {
			t.Fatal(err)
		}
		if given := strings.Contains(string(p.Data), "setup_0"); given != tt.given {
			t.Errorf("%s: given = %v:\n%s", tt.name, given, p.Data)
		}
		if tt.given {
			compiles(t, p.Data)
		} else if string(p.Data) != text {
			t.Errorf("%s: changed all the same:\n%s", tt.name, cmp.Diff(text, string(p.Data)))
		}
	}
}
