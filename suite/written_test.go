package suite

import (
	"fmt"
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

// What is asked for once before several tests is sent by the first of them, and every one of them sees the answer; what
// each asks for has an answer of its own.
func TestAnswersOfBeforeAll(t *testing.T) {
	at := func(version string) *exchange.Response {
		return exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\nVersion: " + version + "\r\n\r\n"), Plain: true})
	}
	steps := []exchange.Step{
		stepOf(1, "/a", []*exchange.Response{at("one"), at("two"), at("three")}),
		stepOf(2, "/b", []*exchange.Response{at("one"), at("one"), at("one")}),
	}
	steady := []*exchange.Response{at("one"), at("one"), at("one")}
	own := []exchange.Step{steps[0], stepOf(2, "/a", steady), stepOf(3, "/a", steady), stepOf(4, "/b", steady)}
	const java = "import static org.junit.jupiter.api.Assertions.assertEquals;\nimport static io.restassured.RestAssured.get;\nimport io.restassured.response.Response;\nclass ATest {\n  static Response r;\n  @BeforeAll static void ask() { r = get(\"/a\"); }\n" +
		"  @Test void first() { assertEquals(\"one\", r.header(\"version\")); }\n" +
		"  @Test void fresh() { assertEquals(\"one\", r.header(\"version\")); }\n" +
		"  @Test void ofB() { assertEquals(200, get(\"/b\").statusCode()); }\n}\n"
	const kotlin = "import org.junit.jupiter.api.Assertions.assertEquals\nimport io.restassured.RestAssured.get\nimport io.restassured.response.Response\nclass ATest {\n" +
		"  @Test fun first() { assertEquals(\"one\", r.header(\"version\")) }\n" +
		"  @Test fun fresh() { assertEquals(\"one\", r.header(\"version\")) }\n" +
		"  @Test fun ofB() { assertEquals(200, get(\"/b\").statusCode()) }\n" +
		"  companion object {\n    lateinit var r: Response\n    @JvmStatic @BeforeAll fun ask() { r = get(\"/a\") }\n  }\n}\n"
	const fixture = "import pytest, requests\n\n@pytest.fixture(scope='module')\ndef r():\n    return requests.get(base + '/a')\n\n" +
		"def test_first(r):\n    assert r.headers['version'] == 'one'\n\ndef test_fresh(r):\n    assert r.headers['version'] == 'one'\n\n" +
		"def test_of_b():\n    assert requests.get(base + '/b').status_code == 200\n"
	const testcase = "import unittest, requests\n\nclass T(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls):\n" +
		"        cls.r = requests.get(base + '/a')\n\n    def test_first(self):\n        self.assertEqual(self.r.headers['version'], 'one')\n\n" +
		"    def test_fresh(self):\n        self.assertEqual(self.r.headers['version'], 'one')\n\n" +
		"    def test_of_b(self):\n        self.assertEqual(requests.get(base + '/b').status_code, 200)\n"
	const golang = "package a\n\nimport (\n\t\"net/http\"\n\t\"testing\"\n\n\t\"github.com/stretchr/testify/suite\"\n)\n\ntype S struct {\n\tsuite.Suite\n" +
		"\tr *http.Response\n}\n\nfunc TestS(t *testing.T) { suite.Run(t, new(S)) }\n\n" +
		"func (s *S) SetupSuite() {\n\ts.r, _ = http.Get(base + \"/a\")\n}\n\n" +
		"func (s *S) TestFirst() {\n\ts.Equal(\"one\", s.r.Header.Get(\"version\"))\n}\n\n" +
		"func (s *S) TestFresh() {\n\ts.Equal(\"one\", s.r.Header.Get(\"version\"))\n}\n\n" +
		"func (s *S) TestOfB() {\n\tr, _ := http.Get(base + \"/b\")\n\ts.Equal(200, r.StatusCode)\n}\n"
	for _, tt := range []struct {
		name, file, text string
		want             int
	}{
		{"jest", "a.test.js", "describe('a', () => {\n  let r;\n  beforeAll(async () => { r = await fetch('http://localhost:1/a'); });\n" +
			"  it('is first', () => { expect(r.headers.get('version')).toBe('one'); });\n" +
			"  it('is new', () => { expect(r.headers.get('version')).toBe('one'); });\n" +
			"  it('is of b', async () => { expect((await fetch('http://localhost:1/b')).status).toBe(200); });\n});\n", 2},
		{"java", "ATest.java", java, 2},
		{"java, before each", "ATest.java", strings.ReplaceAll(java, "@BeforeAll static", "@BeforeEach"), 1},
		{"kotlin", "ATest.kt", kotlin, 2},
		{"a fixture of a module", "test_a.py", fixture, 2},
		{"a fixture of a session", "test_a.py", strings.ReplaceAll(fixture, "module", "session"), 2},
		{"a fixture of each test", "test_a.py", strings.ReplaceAll(fixture, "(scope='module')", ""), 1},
		{"a fixture of a class, for functions", "test_a.py", strings.ReplaceAll(fixture, "module", "class"), 1},
		{"a fixture with several values", "test_a.py", strings.ReplaceAll(fixture, "'module'", "'module', params=[1, 2]"), 1},
		{"setUpClass", "test_a.py", testcase, 2},
		{"setUp", "test_a.py", strings.NewReplacer("    @classmethod\n", "", "setUpClass(cls)", "setUp(self)", "cls.r", "self.r").Replace(testcase), 1},
		{"SetupSuite", "a_test.go", golang, 2},
		{"SetupTest", "a_test.go", strings.ReplaceAll(golang, "SetupSuite", "SetupTest"), 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := Source{Steps: steps}
			if tt.want == 1 {
				src.Steps = own
			}
			if strings.HasPrefix(tt.name, "a fixture") && tt.want == 1 {
				src.Steps = []exchange.Step{own[0], own[1], own[3]} // no other test asks for it
			}
			p, err := Patch(tt.file, []byte(tt.text), src, PatchOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Changes) != tt.want {
				t.Errorf("%d assertions change, want %d:\n%s", len(p.Changes), tt.want, p.Data)
			}
		})
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
		`assert re.fullmatch('http://[^/?&=<>;:,"\\s]+:[0-9]+/a\\?page=3', r.links["next"]["url"])`,
		`assert re.fullmatch('http://[^/?&=<>;:,"\\s]+:[0-9]+/a\\?page=[0-9]+', r.links["first"]["url"])`,
		`assert re.fullmatch(r"see http://[0-9A-Za-z_.:-]+/a\?page=2", r.json()["self"])`,
		`assert re.fullmatch(r"http://[0-9A-Za-z_.:-]+/a/7", r.headers["Location"])`,
	} {
		if !strings.Contains(strings.NewReplacer("(\n        ", "(", "\n    )", ")").Replace(string(p.Data)), want) {
			t.Errorf("there is no %s in\n%s", want, p.Data)
		}
	}
}

// What a test asserts in each of its runs is held against the answer of that run, and said of all alike.
func TestRunsWithSeveralValues(t *testing.T) {
	const text = "import pytest, requests\n\n@pytest.mark.parametrize('id,n', [(1, 5), (2, 6)])\ndef test_it(id, n):\n" +
		"    r = requests.get(base + f'/p/{id}')\n    assert r.json()['n'] == n\n"
	step := func(seq uint64, target string, n ...int) exchange.Step {
		var rs []*exchange.Response
		for _, n := range n {
			rs = append(rs, reply(200, jsonType, fmt.Sprintf(`{"n":%d}`, n)))
		}
		return stepOf(seq, target, rs)
	}
	for name, tt := range map[string]struct {
		steps []exchange.Step
		want  string
	}{
		"holds":           {[]exchange.Step{step(1, "/p/1", 5, 5, 5), step(2, "/p/2", 6, 6, 6)}, "\n    assert r.json()['n'] == n\n"},
		"one moves":       {[]exchange.Step{step(1, "/p/1", 5, 5, 5), step(2, "/p/2", 6, 8, 10)}, `isinstance(r.json()["n"], int)`},
		"all move":        {[]exchange.Step{step(1, "/p/1", 5, 7, 9), step(2, "/p/2", 6, 8, 10)}, `isinstance(r.json()["n"], int)`},
		"one is not sent": {[]exchange.Step{step(1, "/p/1", 5, 7, 9)}, "\n    assert r.json()['n'] == n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Patch("test_it.py", []byte(text), Source{Steps: tt.steps}, PatchOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(p.Data), tt.want) {
				t.Errorf("got\n%s\nwant %s", p.Data, tt.want)
			}
		})
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
