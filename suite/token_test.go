package suite

import (
	"encoding/base64"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
)

// tokenOf is a JSON web token, made at a second.
func tokenOf(header string, second, lifetime int) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(header)) + "." + encode(fmt.Appendf(nil, `{"iss":"shop","iat":%d,"exp":%d}`, second, second+lifetime)) +
		"." + encode(fmt.Appendf(nil, "signature %d", second))
}

// TestTokensStayTokens: an assertion on a token becomes one on what the token holds; it is read as it is written, and
// fails where the token is another.
func TestTokensStayTokens(t *testing.T) {
	const header = `{"alg":"HS256","typ":"JWT"}`
	body := func(token string) string { return fmt.Sprintf(`{"t":%q}`, token) }
	suites := tokenOf(header, 1769663000, 3600)
	seen := replies(body(tokenOf(header, 1769663700, 3600)), body(tokenOf(header, 1769664700, 3600)), body(tokenOf(header, 1769665700, 3600)))
	python := func(nth int) string {
		return fmt.Sprintf(`__import__("json").loads(__import__("base64").urlsafe_b64decode(res_0.json()["t"].split(".")[%d] + "=="))`, nth)
	}
	node := func(of string, nth int) string {
		return fmt.Sprintf(`JSON.parse(Buffer.from(%s.split(".")[%d], "base64").toString())`, of, nth)
	}
	hurl := func(nth int) string {
		return fmt.Sprintf(`jsonpath "$.t" split "." nth %d base64UrlSafeDecode decode "utf-8" jsonpath`, nth)
	}
	groovy := func(nth int) string {
		return fmt.Sprintf(`"'t'.with { new groovy.json.JsonSlurper().parse(java.util.Base64.getUrlDecoder().decode(it.tokenize('.')[%d]), 'UTF-8') }`, nth)
	}
	jvm := []string{`.body("'t'", matchesPattern("[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{4,}\\.[A-Za-z0-9_-]*"), `,
		groovy(0) + `.'alg'", equalTo("HS256"), ` + groovy(0) + `.'typ'", equalTo("JWT"), `,
		groovy(1) + `", allOf(hasKey("exp"), hasKey("iat"), hasKey("iss")), `,
		groovy(1) + `.with { it.'exp'.minus(it.'iat').intValue() }", numberMatches(3600))`}
	for _, tt := range []struct {
		file, line string
		want       []string
	}{
		{"t.py", `assert res_0.json()["t"] == "` + suites + `"`, []string{
			`.fullmatch(`, python(0) + `["alg"] == "HS256" and ` + python(0) + `["typ"] == "JWT" and `,
			`"iss" in ` + python(1) + ` and ` + python(1) + `["exp"] - ` + python(1) + `["iat"] == 3600`}},
		{"t.js", `expect(res_0.body.t).toBe("` + suites + `");`, []string{
			`expect(` + node("res_0.body.t", 0) + `.alg).toBe("HS256");`, `expect(` + node("res_0.body.t", 1) + `).toHaveProperty(["iss"]);`,
			`expect(` + node("res_0.body.t", 1) + `.exp - ` + node("res_0.body.t", 1) + `.iat).toBe(3600);`}},
		{"c.json", `pm.expect(pm.response.json().t).to.eql("` + suites + `");`, []string{
			`pm.expect(` + strings.ReplaceAll(node("pm.response.json().t", 0), `"`, `\"`) + `.alg).to.equal(\"HS256\");`,
			`.exp - ` + strings.ReplaceAll(node("pm.response.json().t", 1), `"`, `\"`) + `.iat).to.equal(3600);`}},
		{"t.java", `.body("t", equalTo("` + suites + `"))`, jvm},
		{"t.kt", `.body("t", equalTo("` + suites + `"))`, jvm},
		{"a.hurl", `jsonpath "$.t" == "` + suites + `"`, []string{hurl(0) + ` "$.alg" == "HS256"`, hurl(1) + ` "$.iss" exists`}},
	} {
		src := Source{Steps: []exchange.Step{stepOf(1, "/x0", seen)}}
		for name, src := range map[string]Source{"map": judged(t, src), "steps": src} {
			p, err := Patch(tt.file, []byte(oneAssertion(t, tt.file, tt.line)), src, PatchOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.want {
				if !strings.Contains(string(p.Data), want) {
					t.Errorf("%s, %s: there is no %s in\n%s", tt.file, name, want, p.Data)
				}
			}
			if strings.Contains(string(p.Data), "eyJ") {
				t.Errorf("%s, %s: a token in\n%s", tt.file, name, p.Data)
			}
			again, err := Patch(tt.file, p.Data, src, PatchOptions{})
			if err != nil || string(again.Data) != string(p.Data) {
				t.Errorf("%s, %s: a second patch changes the file (%v):\n%s", tt.file, name, err, again.Data)
			}
			if tt.file == "a.hurl" {
				continue // what is written there is not read as what it means
			}
			tokenRuns(t, tt.file, p.Data, body(tokenOf(header, 1769666700, 3600)), true)
			tokenRuns(t, tt.file, p.Data, body(tokenOf(header, 1769666700, 60)), false)
			for what, other := range map[string]string{"algorithm": tokenOf(`{"alg":"none","typ":"JWT"}`, 1769666700, 3600),
				"lifetime": tokenOf(header, 1769666700, 60), "text": "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.bm90IGpzb24.c2lnbmF0dXJl"} {
				s, err := Read(tt.file, p.Data)
				if err != nil {
					t.Fatal(err)
				}
				failed := 0
				for _, v := range Bind(s, Source{Steps: []exchange.Step{stepOf(1, "/x0", replies(body(other)))}}, nil).Verdicts() {
					failed += v.Failed
				}
				if failed == 0 {
					t.Errorf("%s: another %s is not noticed by\n%s", tt.file, what, p.Data)
				}
			}
		}
	}
}

// tokenRuns runs the assertions of a patched suite on an answer, in their own language.
func tokenRuns(t *testing.T, file string, patched []byte, answer string, holds bool) {
	t.Helper()
	s, err := Read(file, patched)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, a := range s.Tests[0].Assertions {
		lines = append(lines, a.Text)
	}
	var said string
	r := replies(answer)[0]
	switch file {
	case "t.java", "t.kt":
		return // see TestRealJVMWeakenedLinksRun
	case "t.js":
		said = runNode(t, "expect.js", []nodeCase{{Code: strings.Join(lines, "; "), Answers: map[string]nodeAnswer{"res_0": nodeAnswerOf(r)}}})[0]
	case "c.json":
		said = runNode(t, "postman.js", []nodeCase{{Code: strings.Join(lines, "; "), Answers: map[string]nodeAnswer{"": nodeAnswerOf(r)}}})[0]
	case "t.py":
		python, err := exec.LookPath("python3")
		if err != nil {
			return
		}
		program := "import json, types\nres_0 = types.SimpleNamespace(json=lambda: json.loads(" + literal.Python(answer) + "))\n" + strings.Join(lines, "\n") + "\n"
		out, err := exec.Command(python, "-c", program).CombinedOutput()
		if err != nil {
			said = string(out)
		}
	}
	if (said == "") != holds {
		t.Errorf("%s: %s on %s: %q", file, lines, answer, said)
	}
}
