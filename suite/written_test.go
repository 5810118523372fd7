package suite

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// A client that goes where it is redirected shows another answer than that of its request: nothing is said of that by
// the redirect. Where the test declines to be redirected, the redirect is what it sees.
func TestRedirectsOfWrittenTests(t *testing.T) {
	moved := func() *exchange.Response {
		return exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 302 Found\r\nLocation: /b\r\n\r\n"), Plain: true})
	}
	for args, changed := range map[string]bool{"": false, ", allow_redirects=False": true} {
		step := stepOf(1, "/a", []*exchange.Response{moved(), moved(), moved()})
		text := "import requests\n\ndef test_a():\n    r = requests.get('http://localhost:1/a'" + args + ")\n    assert r.status_code == 200\n"
		p, err := Patch("test_a.py", []byte(text), Source{Steps: []exchange.Step{step}}, PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(p.Data) != text; got != changed {
			t.Errorf("with %q it becomes\n%s", args, strings.TrimSpace(string(p.Data)))
		}
	}
}

// What a beforeAll asks for is sent once, by the first test, and every test of its group sees the answer.
func TestAnswersOfBeforeAll(t *testing.T) {
	at := func(version string) *exchange.Response {
		return exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\nVersion: " + version + "\r\n\r\n"), Plain: true})
	}
	steps := []exchange.Step{
		stepOf(1, "/a", []*exchange.Response{at("one"), at("two"), at("three")}),
		stepOf(2, "/b", []*exchange.Response{at("one"), at("one"), at("one")}),
	}
	text := "describe('a', () => {\n  let r;\n  beforeAll(async () => { r = await fetch('http://localhost:1/a'); });\n" +
		"  it('is first', () => { expect(r.headers.get('version')).toBe('one'); });\n" +
		"  it('is new', () => { expect(r.headers.get('version')).toBe('one'); });\n" +
		"  it('is of b', async () => { expect((await fetch('http://localhost:1/b')).status).toBe(200); });\n});\n"
	p, err := Patch("a.test.js", []byte(text), Source{Steps: steps}, PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(p.Data), "as written; failed in 2 of 3"); got != 2 {
		t.Errorf("%d assertions change, want 2:\n%s", got, p.Data)
	}
}

// A link of a page is weakened to where it leads on whatever server, and so are addresses in headers and answers.
func TestLinksOfWrittenTests(t *testing.T) {
	at := func(port string) *exchange.Response {
		return exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\nLink: <http://127.0.0.1:" + port +
			"/a?page=1>; rel=\"first\", <http://127.0.0.1:" + port + "/a?page=3>; rel=\"next\"\r\nLocation: http://127.0.0.1:" + port +
			"/a/7\r\nContent-Type: application/json\r\n\r\n"), Body: []byte(`{"self":"see http://127.0.0.1:` + port + `/a?page=2"}`), Plain: true})
	}
	step := stepOf(1, "/a", []*exchange.Response{at("4001"), at("4002"), at("4003")})
	text := "import requests\n\ndef test_a():\n    r = requests.get('http://localhost:1/a')\n" +
		"    assert r.links['next']['url'] == 'http://localhost:1/a?page=3'\n" +
		"    assert r.links['first']['url'] == 'http://localhost:1/a?page=0'\n" +
		"    assert r.json()['self'] == 'see http://localhost:1/a?page=2'\n" +
		"    assert r.headers['Location'] == 'http://localhost:1/a/7'\n"
	p, err := Patch("test_a.py", []byte(text), Source{Steps: []exchange.Step{step}}, PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`assert __import__("re").fullmatch(r"http://[0-9A-Za-z_.:-]+/a\?page=3", r.links["next"]["url"])`,
		`assert r.links["first"]["url"] != ""`,
		`assert __import__("re").fullmatch(r"see http://[0-9A-Za-z_.:-]+/a\?page=2", r.json()["self"])`,
		`assert __import__("re").fullmatch(r"http://[0-9A-Za-z_.:-]+/a/7", r.headers["Location"])`,
	} {
		if !strings.Contains(strings.NewReplacer("(\n        ", "(", "\n    )", ")").Replace(string(p.Data)), want) {
			t.Errorf("there is no %s in\n%s", want, p.Data)
		}
	}
}

// Of a struct in Go each field is asserted as far as it holds, those that the suite leaves out too, and of a text that
// is another each time that there is one.
func TestStructsOfWrittenTests(t *testing.T) {
	at := func(id string) *exchange.Response {
		return exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"),
			Body: []byte(`{"memberId":7,"returned":false,"id":"` + id + `"}`), Plain: true})
	}
	step := stepOf(1, "/a", []*exchange.Response{at("aaaa"), at("bx5"), at("ccc_")})
	text := "package a\n\nimport (\n\t\"encoding/json\"\n\t\"net/http\"\n\t\"testing\"\n)\n\n" +
		"type loan struct {\n\tID string `json:\"id\"`\n\tMemberID int `json:\"memberId\"`\n\tReturned bool `json:\"returned\"`\n}\n\n" +
		"func TestA(t *testing.T) {\n\tres, err := http.Get(\"http://localhost:1/a\")\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n" +
		"\tvar got loan\n\tif err := json.NewDecoder(res.Body).Decode(&got); err != nil {\n\t\tt.Fatal(err)\n\t}\n" +
		"\tif want := (loan{ID: \"dd\", MemberID: 7}); got != want {\n\t\tt.Error(want)\n\t}\n" +
		"\tif got != (loan{ID: \"ee\", MemberID: 7}) {\n\t\tt.Error(got)\n\t}\n" +
		"\tif got.ID != \"ff\" {\n\t\tt.Error(got)\n\t}\n}\n"
	p, err := Patch("a_test.go", []byte(text), Source{Steps: []exchange.Step{step}}, PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\tif want := (loan{ID: \"dd\", MemberID: 7}); got.ID == \"\" || got.MemberID != 7 || got.Returned {\n\t\tt.Error(want)\n",
		"\tif got.ID == \"\" || got.MemberID != 7 || got.Returned {\n\t\tt.Error(got)\n",
		"\tif got.ID == \"\" {\n\t\tt.Error(got)\n",
	} {
		if !strings.Contains(string(p.Data), want) {
			t.Errorf("there is no %s in\n%s", want, p.Data)
		}
	}
}
