package suite

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/script"
)

// jestFixtures lists the real Jest suites, with the session that each came from.
func jestFixtures(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, api := range []string{"news", "features"} {
		dir := filepath.Join("..", "..", "shared", "fixtures", api, "jest")
		if _, err := os.Stat(dir); err != nil { // the copy that the repository holds, of those exchanges that matter
			dir = filepath.Join("testdata", "evomaster", api, "jest")
		}
		files, _ := filepath.Glob(filepath.Join(dir, "*.js"))
		if len(files) == 0 {
			t.Fatalf("%s: no suites", dir)
		}
		for _, f := range files {
			out[f] = filepath.Join(dir, "session.har.gz")
		}
	}
	return out
}

func TestReadsEveryJestAssertion(t *testing.T) {
	for file := range jestFixtures(t) {
		data := read(t, file)
		s, err := Read(file, data)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, test := range s.Tests {
			for _, a := range test.Assertions {
				got = append(got, a.Line)
				if !a.Understood() {
					t.Errorf("%s:%d: %s: %s", file, a.Line, a.Text, a.Reason)
				}
				if a.Relation == "" || a.Place == "" {
					t.Errorf("%s:%d: %s: no claim: %+v", file, a.Line, a.Text, a.Claim)
				}
			}
		}
		var want []int
		for i, line := range strings.Split(string(data), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "expect(") {
				want = append(want, i+1)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: assertions by line (-want +got):\n%s", file, diff)
		}
	}
}

// TestPatchJestSuites holds the real suites against the sessions that they came from: only the lines that are reported
// change, whatever their ends are, a second patch changes nothing, and Node reads the result.
func TestPatchJestSuites(t *testing.T) {
	sessions := map[string]Source{}
	var patched [][]byte
	matched, calls := 0, 0
	variants := map[string]func([]byte) []byte{
		"plain":         func(b []byte) []byte { return b },
		"CRLF":          func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) },
		"BOM":           func(b []byte) []byte { return append([]byte("\xef\xbb\xbf"), b...) },
		"no final line": func(b []byte) []byte { return bytes.TrimSuffix(b, []byte("\n")) },
	}
	for file, session := range jestFixtures(t) {
		if _, ok := sessions[session]; !ok {
			sessions[session] = judged(t, source(t, []string{session}))
		}
		src, data := sessions[session], read(t, file)
		p, err := Patch(file, data, src, PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Unknown) > 0 {
			t.Errorf("%s: %d assertions not understood", file, len(p.Unknown))
		}
		matched, calls = matched+p.Matched, calls+p.Calls
		onlyChangedJS(t, data, p)
		for name, variant := range variants {
			if name != "plain" && filepath.Base(file) != "EvoMaster_successes_Test.js" {
				continue
			}
			got, err := Patch(file, variant(data), src, PatchOptions{})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if diff := cmp.Diff(string(variant(p.Data)), string(got.Data)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			again, err := Patch(file, got.Data, src, PatchOptions{})
			if err != nil || !bytes.Equal(again.Data, got.Data) {
				t.Errorf("%s: a second patch changes (%v):\n%s", name, err, cmp.Diff(string(got.Data), string(again.Data)))
			}
		}
		commented, err := Patch(file, data, src, PatchOptions{Mode: Comment})
		if err != nil {
			t.Fatal(err)
		}
		patched = append(patched, p.Data, commented.Data)
	}
	if matched*10 < calls*6 {
		t.Errorf("%d of %d calls found", matched, calls)
	}
	checksJS(t, patched...)
}

// onlyChangedJS checks that a patched file is the original but for the lines that its changes are about, and comments.
func onlyChangedJS(t *testing.T, data []byte, p Patched) {
	t.Helper()
	changed := map[int]bool{}
	for _, c := range p.Changes {
		changed[c.Line] = c.Before != ""
	}
	rest := script.SplitLines(string(p.Data))
	for i, line := range script.SplitLines(string(data)) {
		if changed[i+1] {
			rest = rest[2:] // the comment, and what stands now
			continue
		}
		if rest[0] != line {
			t.Fatalf("line %d is %q, was %q", i+1, rest[0], line)
		}
		rest = rest[1:]
	}
	if len(rest) > 0 {
		t.Errorf("more lines than before: %q", rest)
	}
}

// checksJS checks that Node reads files.
func checksJS(t *testing.T, files ...[]byte) {
	t.Helper()
	program, dir := nodeProgram(t), t.TempDir()
	for i, data := range files {
		name := filepath.Join(dir, fmt.Sprintf("suite%d.js", i))
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(program, "--check", name).CombinedOutput(); err != nil {
			t.Errorf("node --check: %v\n%s", err, out)
		}
	}
}

func TestDamagedJestSuites(t *testing.T) {
	good := jestOf([]string{"expect(res_0.status).toBe(200);"})
	tests := []struct {
		name, text string
		line       int
		reason     string
	}{
		{"empty", "", 0, "no tests that send requests"},
		{"other JavaScript", "module.exports = { a: 1 };\n", 0, "no tests that send requests"},
		{"no client", "test('a', () => { expect(1).toBe(1); });\n", 0, "no tests that send requests"},
		{"open bracket", good + "foo(\n", 13, `"(" is never closed`},
		{"open brace", strings.TrimSuffix(good, "});\n"), 5, `"{" is never closed`},
		{"closed twice", strings.Replace(good, "toBe(200);", "toBe(200));", 1), 11, `")" closes nothing`},
		{"crossed", strings.Replace(good, "toBe(200);", "toBe([200);]", 1), 11, `")" closes nothing`},
		{"open string", good + "const a = \"b\n", 13, "not closed on its line"},
		{"open template", good + "const a = `b\n", 13, "never closed"},
		{"open hole", good + "const a = `b${c\n", 14, "never closed"},
		{"open comment", good + "/* a\n", 13, "a comment is never closed"},
		{"open regular expression", good + "const a = /b\n", 13, "not closed on its line"},
		{"bad escape", strings.Replace(good, `"/x0"`, `"/\u12"`, 1), 8, "names no character"},
		{"invalid UTF-8", strings.Replace(good, "/x0", "/\xff", 1), 8, "not valid UTF-8"},
		{"stray character", good + "\\\n", 13, "unexpected character"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Patch("s.js", []byte(tt.text), Source{}, PatchOptions{})
			var e *script.SyntaxError
			if !errors.As(err, &e) {
				t.Fatalf("err = %v", err)
			}
			if e.Line != tt.line || !strings.Contains(e.Reason, tt.reason) || e.File != "s.js" || p.Data != nil {
				t.Errorf("err = %v, want line %d and %q", err, tt.line, tt.reason)
			}
		})
	}
}

func TestReadsLongJestSuites(t *testing.T) {
	one := strings.SplitAfterN(jestOf(nil), "\n\n", 2)
	var b strings.Builder
	b.WriteString(one[0])
	for i := range 5000 {
		b.WriteString(strings.Replace(jestOf([]string{
			"expect(res_0.status).toBe(200);", `expect(res_0.body.a[0]["b-c"]).toBe("x");`, "expect(res_0.body.n).toBe(1.0);",
		}), "test_0", fmt.Sprintf("test_%d", i), 1)[len(one[0]):])
	}
	text := b.String()
	if n := strings.Count(text, "\n"); n < 50000 {
		t.Fatalf("%d lines", n)
	}
	start := time.Now()
	s, err := Read("t.js", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > 20*time.Second { // well below a second on an idle machine
		t.Errorf("took %v", took)
	}
	if len(s.Tests) != 5000 || len(s.Tests[4999].Assertions) != 3 {
		t.Errorf("%d tests", len(s.Tests))
	}
	for name, hostile := range map[string]string{
		"ifs":       strings.Repeat("if (a) ", 200000) + "b();",
		"arrows":    strings.Repeat("a => ", 200000) + "b;",
		"brackets":  strings.Repeat("(", 200000) + strings.Repeat(")", 200000),
		"tests":     strings.Repeat(`describe("a", () => {`, 50000) + strings.Repeat("});", 50000),
		"operators": "a" + strings.Repeat(" || a", 200000),
		"points":    "a" + strings.Repeat(".b()", 200000),
		"nots":      strings.Repeat("!", 200000) + "a",
	} {
		start := time.Now()
		_, _ = Read("t.js", []byte("const superagent = require(\"superagent\");\ntest(\"a\", () => {\n"+hostile+"\n});\n"))
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}

// TestReadsJestCalls checks what is read of requests, in the generator's ways and in people's.
func TestReadsJestCalls(t *testing.T) {
	const text = `import request from "superagent";
const superagent = require('superagent');
const BASE = process.env.BASE || "http://localhost:8080/api";
const EM = require("./EMTestUtils.js");
describe("news", () => {
    it.skip('skipped', async () => { await superagent.get(BASE + "/no"); });
    test("all", async () => {
        let token_bob = "";
        await superagent.post(baseUrlOfSut + "/login").set('Content-Type','application/json')
            .send(" { " +
                " \"user\": \"bob\" } ")
            .then(res => {token_bob = res.body.access.token;}, error => {console.log(error.response.body); throw Error("Auth failed.")});
        let auth_bob = "Bearer " + token_bob;
        const cookies_eve = (await superagent.put(` + "`${BASE}/login?user=${encodeURIComponent(eve)}`" + `)).header['set-cookie'][0].split(';')[0];
        const { body } = await request.del(BASE + "/x/" + id).set({Accept: "text/plain", Cookie: cookies_eve}).ok(() => true);
        await expect(superagent.get(baseUrlOfSut + "/slow").timeout({response: 1})).rejects.toThrow();
        try {
            const res_4 = await superagent("PATCH", baseUrlOfSut + "/p?a=1#f").query({b: 2}).send({a: [1, null]}).ok(res => res.status);
        } catch (e) { }
        const location_x = res_4.header['location'];
        expect(EM.isValidURIorEmpty(location_x)).toBe(true);
        const res_5 = await superagent
            .get(EM.resolveLocation(location_x, baseUrlOfSut + "/y/1")).set("Authorization", auth_bob).set("X", cookies_bob)
            .attach("file", "a.txt");
        if (res_5.status === 200) {
            expect(res_5.body.a).toBe(1);
        }
        for (const e of res_5.body) { expect(e.id).toBeDefined(); }
        res_5.body.forEach(e => { expect(e.id).toBe(1); });
    });
});
`
	s, err := Read("t.test.js", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Tests) != 2 || !s.Tests[0].Skipped || s.Tests[1].Skipped || s.Tests[1].Name != "news all" || s.Tests[1].Line != 7 {
		t.Fatalf("tests: %+v", s.Tests)
	}
	type call struct {
		Line                                    int
		Var, Method, Target, Location, Body     string
		Dynamic, Guarded                        bool
		Accept, Unset, TargetSource, BodySource string
	}
	var got []call
	for _, c := range s.Tests[1].Calls {
		got = append(got, call{c.Line, c.Var, c.Method, c.Target, c.Location, c.Body, c.Dynamic, c.Guarded, c.Accept, c.Unset,
			s.Text[c.TargetAt.Start:c.TargetAt.End], s.Text[c.BodyAt.Start:c.BodyAt.End]})
	}
	want := []call{
		{9, "answer_0", "POST", "/login", "", ` {  "user": "bob" } `, false, false, "", "", `baseUrlOfSut + "/login"`, "\" { \" +\n                \" \\\"user\\\": \\\"bob\\\" } \""},
		{14, "answer_1", "PUT", "/api/login?user=\x00", "", "", false, false, "", "", "`${BASE}/login?user=${encodeURIComponent(eve)}`", ""},
		{15, "answer_2", "DELETE", "/api/x/\x00", "", "", false, false, "text/plain", "", `BASE + "/x/" + id`, ""},
		{16, "answer_3", "GET", "/slow", "", "", false, true, "", "", `baseUrlOfSut + "/slow"`, ""},
		{18, "res_4", "PATCH", "/p?a=1&b=2", "", `{"a":[1,null]}`, false, true, "", "", "", ""},
		{22, "res_5", "GET", "/y/1", "location_x", "", true, false, "", "cookies_bob", "", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	var claims []string
	for _, a := range s.Tests[1].Assertions {
		claims = append(claims, fmt.Sprintf("%d %s %s %q", a.Line, a.Place, a.Relation, a.Reason))
	}
	wantClaims := []string{`21 /header/location uri ""`, `25   ""`, `28   "it is inside a condition"`, `29   "it is in code that flaketap does not read"`}
	if diff := cmp.Diff(wantClaims, claims); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
}

func TestSkipJest(t *testing.T) {
	text := strings.Replace(jestOf([]string{"expect(res_0.status).toBe(200);"}), ".ok(", `.set("Authorization", token_bob).ok(`, 1)
	p, err := Patch("t.js", []byte(text), Source{}, PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := "// flaketap: token_bob is never assigned, so the test cannot run; GenErr\ntest.skip(\"test_0\", async"
	if !strings.Contains(string(p.Data), want) {
		t.Errorf("%q is missing in:\n%s", want, p.Data)
	}
	if again, err := Patch("t.js", p.Data, Source{}, PatchOptions{}); err != nil || !bytes.Equal(again.Data, p.Data) {
		t.Errorf("a second patch changes the file (%v)", err)
	}
}

func TestGraftJest(t *testing.T) {
	text := strings.Replace(jestOf([]string{
		"expect(res_0.status).toBe(200);",
		"expect(res_0.body.id).toBe(4.0);",
		`expect(res_0.body.self).toBe("/items/4");`,
		"expect(res_0.body.n).toBe(3.0);",
	}), "/x0", "/items/4", 1)
	src := Source{Steps: []exchange.Step{{Exchange: &exchange.Exchange{
		Seq: 1, Request: sentRequest("GET /items/4 HTTP/1.1\r\nHost: x\r\n\r\n", ""), Response: reply(404, "", ""),
	}}}}
	o := PatchOptions{Grafts: map[string]Grafting{"test_0": aGraft()}}
	p, err := Patch("t.js", []byte(text), src, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`const setup_0 = await superagent.post(baseUrlOfSut + "/items").set("Content-Type", "application/json").send(`,
		"expect(setup_0.status).toBe(201);\n    const setup_itemId = String(setup_0.body.id);\n",
		"    try {\n    const res_0",
		`.get(baseUrlOfSut + "/items/" + setup_itemId).set(`,
		"expect(String(res_0.body.id)).toBe(setup_itemId);",
		`expect(res_0.body.self).toBe("/items/" + setup_itemId);`,
		"expect(res_0.body.n).toBe(3.0);\n    } finally {\n",
		`await superagent.delete(baseUrlOfSut + "/items/" + setup_itemId).redirects(0).ok(res => res.status);`,
	} {
		if !strings.Contains(string(p.Data), want) {
			t.Errorf("%q is missing in:\n%s", want, p.Data)
		}
	}
	if again, err := Patch("t.js", p.Data, src, o); err != nil || !bytes.Equal(again.Data, p.Data) {
		t.Errorf("a second patch changes the file (%v)", err)
	}
	checksJS(t, p.Data)
}

func FuzzReadJest(f *testing.F) {
	f.Add(jestOf([]string{"expect(res_0.status).toBe(200);", "if (res_0.status === 200) expect(res_0.body.a).toMatch(/^[/]\\d$/);"}))
	f.Add("const superagent = require('superagent');\ntest(a, async () => { try { await expect(superagent.get(a)).rejects.toThrow() } catch {} })")
	src := Source{Steps: []exchange.Step{stepOf(1, "/x0", replies(`{"a":1}`, `{"a":"b"}`))}}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Patch("t.js", []byte(text), src, PatchOptions{})
		if err != nil {
			return
		}
		again, err := Patch("t.js", p.Data, src, PatchOptions{})
		if err != nil || !bytes.Equal(again.Data, p.Data) {
			t.Errorf("a second patch changes the file (%v):\n%s", err, cmp.Diff(string(p.Data), string(again.Data)))
		}
	})
}
