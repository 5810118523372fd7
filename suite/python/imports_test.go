package python

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/script"
)

// Fixtures of conftest.py, functions and constants that a file imports, and classes that others are derived from are
// followed into the files that have them.
func TestWrittenAmongOthers(t *testing.T) {
	files := map[string]string{
		"tests/conftest.py": `import pytest
from .helpers import login

@pytest.fixture
def token():
    return login("ada")
`,
		"conftest.py": `import pytest, requests

@pytest.fixture
def client(base):
    return requests.Session()

@pytest.fixture(autouse=True)
def reset(client):
    client.post("/reset")
`,
		"tests/helpers.py": `import requests
from tests import paths
import tests.paths as p

def login(name, password="x"):
    r = requests.post(p.LOGIN, json={"name": name, "password": password})
    assert r.status_code == 200
    return r.json()["token"]

def get(path, **more):
    return requests.get("http://localhost" + path, **more)

LIMIT = 2
`,
		"tests/paths.py": "LOGIN = '/login'\nITEMS = '/items'\n",
		"tests/base.py": `import unittest, requests
class Base(unittest.TestCase):
    BASE = "http://localhost"
    def setUp(self):
        self.made = self.make({"n": 1})
    def make(self, body):
        return requests.post(self.BASE + self.PATH, json=body).json()
`,
	}
	text := `from tests.helpers import get, LIMIT
from tests import helpers
from .paths import ITEMS as WHERE
from base import Base

def test_items(client, token):
    r = client.get(WHERE, params={"limit": LIMIT})
    assert r.json()["total"] == 7
    assert get("/health").status_code == 200
    assert helpers.get("/up").text == token

class TestMore(Base):
    PATH = "/things"
    def test_it(self):
        r = get("/things/" + self.made["id"])
        self.assertEqual(r.json()["n"], self.made["n"])
`
	s, err := script.ReadAmong(Written(), "tests/test_it.py", []byte(text), func(path string) (string, bool) {
		text, ok := files[path]
		return text, ok
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, test := range s.Tests {
		got = append(got, test.Name)
		for _, c := range test.Calls {
			got = append(got, strings.TrimRight(fmt.Sprintf("  %s %s %s", c.Method, strings.ReplaceAll(c.Target, "\x00", "?"), c.Body), " "))
		}
		for _, a := range test.Assertions {
			got = append(got, fmt.Sprintf("  %d of %d %s %s %s %s", a.Line, a.Call, a.Relation, a.Place, a.Value, a.Reason))
		}
	}
	want := `test_items
  POST /reset
  POST /login {"name":"ada","password":"x"}
  GET /items?limit=2
  GET /health
  GET /up
  8 of 2 equal /body/total 7 
  9 of 3 equal /status 200 
  10 of 0    
test_it
  POST /reset
  POST /things {"n":1}
  GET /things/?
  16 of 0    `
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

// What a function or a base class of another file asserts, with a message, stands in no file that is written: its place
// there may lie behind the end of the test's own file.
func TestMessagesOfOtherFiles(t *testing.T) {
	filler := strings.Repeat("# a line that puts what follows beyond the end of the tests\n", 40)
	files := map[string]string{
		"helpers.py": filler + "def sent(r):\n    assert r.status_code == 200, 'it was not answered'\n    return r\n",
		"base.py": filler + "import unittest\nclass Base(unittest.TestCase):\n    def good(self, r):\n" +
			"        self.assertEqual(r.status_code, 200, 'it was not answered')\n        return r\n",
	}
	text := `import requests
from helpers import sent
from base import Base

def test_one():
    assert sent(requests.get("http://a/one")).json()["n"] == 1

class TestTwo(Base):
    def test_two(self):
        self.assertEqual(self.good(requests.get("http://a/two")).json()["n"], 2)
`
	s, err := script.ReadAmong(Written(), "test_it.py", []byte(text), func(path string) (string, bool) {
		text, ok := files[path]
		return text, ok
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"6 of 0 equal /body/n 1", "10 of 0 equal /body/n 2"} {
		if len(s.Tests) != 2 || len(s.Tests[i].Assertions) != 1 {
			t.Fatalf("%d tests: %+v", len(s.Tests), s.Tests)
		}
		a := s.Tests[i].Assertions[0]
		if got := fmt.Sprintf("%d of %d %s %s %s", a.Line, a.Call, a.Relation, a.Place, a.Value); got != want {
			t.Errorf("got %s (%s), want %s", got, a.Reason, want)
		}
	}
}

// Files that import each other, or themselves, are read once.
func TestWrittenImportsAreBounded(t *testing.T) {
	read := 0
	s, err := script.ReadAmong(Written(), "test_it.py", []byte("from a import x\ndef test_it():\n    r = x()\n    assert r == 1\n    c.get('/')\n"),
		func(path string) (string, bool) {
			read++
			return "from b import y as x\nfrom a import x\nimport conftest\nA = A\nfrom b import A\n", strings.HasSuffix(path, ".py")
		})
	if err != nil || len(s.Tests) != 1 || read > maxFiles {
		t.Errorf("%v, %d files", err, read)
	}
}

// Modules of Python's own and of packages, which are no files of the suite, do not keep those that are from being found.
func TestWrittenAmongPackages(t *testing.T) {
	text := ""
	for _, name := range []string{"os", "re", "sys", "json", "time", "uuid", "random", "datetime", "pytest", "requests"} {
		text += "import " + name + "\n"
	}
	text += "from helpers import get\ndef test_it(base):\n    r = get(base)\n    assert r.json()['n'] == 1\n    c.get('/b')\n"
	files := map[string]string{"a/b/tests/helpers.py": "import requests\ndef get(path):\n    return requests.get(path)\n",
		"a/b/tests/conftest.py": "import pytest\n@pytest.fixture\ndef base():\n    return '/a'\n"}
	s, err := script.ReadAmong(Written(), "a/b/tests/test_it.py", []byte(text), func(path string) (string, bool) {
		text, ok := files[path]
		return text, ok
	})
	if err != nil {
		t.Fatal(err)
	}
	test := s.Tests[0]
	if len(test.Calls) != 2 || test.Calls[0].Target != "/a" || test.Assertions[0].Place != "/body/n" {
		t.Errorf("%+v, %+v", test.Calls, test.Assertions[0])
	}
}
