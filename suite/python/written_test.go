package python

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/script"
)

// wrote reads a file of tests that people wrote.
func wrote(t *testing.T, text string) *script.Script {
	t.Helper()
	s, err := script.Read(Written(), "test_it.py", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A value that comes from an answer by way of names, functions of the file and fixtures is followed to the place of the
// answer, and what is asserted of it is written again as it was.
func TestWrittenIsFollowed(t *testing.T) {
	data, err := os.ReadFile("testdata/written.py")
	if err != nil {
		t.Fatal(err)
	}
	s := wrote(t, string(data))
	var got []string
	for _, test := range s.Tests {
		got = append(got, test.Name)
		for _, c := range test.Calls {
			got = append(got, fmt.Sprintf("  %s %s %s", c.Method, strings.ReplaceAll(c.Target, "\x00", "?"), c.Body))
		}
		for _, a := range test.Assertions {
			if a.Reason != "" {
				got = append(got, fmt.Sprintf("  %d not: %s", a.Line, a.Reason))
				continue
			}
			text, ok := s.Writer.Assert(s, test, a, a.Meaning)
			got = append(got, fmt.Sprintf("  %d of %d %s %s %s: %s %v", a.Line, a.Call, a.Relation, a.Place, a.Value, text, ok))
		}
	}
	want := `test_list
  GET /products?limit=2 
  36 of 0 equal /status 200: assert r.status_code == 200, "list must work" true
  38 of 0 length /body/products 2: assert len(body["products"]) == 2 true
  40 of 0 equal /body/products/0/name "Coffee": assert first["name"] == "Coffee" true
  41 of 0 contains /body/products/0 "price": assert "price" in first true
  42 of 0 equal /header/x-request-id "abc": assert r.headers["X-Request-Id"] == "abc" true
test_one
  GET /products/1 
  46 of 0 equal /status 200: assert res.status_code == 200 true
  48 of 0 equal /body {"id":1,"name":"Coffee","stock":3}: assert data == {"id": 1, "name": "Coffee", "stock": 3} true
  51 of 0   : assert x == "hot" true
  53 not: it is inside a condition
test_order
  POST /login {"email":"ada@cafe.de","password":"lovelace"}
  POST /orders {"items":[{"product":1}]}
  GET /orders/? 
  GET /health 
  17 of 0 equal /status 200: assert res.status_code == 200 true
  58 of 1 equal /status 202: assert res.status_code == 202 true
  61 of 0   : assert got.json()["id"] == order["id"] true
  62 of 2 equal /body/createdAt "2026-01-01T00:00:00Z": assert got.json()["createdAt"] == "2026-01-01T00:00:00Z" true
  65 of 0   : answer = requests.get(url("/health"))
    assert answer.status_code < 400 true
test_many
  GET /products/1 
  GET /products/2 
  71 of 0   : assert r.status_code == 200 true
  72 of 0   : assert r.json()["name"] == name true`
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

// Each way to send, to name and to assert is understood, or said not to be.
func TestWrittenWays(t *testing.T) {
	for body, want := range map[string]string{
		// clients
		"r = requests.get('/a')\n    assert r.status_code == 200":                            "GET /a: equal /status 200",
		"r = httpx.post('http://x:1/a', json={'n': 1})\n    assert r.json()['n'] == 1":       "POST /a: equal /body/n 1",
		"r = client.request('DELETE', '/a/1')\n    assert r.status_code == 204":              "DELETE /a/1: equal /status 204",
		"r = client.request(method='put', url='/a')\n    assert r.ok":                        "PUT /a:   ",
		"with client.get('/a') as r:\n        assert r.status == 200":                        "GET /a: equal /status 200",
		"data = {'/a': 1}\n    data.get('/a')\n    r = c.get('/b')\n    assert r.text == ''": "GET /b: empty /body ",
		// values
		"d = c.get('/a').json()\n    assert d['x'][0] == 'y'":                                              `GET /a: equal /body/x/0 "y"`,
		"a, b = c.get('/a'), c.get('/b')\n    assert b.status_code == 200":                                 "GET /a: GET /b: equal /status 200",
		"r = c.get('/a')\n    d: dict = r.json()\n    d['x'] = 1\n    assert d['x'] == 1":                  "GET /a: not: the name d, which changes is not known",
		"r = c.get('/a')\n    n = 1\n    n += 1\n    assert r.json()['n'] == n":                            "GET /a: not: the name n, which changes is not known",
		"x = c.get('/a').json()\n    x.pop('b')\n    assert x == {}":                                       "GET /a: not: the name x, which changes is not known",
		"r = c.get('/a')\n    r = c.get('/b')\n    assert r.json() == []":                                  "GET /a: GET /b: equal /body []",
		"r = c.get('/a')\n    if r.ok:\n        x = 1\n    else:\n        x = 2\n    assert r.json() == x": "GET /a: not: what is assigned under a condition is not known",
		"d = json.loads(c.get('/a').text)\n    assert d['k'] is None":                                      "GET /a: equal /body/k null",
		"assert [x['id'] for x in c.get('/a').json()] == [1]":                                              "GET /a: not: it sends a request itself",
		"r = c.get('/a')\n    assert [x['id'] for x in r.json()] == [1, 2]":                                "GET /a: equal /body/*/id [1,2]",
		"r = c.get('/a')\n    assert sorted(r.json()) == ['a', 'b']":                                       `GET /a: equal /body ["a","b"]`,
		"r = c.get('/a')\n    assert sorted(r.json()) == [10, 9]":                                          "GET /a:   ",
		"r = c.get('/a')\n    assert r.json() == undefined":                                                "GET /a: not: the name undefined is not known",
		"r = c.get('/a', params={'q': 'a b', 'n': 2})\n    assert r.json() == 1":                           "GET /a?q=a+b&n=2: equal /body 1",
	} {
		s := wrote(t, "def test_it(c, client):\n    "+body+"\n")
		got := ""
		for _, c := range s.Tests[0].Calls {
			got += c.Method + " " + c.Target + ": "
		}
		for _, a := range s.Tests[0].Assertions {
			if got += fmt.Sprintf("%s %s %s", a.Relation, a.Place, a.Value); a.Reason != "" {
				got = strings.TrimSuffix(got, "  ") + "not: " + a.Reason
			}
		}
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", body, got, want)
		}
	}
}

// What is written again asks an answer for its parts as the test does.
func TestWrittenIsSpelledAsBefore(t *testing.T) {
	for body, want := range map[string]string{
		"async with c.get('/a') as r:\n        assert r.status == 200":                                                     "assert r.status == 200",
		"async with Session() as s, s.get('/a') as r:\n        assert (await r.json())['n'] == 1":                          `assert (await r.json())["n"] == 1`,
		"with (Session() as s, s.get('/a') as r):\n        assert r.json()['n'] == 1":                                      `assert r.json()["n"] == 1`,
		"r = await c.get('/a')\n    assert await r.text() == 'x'":                                                          `assert (await r.text()) == "x"`,
		"r = await c.get('/a')\n    assert json.loads(await r.text()) == [1]":                                              "assert json.loads((await r.text())) == [1]",
		"r = await c.get('/a')\n    assert r.json()['n'] == 1":                                                             `assert r.json()["n"] == 1`,
		"r = c.get('/a')\n    assert r.get_json()['n'] == 1":                                                               `assert r.get_json()["n"] == 1`,
		"r = c.get('/a')\n    assert r.json['n'] == 1":                                                                     `assert r.json["n"] == 1`,
		"r = c.get('/a')\n    assert r.status_code == 200":                                                                 "assert r.status_code == 200",
		"r = c.get('/a')\n    assert r.text == 'x'\n\nasync def test_b(c):\n    r = await c.get('/b')\n    await r.text()": `assert r.text == "x"`,
	} {
		s := wrote(t, "async def test_it(c):\n    "+body+"\n")
		test := s.Tests[0]
		if len(test.Assertions) != 1 || test.Assertions[0].Meaning == nil {
			t.Errorf("%s\n%d assertions, or one that is not understood", body, len(test.Assertions))
			continue
		}
		a := test.Assertions[0]
		if got, ok := s.Writer.Assert(s, test, a, a.Meaning); !ok || got != want {
			t.Errorf("%s\n got %s\nwant %s", body, got, want)
		}
	}
}

// What a client of the suite's own sends of its named arguments is not known: a query may follow the path.
func TestWrittenOwnClient(t *testing.T) {
	s := wrote(t, `import requests

def test_it(api):
    assert api.get("/books", genre="poetry").json()[0]["id"] == 2
    assert api.get("/books", timeout=5, headers={"Accept": "text/csv"}).status_code == 200
    assert requests.get("http://localhost/books", params={"page": 2}).status_code == 200
`)
	var got []string
	for _, c := range s.Tests[0].Calls {
		got = append(got, strings.ReplaceAll(c.Target, "\x00", "*"))
	}
	if want := []string{"/books*", "/books", "/books?page=2"}; !slices.Equal(got, want) {
		t.Errorf("targets: %q", got)
	}
}

// Methods of unittest's test case are understood, setUp is followed, and what is written in an assertion's place is one
// of them.
func TestWrittenUnittest(t *testing.T) {
	s := wrote(t, `import unittest, requests

class TestIt(unittest.TestCase):
    BASE = "http://localhost:8080"

    def setUp(self):
        self.session = requests.Session()
        self.made = self.session.post(self.BASE + "/things", json={"n": 1}).json()

    def test_it(self):
        res = self.session.get(f"{self.BASE}/things/{self.made['id']}")
        self.assertEqual(200, res.status_code)
        self.assertEqual(res.json()["n"], 1, "another n")
        self.assertIn("id", res.json())
        self.assertIsInstance(res.json()["n"], int)
        self.assertAlmostEqual(res.json()["n"], 1)
`)
	test := s.Tests[0]
	if len(test.Calls) != 2 || test.Calls[1].Target != "/things/\x00" {
		t.Errorf("calls: %+v", test.Calls)
	}
	want := []string{`self.assertTrue(res.status_code == 200)`, `self.assertTrue(res.json()["n"] == 1, "another n")`,
		`self.assertTrue("id" in res.json())`, `self.assertTrue(isinstance(res.json()["n"], int))`,
		`self.assertTrue(0.99999995 <= res.json()["n"] <= 1.00000005)`}
	if len(test.Assertions) != len(want) {
		t.Fatalf("%d assertions", len(test.Assertions))
	}
	for i, a := range test.Assertions {
		if text, ok := s.Writer.Assert(s, test, a, a.Meaning); !ok || text != want[i] || a.Reason != "" {
			t.Errorf("%s is written as %s (%s)", a.Text, text, a.Reason)
		}
	}
}

// What refers to itself again and again is given up, and takes no time.
func TestWrittenIsBounded(t *testing.T) {
	text := "def test_it(c):\n    r = c.get('/a')\n    x = r.json()\n" + strings.Repeat("    x = [x, x]\n", 60) + "    assert x == 1\n"
	if a := wrote(t, text).Tests[0].Assertions[0]; a.Reason == "" {
		t.Errorf("%+v", a)
	}
	deep := "def a(n):\n    return a(n)\ndef test_it(c):\n    r = c.get('/a')\n    assert r.json() == a(1)\n"
	if a := wrote(t, deep).Tests[0].Assertions[0]; a.Reason == "" {
		t.Errorf("%+v", a)
	}
}

// A block of which all assertions are commented out is still one.
func TestWrittenBlocksStay(t *testing.T) {
	text := "def test_it(c):\n    with c.get('/a') as r:\n        assert r.status == 200\n        assert r.text == 'x'\n    r = c.get('/b')\n    assert r.ok\n"
	s := wrote(t, text)
	var got []string
	for _, a := range s.Tests[0].Assertions {
		out, shift := text, 0
		for _, e := range s.Writer.Disable(s, a) {
			out = out[:e.Start+shift] + e.Text + out[e.End+shift:]
			shift += len(e.Text) - (e.End - e.Start)
		}
		got = append(got, strings.ReplaceAll(strings.Split(out, "\n")[a.Line], " ", "")) // the line below
	}
	if want := []string{"pass", "pass", ""}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Expressions are written by the module re where the file imports it or can, and without where that is another's name.
func TestWrittenExpressions(t *testing.T) {
	for imports, want := range map[string]string{"": `assert re.search("^a", r.text)`, "import re\n": `assert re.search("^a", r.text)`,
		"from lib import re\n": `assert __import__("re").search("^a", r.text)`} {
		s := wrote(t, imports+"def test_it(c):\n    r = c.get('/a')\n    assert __import__('re').search('^a', r.text)\n")
		a := s.Tests[0].Assertions[0]
		if text, ok := s.Writer.Assert(s, s.Tests[0], a, a.Meaning); !ok || text != want || a.Reason != "" {
			t.Errorf("%q: %s (%s), want %s", imports, text, a.Reason, want)
		}
		if imports != "import re\n" {
			continue
		}
		s = wrote(t, imports+"def test_it(c):\n    r = c.get('/a')\n    assert re.search('^a', r.text)\n")
		if a := s.Tests[0].Assertions[0]; a.Reason != "" {
			t.Errorf("%s is not read: %s", a.Text, a.Reason)
		}
	}
}

// A file without requests is no suite.
func TestWrittenNeedsRequests(t *testing.T) {
	for _, text := range []string{"", "x = 1\n", "def test_it():\n    assert 1 == 1\n", "def helper(c):\n    c.get('/a')\n"} {
		if _, err := script.Read(Written(), "test_it.py", []byte(text)); err == nil {
			t.Errorf("%q is a suite", text)
		}
	}
}
