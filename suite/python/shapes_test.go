package python

import (
	"testing"
)

// What tests take from objects of their own classes, functions within functions, named statuses and functions that only
// assert is understood; what a loop leaves out early is not.
func TestWrittenShapes(t *testing.T) {
	const client = `
class Api:
    def __init__(self, base):
        self.base = base
        self.session = requests.Session()

    def made(self, name):
        r = self.session.post(self.base + "/things", json={"name": name})
        return r.json()

def same(response, status, name):
    assert response.status_code == status
    assert response.json()["name"] == name

def adder():
    def _add(**more):
        return requests.post("http://localhost/things", json={"a": 1, **more}).json()
    return _add

api = Api("http://localhost")
WHEN = re.compile(r"\d+")
`
	const list = "r = requests.get('http://localhost/things')\n    "
	for body, want := range map[string]string{
		"x = api.made('b')\n    assert x['name'] == 'b'":                                           `assert x["name"] == "b"`,
		"add = adder()\n    x = add(b=2)\n    assert x['b'] == 2":                                  `assert x["b"] == 2`,
		"r = requests.get('http://h/a' if day() else 'http://h/b')\n    assert r.json()['x'] == 1": `assert r.json()["x"] == 1`,
		list + "assert r.status_code == HTTPStatus.NOT_FOUND":                                      `assert r.status_code == 404`,
		list + "assert r.status_code == requests.codes.created":                                    `assert r.status_code == 201`,
		list + "assert r.status_code == status.HTTP_204_NO_CONTENT":                                `assert r.status_code == 204`,
		list + "same(r, 200, 'a')":                                                                 `assert r.status_code == 200 and r.json()["name"] == "a"`,
		list + "first, *rest = r.json()\n    assert first['a'] == 1":                               `assert first["a"] == 1`,
		list + "(one,) = r.json()\n    assert one == 1":                                            `assert one == 1`,
		list + "assert WHEN.match(r.text)":                                                         `assert __import__("re").search("\\A(?:\\d+)", r.text)`,
		list + "assert {x['a'] for x in r.json()} == {1}":                                          `assert all([x["a"] in (1,) for x in r.json()]) and 1 in [x["a"] for x in r.json()]`,
		list + "for x in r.json():\n        assert x['a'] == 1":                                    `assert x["a"] == 1`,
		list + "for x in r.json():\n        if x: continue\n        assert x['a'] == 1":            "",
		list + "for x in r.json():\n        assert r.status_code == 200":                           "",
		list + "for x in r.json():\n        pass\n    assert x['a'] == 1":                          "",
	} {
		s := wrote(t, "import re, requests\n"+client+"\ndef test_it():\n    "+body+"\n")
		a := s.Tests[0].Assertions
		if len(a) != 1 {
			t.Errorf("%s\n%d assertions", body, len(a))
			continue
		}
		got := ""
		if a[0].Reason == "" {
			got, _ = s.Writer.Assert(s, s.Tests[0], a[0], a[0].Meaning)
		}
		if got != want {
			t.Errorf("%s\n got %s (%s)\nwant %s", body, got, a[0].Reason, want)
		}
	}
}

// A request through a method of an object of the file has the path that the method gives it, and the body.
func TestWrittenObjectsSend(t *testing.T) {
	s := wrote(t, `import requests

class Api:
    def get(self, path, **more):
        return requests.get("http://localhost/v2" + path, **more).json()

def test_it():
    api = Api()
    x = api.get("/a", params={"b": 1})
    assert x["c"] == 1
`)
	test := s.Tests[0]
	if len(test.Calls) != 1 || test.Calls[0].Target != "/v2/a?b=1" || test.Assertions[0].Place != "/body/c" {
		t.Errorf("%+v, %+v", test.Calls, test.Assertions)
	}
}
