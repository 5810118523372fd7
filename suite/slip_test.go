package suite

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// slipSuites are one test in each dialect that EvoMaster writes: a POST, and a GET behind it.
func slipSuites(accept, message, stored string) map[string]string {
	java := func(get, post, declare, end string) string {
		return `        ` + declare + ` given().accept("` + accept + `")
                .contentType("application/json")
                .body(" { " + 
                    " \"_links\" : [1,2] " + 
                    " } ")
                .post(` + post + `)
                .then()
                .statusCode(400)
                .body("'message'", containsString("` + message + `"))` + end + `

        given().accept("*/*")
                .get(` + get + `)
                .then()
                .statusCode(200)
                .body("'raw'", containsString("` + stored + `"))` + end + `
    }
}
`
	}
	return map[string]string{
		"EvoMaster_Test.py": `import unittest
import requests
class T(unittest.TestCase):
    def test_0(self):
        headers = {}
        headers["content-type"] = "application/json"
        body = {}
        body = " { " + \
            " \"_links\" : [1,2] " + \
            " } "
        headers['Accept'] = "` + accept + `"
        res_0 = requests \
                .post(self.baseUrlOfSut + "/x",
                    headers=headers, data=body)
        
        assert res_0.status_code == 400
        assert res_0.json()["message"] == "` + message + `"
        headers = {}
        headers['Accept'] = "*/*"
        res_1 = requests \
                .get(self.baseUrlOfSut + "/x/1",
                    headers=headers)
        
        assert res_1.status_code == 200
        assert res_1.json()["raw"] == "` + stored + `"
`,
		"T.java": javaHead + "    @Test\n    public void test_0() throws Exception {\n" +
			java(`baseUrlOfSut + "/x/1"`, `baseUrlOfSut + "/x"`, "ValidatableResponse res_0 =", ";"),
		"T.kt": kotlinHead + "    @Test\n    fun test_0()  {\n" +
			java(`"${baseUrlOfSut}/x/1"`, `"${baseUrlOfSut}/x"`, "val res_0: ValidatableResponse =", ""),
		"T.test.js": `const superagent = require("superagent");
const baseUrlOfSut = "http://localhost:1";
test("test_0", async () => {
    const res_0 = await superagent
            .post(baseUrlOfSut + "/x").set('Accept', "` + accept + `")
            .set('Content-Type','application/json')
            .send(" { " + 
                " \"_links\" : [1,2] " + 
                " } ")
            .ok(res => res.status);
    
    expect(res_0.status).toBe(400);
    expect(res_0.body.message).toBe("` + message + `");
    const res_1 = await superagent
            .get(baseUrlOfSut + "/x/1").set('Accept', "*/*")
            .ok(res => res.status);
    
    expect(res_1.status).toBe(200);
    expect(res_1.body.raw).toBe("` + stored + `");
});
`,
	}
}

// slipExchange is an exchange of a slip suite.
func slipExchange(seq uint64, line, accept, body string, status int, answer string) *exchange.Exchange {
	kind := "application/json"
	if accept != "*/*" {
		kind = accept
	}
	return &exchange.Exchange{Seq: seq, Pass: 1, Scheme: "http", Addr: "api:80",
		Request: exchange.ParseRequest(exchange.Message{
			Head: []byte(line + " HTTP/1.1\r\nAccept: " + accept + "\r\nContent-Type: application/json\r\n\r\n"),
			Body: []byte(body), Plain: true}),
		Response: exchange.ParseResponse(exchange.Message{
			Head: fmt.Appendf(nil, "HTTP/1.1 %d x\r\nContent-Type: %s\r\n\r\n", status, kind),
			Body: []byte(answer), Plain: true})}
}

const (
	slipWritten = ` {  "_links" : [1,2]  } `
	slipSent    = `{"_links":[1,2]}`
)

// slipAnswers are a POST and a GET, as they are answered to a body.
func slipAnswers(from uint64, accept, body, message, raw string) []*exchange.Exchange {
	return []*exchange.Exchange{
		slipExchange(from, "POST /x", accept, body, 400, `{"message":"`+message+`"}`),
		slipExchange(from+1, "GET /x/1", "*/*", "", 200, `{"raw":"`+strings.ReplaceAll(raw, `"`, `\"`)+`"}`),
	}
}

// slipSource is an execution of a slip suite, which was run again and answered alike.
func slipSource(exchanges []*exchange.Exchange) Source {
	var src Source
	for _, e := range exchanges {
		src.Steps = append(src.Steps, exchange.Step{Exchange: e,
			Observations: []*exchange.Observation{{Run: 1, Seq: e.Seq, Response: e.Response}}})
	}
	return src
}

var slipComment = regexp.MustCompile(`(?m)^ *(#|//) flaketap:.*$`)

// TestSlips: what the generator wrote otherwise than the session had sent it is sent as it was, where assertions fail
// for that; they stay whole, in each dialect that it writes, and a second patch changes nothing.
func TestSlips(t *testing.T) {
	const other = "no such thing: 2 for 1"
	for _, c := range []struct {
		name            string
		session         []*exchange.Exchange
		ran             []*exchange.Exchange
		message, stored string // as the suite expects them
		mended, whole   bool   // the request is, and the assertions are
	}{
		{"a column", slipAnswers(1, "*/*", slipSent, "bad at column: 14", "s"),
			slipAnswers(1, "*/*", slipWritten, "bad at column: 19", "s"), "bad at column: 14", "s", true, true},
		{"a text that is stored", slipAnswers(1, "*/*", slipSent, "m", slipSent),
			slipAnswers(1, "*/*", slipWritten, "m", slipWritten), "m", strings.ReplaceAll(slipSent, `"`, `\"`), true, true},
		{"a number that is no place", slipAnswers(1, "*/*", slipSent, other, "s"),
			slipAnswers(1, "*/*", slipWritten, "no such thing: 7 for 1", "s"), other, "s", false, false},
		{"a state that was", slipAnswers(1, "*/*", slipSent, "m", "s"),
			slipAnswers(1, "*/*", slipWritten, "m", "left"), "m", "s", false, false},
		{"the session sent it both ways", append(slipAnswers(1, "*/*", slipSent, "bad at column: 14", "s"),
			slipAnswers(3, "*/*", slipWritten, "bad at column: 14", "s")...),
			slipAnswers(1, "*/*", slipWritten, "bad at column: 19", "s"), "bad at column: 14", "s", false, false},
		{"the session was answered otherwise", slipAnswers(1, "*/*", slipSent, "bad at column: 9", "s"),
			slipAnswers(1, "*/*", slipWritten, "bad at column: 19", "s"), "bad at column: 14", "s", false, false},
		{"the session had it in two ways of its own", append(slipAnswers(1, "*/*", slipSent, "bad at column: 10", "s"),
			slipAnswers(3, "*/*", `{"_links": [1,2]}`, "bad at column: 10", "s")...),
			slipAnswers(1, "*/*", slipWritten, "bad at column: 14", "s"), "bad at column: 10", "s", false, false},
		{"what the suite expects was never answered", slipAnswers(1, "*/*", slipSent, "bad at column: 14", "s"),
			slipAnswers(1, "*/*", slipWritten, "bad at column: 19", "s"), "bad at column: 99", "s", false, false},
		{"nothing fails", slipAnswers(1, "*/*", slipSent, "m", "s"),
			slipAnswers(1, "*/*", slipWritten, "m", "s"), "m", "s", false, true},
	} {
		for file, text := range slipSuites("*/*", c.message, c.stored) {
			got := patchedSlips(t, file, text, slipSource(c.ran), c.session)
			name := c.name + ", " + file
			if mended := strings.Contains(got, "sent as the session did"); mended != c.mended ||
				strings.Contains(got, `" { "`) == c.mended {
				t.Errorf("%s: mended is %v, want %v:\n%s", name, mended, c.mended, got)
			}
			code := slipComment.ReplaceAllString(got, "")
			whole := strings.Contains(code, `"`+c.message+`"`) && strings.Contains(code, `"`+c.stored+`"`)
			if whole != c.whole {
				t.Errorf("%s: the assertions are whole: %v, want %v:\n%s", name, whole, c.whole, got)
			}
		}
	}
}

// TestSlipOfAccept: an answer of another media type than the session's was asked for with another Accept.
func TestSlipOfAccept(t *testing.T) {
	const accept = "application/hal+json"
	session := slipAnswers(1, accept, slipSent, "from the stream", "s")
	ran := slipAnswers(1, "*/*", slipWritten, "a message", "s")
	for file, text := range slipSuites("*/*", "from the stream", "s") {
		got := patchedSlips(t, file, text, slipSource(ran), session)
		if strings.Count(got, `"`+accept+`"`) != 1 || strings.Count(got, "flaketap:") != 1 ||
			!strings.Contains(got, "accept: "+accept+" for */*") {
			t.Errorf("%s:\n%s", file, got)
		}
	}
}

// patchedSlips patches a suite by an execution and its session, and checks that a second patch by the same changes
// nothing, and that one without a session mends nothing.
func patchedSlips(t *testing.T, file, text string, src Source, session []*exchange.Exchange) string {
	t.Helper()
	patched := func(data []byte, session []*exchange.Exchange) string {
		s, err := Read(file, data)
		if err != nil {
			t.Fatal(err)
		}
		return string(Bind(s, src, session).Patch(PatchOptions{}).Data)
	}
	got := patched([]byte(text), session)
	if again := patched([]byte(got), session); again != got {
		t.Errorf("%s: a second patch changes it:\n%s\n%s", file, got, again)
	}
	if strings.Contains(patched([]byte(text), nil), "sent as the session did") {
		t.Errorf("%s: mended without a session", file)
	}
	return got
}
