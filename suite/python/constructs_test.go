package python

import (
	"strings"
	"testing"
)

// What people write around answers is followed, and written again as they would; what is nearly the same is not
// understood.
func TestConstructs(t *testing.T) {
	const classes = "@dataclass\nclass Entry:\n    id: int\n    name: str = 'x'\n\n    @classmethod\n    def of(cls, d):\n" +
		"        return cls(id=d['key'], name=d['title'])\n\n" +
		"@dataclass\nclass Later:\n    id: int\n\n    def __post_init__(self):\n        self.id = 1\n\n" +
		"class Model(BaseModel):\n    id: int\n\n@dataclass\nclass Kinds:\n    id: int\n    all: ClassVar[int] = 1\n\n" +
		"@dataclass\nclass Derived(Entry):\n    more: int\n\n"
	for body, want := range map[string]string{
		// data classes
		"e = Entry(**c.get('/a').json())\n    assert e.id == 7":                        `of 0 /body/id: assert e.id == 7`,
		"r = c.get('/a')\n    e = Entry(**r.json())\n    assert e.id == 7":             `of 0 /body/id: assert e.id == 7`,
		"e = Entry(**c.get('/a').json())\n    assert e.name == 'y'":                    "not: a field that may have its default is not known",
		"e = Entry(c.get('/a').json()['key'], 'y')\n    assert e.id == 7":              `of 0 /body/key: assert e.id == 7`,
		"e = Entry.of(c.get('/a').json())\n    assert e.name == 'y'":                   `of 0 /body/title: assert e.name == "y"`,
		"e = Entry.of(c.get('/a').json())\n    e.name = 'z'\n    assert e.name == 'y'": "not: ",
		"e = Entry.by(c.get('/a').json())\n    assert e.name == 'y'":                   "not: ",
		"e = Entry(**c.get('/a').json())\n    assert e == Entry(7, 'y')":               "not: ",
		"e = Later(**c.get('/a').json())\n    assert e.id == 7":                        "not: ",
		"e = Model(**c.get('/a').json())\n    assert e.id == 7":                        "not: ",
		"e = Kinds(**c.get('/a').json())\n    assert e.id == 7":                        "not: ",
		"e = Derived(**c.get('/a').json())\n    assert e.id == 7":                      "not: ",
		// exceptions with answers
		"with pytest.raises(HTTPError) as e:\n        c.get('/a').raise_for_status()\n    assert e.value.response.status_code == 404":   "of 0 /status: assert e.value.response.status_code == 404",
		"with pytest.raises(HTTPError) as e:\n        r = c.get('/a')\n        r.raise_for_status()\n    assert r.status_code == 404":   "of 0 /status: assert e.value.response.status_code == 404",
		"with self.assertRaises(HTTPError) as e:\n        c.get('/a').raise_for_status()\n    assert e.exception.response.text == 'x'":  `of 0 /body: assert e.exception.response.text == "x"`,
		"with pytest.raises(HTTPError) as e:\n        c.get('/a')\n        c.get('/b')\n    assert e.value.response.status_code == 404": "not: ",
		"with pytest.raises(HTTPError) as e:\n        for x in y:\n            c.get('/a')\n    assert e.value.response.ok":             "not: ",
		"with pytest.raises(HTTPError) as e:\n        fetch()\n    assert e.value.response.status_code == 404":                          "not: ",
		"with pytest.raises(HTTPError) as e:\n        c.get('/a')\n    assert e.value.request.status_code == 404":                       "not: ",
		"with suppress(HTTPError) as e:\n        c.get('/a')\n    assert e.value.response.status_code == 404":                           "not: ",
		// loops over what is written out
		"for path, n in [('/a', 1), ('/b', 2)]:\n        assert_n(c.get(path), n)":                                     "",
		"for path, n in [('/a', 1), ('/b', 2)]:\n        r = c.get(path)\n        assert r.json()['n'] == n":           `of 2 : assert r.json()["n"] == n`,
		"for path in ('/a', '/b'):\n        r = c.get(path)\n        assert r.ok":                                      `of 2 : assert r.status_code < 400`,
		"for path in ('/a', '/b'):\n        r = c.get(path)\n        if r.ok:\n            break\n        assert r.ok": "not: ",
		"for path, n in [('/a', 1), ('/b',)]:\n        r = c.get(path)\n        assert r.json()['n'] == n":             "not: ",
		"for path, n in [('/a', 1), *more]:\n        r = c.get(path)\n        assert r.json()['n'] == n":               "not: ",
		"for path, n in pairs():\n        r = c.get(path)\n        assert r.json()['n'] == n":                          "not: ",
		"for path, n in {'/a': 1}.items():\n        r = c.get(path)\n        assert r.json()['n'] == n":                "of 0 /body/n: assert r.json()[\"n\"] == 1",
	} {
		s := wrote(t, classes+"def test_it(self, c):\n    "+body+"\n\ndef test_other(c):\n    c.get('/other')\n")
		test := s.Tests[0]
		got := ""
		for _, a := range test.Assertions {
			switch text, ok := s.Writer.Assert(s, test, a, a.Meaning); {
			case !a.Understood():
				got += "not: " + a.Reason
			case !ok:
				got += "not written"
			default:
				of := 0
				if a.Runs {
					of = len(test.Calls)
				}
				got += "of " + string(rune('0'+of)) + " " + string(a.Place) + ": " + text
			}
		}
		if want == "not: " && strings.HasPrefix(got, want) {
			continue
		}
		if got != want {
			t.Errorf("%s\ngot  %s\nwant %s", body, got, want)
		}
	}
}
