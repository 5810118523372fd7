package python

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/script"
)

// Each form of an assertion is read as what Python takes it for, and written as that.
func TestWrittenReadings(t *testing.T) {
	for body, want := range map[string]string{
		// links
		"r = c.get('/b')\n    assert r.links['next']['url'] == 'http://x/b?p=2'":                      `assert r.links["next"]["url"] == "http://x/b?p=2"`,
		"l = c.get('/b').links\n    assert l['next']['url'] == 'http://x/b?p=2'":                      `assert l["next"]["url"] == "http://x/b?p=2"`,
		"r = c.get('/b')\n    assert 'next' not in r.links":                                           `assert "next" not in r.links`,
		"r = c.get('/b')  # as aiohttp has it\n    assert r.links['next']['url'] == 'http://x/b?p=2'": "not: the links of aiohttp is not known",
		// numbers that are near
		"assert d['n'] == pytest.approx(4.25)":                                       `assert 4.24999575 <= d["n"] <= 4.25000425`,
		"assert pytest.approx(100, abs=0.5) == d['n']":                               `assert 99.5 <= d["n"] <= 100.5`,
		"assert d['n'] == approx(-2, rel=0.5, abs=3)":                                `assert -5 <= d["n"] <= 1`,
		"assert d['n'] == approx(0)":                                                 `assert -0.000000000001 <= d["n"] <= 0.000000000001`,
		"assert d['n'] == approx([1, 2])":                                            "not: the function approx is not known",
		"assert d['n'] != approx(2)":                                                 "not: the function approx is not known",
		"assert abs(d['n'] - 10) < 0.5":                                              `assert 9.5 < d["n"] and d["n"] < 10.5`,
		"assert abs(10 - d['n']) <= 0.5":                                             `assert 9.5 <= d["n"] <= 10.5`,
		"assert abs(d['n'] - d['m']) <= 0.5":                                         "not: the function abs is not known",
		"self.assertAlmostEqual(d['n'], 12.5, places=2)":                             `self.assertTrue(12.495 <= d["n"] <= 12.505)`,
		"self.assertAlmostEqual(d['n'], 12.5, delta=1)":                              `self.assertTrue(11.5 <= d["n"] <= 13.5)`,
		"self.assertAlmostEqual(d['n'], 12.5, 2)":                                    "not: the assertion assertAlmostEqual is not known",
		"assert (d['a'], d['b']) == (7, 3)":                                          `assert d["a"] == 7 and d["b"] == 3`,
		"assert (7, 'x') == (d['a'], d['b'])":                                        `assert d["a"] == 7 and d["b"] == "x"`,
		"assert (d['a'], d['b']) != (7, 3)":                                          `assert not (d["a"] == 7 and d["b"] == 3)`,
		"assert (d['a'], d['b']) == (7, 3, 1)":                                       "not: a tuple compared with something else is not known",
		"assert d['a'] == (7, 3)":                                                    "not: a tuple compared with something else is not known",
		"assert d['a'] in (7, 3)":                                                    `assert d["a"] in (7, 3)`,
		"assert sorted(d['l']) == d['l']":                                            `assert d["l"] == sorted(d["l"])`,
		"l = [x['n'] for x in d['l']]\n    assert l == sorted(l)":                    "assert l == sorted(l)",
		"assert d['l'] == sorted(d['m'])":                                            `assert d["l"] == sorted(d["m"])`,
		"assert d['l'] == sorted(d['l'], reverse=True)":                              `assert d["l"] == sorted(d["l"], reverse=True)`,
		"assert max(d['l'], key=lambda x: x['n'])['id'] == 1":                        `assert max(d["l"], key=lambda x: x["n"])["id"] == 1`,
		"assert min(d['l'], key=itemgetter('n'))['id'] == 1":                         `assert min(d["l"], key=lambda element: element["n"])["id"] == 1`,
		"assert sorted(d['l'], key=lambda x: x['n'], reverse=True)[1]['id'] == 1":    `assert sorted(d["l"], key=lambda x: x["n"], reverse=True)[1]["id"] == 1`,
		"assert min(x['n'] for x in d['l']) == 1":                                    `assert min([x["n"] for x in d["l"]]) == 1`,
		"assert max(d['l'], key=weight)['id'] == 1":                                  "not: named arguments is not known",
		"assert max(d['l'], default=1) == 1":                                         "not: named arguments is not known",
		"assert max(d['n'], 3) == 1":                                                 "not: the function max is not known",
		"a, *b, c = d['l']\n    assert c == 1":                                       `assert c == 1`,
		"a, *b, c = d['l']\n    assert d['l'][-1] == 1":                              `assert c == 1`,
		"a, *b = d['l']\n    assert b == [1]":                                        `assert b == [1]`,
		"assert d['o'].keys() == {'a', 'b'}":                                         `assert (isinstance(d["o"], dict) and len(d["o"]) == 2 and "a" in d["o"] and "b" in d["o"])`,
		"assert set(x['n'] for x in d['l']) == {1}":                                  `assert all([x["n"] in (1,) for x in d["l"]]) and 1 in [x["n"] for x in d["l"]]`,
		"assert set(d['o']) == {'a'}":                                                `assert (isinstance(d["o"], dict) and len(d["o"]) == 1 and "a" in d["o"] if isinstance(d["o"], dict) else all([element in ("a",) for element in d["o"]]) and "a" in [element for element in d["o"]])`,
		"a, *rest = d['l']\n    assert len(rest) == 1":                               `assert len(rest) == 1`,
		"a, *rest = d['l']\n    assert rest[1]['n'] == 1":                            `assert d["l"][2]["n"] == 1`,
		"a, *rest = d['l']\n    assert rest[-1] == 1":                                "assert rest[-1] == 1",
		"a, *rest, b = d['l']\n    assert len(rest) == 1":                            "not: the rest of a list is not known",
		"a, *rest = d['l']\n    for x in rest:\n        assert x['n'] == 1":          `assert x["n"] == 1`,
		"for x in d['l']:\n        n = x['n']\n        assert n > 1":                 "assert n > 1",
		"for x in d['l']:\n        n = x['n']\n    assert n > 1":                     "not: the variable of a loop is not known",
		"assert d['t'][-2:] == 'ab'":                                                 `assert d["t"][-2:] == "ab"`,
		"assert sum(x['n'] for x in d['l']) == 3":                                    `assert sum([x["n"] for x in d["l"]]) == 3`,
		"by = {x['id']: x['n'] for x in d['l']}\n    assert by[7] == 1":              `assert [x["n"] for x in d["l"] if x["id"] == 7][-1] == 1`,
		"by = {x['id']: x['n'] for x in d['l']}\n    assert by == {}":                "not: an object that is made of a list is not known",
		"assert {k: v for k, v in d.items() if k in ('a', 'b')} == {'a': 1, 'b': 2}": `assert {"a": d["a"], "b": d["b"]} == {"a": 1, "b": 2}`,
		"assert {k: v for k, v in d.items() if k not in ('a',)} == {'b': 2}":         "not: an object that is made of a list is not known",
		"assert {k: d[k] for k in ['a', 'b']} == {'a': 1, 'b': 2}":                   `assert {"a": d["a"], "b": d["b"]} == {"a": 1, "b": 2}`,
		"assert uuid.UUID(d['id'])":                                                  `assert re.fullmatch(r"(?:urn:)?(?:uuid:)?\{?(?:-*[0-9a-fA-F]){32}-*\}?", d["id"])`,
		"assert uuid.UUID(d['id']) == uuid.UUID(d['id'])":                            "not: the method UUID is not known",
		"assert uuid.UUID(d['id']).version == 4":                                     "not: the attribute version is not known",
		"assert_that(d['n']).is_equal_to(1)":                                         `assert d["n"] == 1`,
		"assert_that(d['l']).is_length(2).contains('a')":                             `assert len(d["l"]) == 2 and "a" in d["l"]`,
		"assert_that(d['l']).is_empty()":                                             `assert len(d["l"]) == 0`,
		"assert_that(d['t']).is_not_none().starts_with('a')":                         `assert d["t"] is not None and d["t"].startswith("a")`,
		"assert_that(d['l']).contains('a', 'b')":                                     "not: the assertion assert_that is not known",
		"assert_that(d['l'], equal_to(1))":                                           "not: the assertion assert_that is not known",
		"assert c.delete('/b').status_code == 204":                                   "answer = c.delete('/b')\n    assert answer.status_code == 204",
		"assert c.get(f'/b/{d[\"id\"]}').json()['n'] == 1":                           "answer = c.get(f'/b/{d[\"id\"]}')\n    assert answer.json()[\"n\"] == 1",
		"self.assertEqual(c.get('/b').status_code, 404)":                             "answer = c.get('/b')\n    self.assertTrue(answer.status_code == 404)",
		"assert d['n'] == 1 or c.get('/b').ok":                                       "not: it sends a request itself",
		"assert c.get('/b').json() == c.get('/c').json()":                            "not: it sends a request itself",
		"with urllib.request.urlopen('http://x/b') as u:\n        b = json.loads(u.read())\n    assert b['n'] == 1": `assert b["n"] == 1`,
		"u = urlopen('http://x/b')\n    b = json.load(u)\n    assert b['n'] == 1":                                   `assert b["n"] == 1`,
	} {
		s := wrote(t, "def test_it(self, c):\n    d = c.get('/a').json()\n    "+body+"\n")
		test := s.Tests[0]
		if len(test.Assertions) != 1 {
			t.Errorf("%s\n%d assertions", body, len(test.Assertions))
			continue
		}
		a := test.Assertions[0]
		got := "not: " + a.Reason
		if a.Reason == "" {
			got, _ = s.Writer.Assert(s, test, a, a.Meaning)
		}
		if got = strings.NewReplacer("(\n        ", "(", "\n    )", ")", "\n        ", " ").Replace(got); got != want {
			t.Errorf("%s\n got %s\nwant %s", body, got, want)
		}
	}
}

// An assertion that sends a request and is commented out sends it still.
func TestWrittenRequestsStay(t *testing.T) {
	const text = "def test_it(c):\n    assert c.delete('/b').status_code == 204\n"
	s := wrote(t, text)
	a := s.Tests[0].Assertions[0]
	out := text
	edits := s.Writer.Disable(s, a)
	for i := range edits {
		e := edits[len(edits)-1-i]
		out = out[:e.Start] + e.Text + out[e.End:]
	}
	if !strings.HasSuffix(out, "== 204\n    c.delete('/b')\n") || !strings.Contains(out, "    # ") {
		t.Errorf("%s", out)
	}
}

// Requests of a line with several statements are sent one after the other.
func TestStatementsOfOneLine(t *testing.T) {
	s, err := script.ReadAmong(Written(), "test_it.py", []byte(`import requests

def add(text, tags=()):
    return requests.post("http://a/notes", json={"text": text, "tags": list(tags)})

def test_list():
    add("a"); n = add("b").json()
    assert n["text"] == "b"
`), func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range s.Tests[0].Calls {
		got = append(got, c.Method+" "+c.Body)
	}
	if len(got) != 2 || got[0] != `POST {"tags":[],"text":"a"}` || got[1] != `POST {"tags":[],"text":"b"}` {
		t.Errorf("the test sends %q", got)
	}
	if a := s.Tests[0].Assertions; len(a) != 1 || a[0].Call != 1 || a[0].Place != "/body/text" {
		t.Errorf("it asserts %+v", a)
	}
}
