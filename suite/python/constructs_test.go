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
		"class Order(BaseModel):\n    lines: list[Model]\n    first: Model\n    at: str = Field(alias='placedAt')\n    when: datetime\n\n    @property\n    def n(self):\n        return self.first.id\n\n" +
		"class Checked(BaseModel):\n    id: int\n\n    @field_validator('id')\n    def twice(cls, v):\n        return 2 * v\n\nclass Pair(NamedTuple):\n    a: int\n    b: int\n\n" +
		"@dataclass\nclass Derived(Entry):\n    more: int\n\n"
	for body, want := range map[string]string{
		// data classes
		"e = Entry(**c.get('/a').json())\n    assert e.id == 7":                        `of 0 /body/id: assert e.id == 7`,
		"r = c.get('/a')\n    e = Entry(**r.json())\n    assert e.id == 7":             `of 0 /body/id: assert e.id == 7`,
		"e = Entry(**c.get('/a').json())\n    assert e.name == 'y'":                    `of 0 : assert e.name == "y"`,
		"e = Entry(c.get('/a').json()['key'], 'y')\n    assert e.id == 7":              `of 0 /body/key: assert e.id == 7`,
		"e = Entry.of(c.get('/a').json())\n    assert e.name == 'y'":                   `of 0 /body/title: assert e.name == "y"`,
		"e = Entry.of(c.get('/a').json())\n    e.name = 'z'\n    assert e.name == 'y'": "not: ",
		"e = Entry.by(c.get('/a').json())\n    assert e.name == 'y'":                   "not: ",
		"e = Entry(**c.get('/a').json())\n    assert e == Entry(7, 'y')":               `of 0 : assert {"id": e.id, "name": e.name} == {"id": 7, "name": "y"}`,
		"e = Later(**c.get('/a').json())\n    assert e.id == 7":                        "not: ",
		"e = Model(**c.get('/a').json())\n    assert e.id == 7":                        `of 0 /body/id: assert e.id == 7`,
		"e = Kinds(**c.get('/a').json())\n    assert e.id == 7":                        "not: ",
		"e = Derived(**c.get('/a').json())\n    assert e.id == 7":                      "not: ",
		// records of pydantic and their like
		"o = Order.model_validate(c.get('/a').json())\n    assert o.first.id == 7":                                       `of 0 /body/first/id: assert o.first.id == 7`,
		"o = Order.model_validate_json(c.get('/a').text)\n    assert o.at == 'x'":                                        `of 0 /body/placedAt: assert o.at == "x"`,
		"o = Order(**c.get('/a').json())\n    assert o.lines[1].id == 7":                                                 `of 0 /body/lines/1/id: assert o.lines[1].id == 7`,
		"r = c.get('/a')\n    o = Order.parse_obj(r.json())\n    assert len(o.lines) == 2":                               `of 0 /body/lines: assert len(o.lines) == 2`,
		"o = Order(**c.get('/a').json())\n    assert o.n == 7":                                                           `of 0 /body/first/id: assert o.first.id == 7`,
		"o = Order(**c.get('/a').json())\n    assert o.when == 7":                                                        "not: a field of the type datetime is not known",
		"o = Order(**c.get('/a').json())\n    assert o.first.model_dump() == {'id': 7}":                                  `of 0 : assert {"id": o.first.id} == {"id": 7}`,
		"e = Checked(**c.get('/a').json())\n    assert e.id == 7":                                                        "not: ",
		"d = c.get('/a').json()\n    assert Pair(d['a'], d['b']) == Pair(1, 2)":                                          `of 0 : assert {"a": d["a"], "b": d["b"]} == {"a": 1, "b": 2}`,
		"r = c.get('/a')\n    all_ = [Model(**x) for x in r.json()]\n    assert [x.id for x in all_ if x.id > 1] == [7]": `of 0 /body/*/id: assert [x["id"] for x in r.json() if x["id"] > 1] == [7]`,
		"r = c.get('/a')\n    first, *_ = [Model(**x) for x in r.json()]\n    assert first.id == 7":                      `of 0 /body/0/id: assert first.id == 7`,
		// objects
		"d = c.get('/a').json()\n    assert d == {'a': 1, 'b': 1} | {'b': 2}":                             `of 0 /body: assert d == {"a": 1, "b": 2}`,
		"d = c.get('/a').json()\n    want = {'a': 1}\n    assert all(d[k] == v for k, v in want.items())": `of 0 : assert d["a"] == 1`,
		"d = c.get('/a').json()\n    want = {'a': 1}\n    assert {k: d[k] for k in want} == want":         `of 0 : assert {"a": d["a"]} == {"a": 1}`,
		"d = c.get('/a').json()\n    assert {x['k']: x['n'] for x in d} == {'a': 1}": "of 0 : assert (\n        all([x[\"k\"] in (\"a\",) for x in d])\n" +
			"        and [x[\"n\"] for x in d if x[\"k\"] == \"a\"][-1] == 1\n    )",
		// names that assertions give values
		"assert (r := c.get('/a')).ok":                                   "not: it gives a name a value: give it that in a statement before, and assert by the name",
		"if (d := c.get('/a').json()):\n        pass\n    assert d == 7": "not: ",
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

// What is asked of a value that may be a record sends its request once, whether it is one or not.
func TestRecordsAreSentOnce(t *testing.T) {
	const class = "class Order(BaseModel):\n    id: int\n\n"
	for _, body := range []string{
		"Order(**c.get('/a').json()).model_dump()",
		"asdict(Order(**c.get('/a').json()))",
		"attrs.asdict(c.get('/a').json())",
		"c.get('/a').json().dict()",
		"Order.from_orm(c.get('/a').json())",
		"Order.model_validate(c.get('/a').json())",
	} {
		s := wrote(t, class+"def test_it(c):\n    d = "+body+"\n    c.get('/b')\n    assert d\n")
		got := ""
		for _, c := range s.Tests[0].Calls {
			got += c.Target
		}
		if got != "/a/b" {
			t.Errorf("%s sends %s", body, got)
		}
	}
}
