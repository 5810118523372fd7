package python

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/script"
)

// A test is followed with each of the values that its file lists; where something else says how it runs, nothing is
// known of what it compares with.
func TestCases(t *testing.T) {
	const body = "def test_it(c, path, n):\n    r = c.get(path)\n    assert r.json()['n'] == n\n"
	const known, several = `GET /a GET /b: assert r.json()["n"] == n`, "GET ?: not: the test runs with several values"
	for decorators, want := range map[string]string{
		"@pytest.mark.parametrize('path,n', [('/a', 1), ('/b', 2)])":                                     known,
		"@pytest.mark.parametrize(['path', 'n'], [('/a', 1), ('/b', 2)], ids=['x', 'y'])":                known,
		"@pytest.mark.parametrize('path, n', [('/a', 'x'), pytest.param('/b', 'y', id='b')])":            known,
		"LIST = [('/a', 1), ('/b', 2)]\n\n@pytest.mark.parametrize('path, n', LIST)":                     known,
		"@pytest.mark.parametrize('path,n', [('/a', 1), ('/b', 1)])":                                     `GET /a GET /b: assert r.json()["n"] == 1`,
		"@pytest.mark.parametrize('path,n', [('/a', 1), pytest.param('/b', 2, marks=pytest.mark.skip)])": several,
		"@pytest.mark.parametrize('path,n', [('/a', 1), ('/b', 2)], indirect=True)":                      several,
		"@pytest.mark.parametrize('path', ['/a', '/b'])\n@pytest.mark.parametrize('n', [1, 2])":          several,
		"@pytest.mark.parametrize('path,n', [('/a', 1), ('/b',)])":                                       several,
		"@pytest.mark.parametrize('path,n', [*MORE])":                                                    several,
		"@pytest.mark.parametrize('path,n', rows())":                                                     several,
		"LIST = [('/a', 1)]\nLIST = [('/b', 2)]\n\n@pytest.mark.parametrize('path, n', LIST)":            several,
		"@given(text())\n@pytest.mark.parametrize('path,n', [('/a', 1), ('/b', 2)])":                     several,
		"@pytest.mark.parametrize('path,n', [('/a', 1), ('/b', other())])":                               "GET /a GET /b: not: the test runs with several values",
		"@pytest.fixture(params=[1, 2])\ndef c(request):\n    return request.param\n\n" +
			"@pytest.mark.parametrize('path,n', [('/a', 1), ('/b', 2)])": several,
		"@pytest.fixture(params=[1, 2])\ndef kind(request):\n    return request.param\n\n@pytest.fixture\ndef c(kind):\n    return kind\n\n" +
			"@pytest.mark.parametrize('path,n', [('/a', 1), ('/b', 2)])": several,
		"@pytest.fixture(autouse=True, params=[1, 2])\ndef kind(request):\n    pass\n\n" +
			"@pytest.mark.parametrize('path,n', [('/a', 1), ('/b', 2)])": several,
	} {
		s, err := script.Read(Written(), "test_it.py", []byte(decorators+"\n"+body))
		if err != nil {
			if !strings.Contains(want, "GET ?") {
				t.Errorf("%s: %v", decorators, err)
			}
			continue
		}
		var calls []string
		for _, c := range s.Tests[0].Calls {
			calls = append(calls, c.Method+" "+c.Target)
		}
		a := s.Tests[0].Assertions[0]
		got := strings.Join(calls, " ") + ": not: " + a.Reason
		if a.Understood() {
			text, _ := s.Writer.Assert(s, s.Tests[0], a, a.Meaning)
			got = strings.Join(calls, " ") + ": " + text
		}
		if got != want {
			t.Errorf("%s\ngot  %s\nwant %s", decorators, got, want)
		}
	}
}

// What the values of a run decide is followed as they do; what is asserted in some of the runs alone is not said of all.
func TestCasesDecide(t *testing.T) {
	for body, want := range map[string]string{
		"if n == 2:\n        assert r.json()['n'] == 7":                     `assert r.json()["n"] == 7`,
		"if n == 2:\n        assert r.json()['n'] == n":                     `assert r.json()["n"] == 2`,
		"if r.ok:\n        assert r.json()['n'] == n":                       "not: it is inside a condition",
		"if n == 2:\n        pass\n    else:\n        assert r.text == 'a'": "not: it is inside a condition",
		"n += 1\n    assert r.json()['n'] == n":                             "not: the test runs with several values",
		"n = 3\n    assert r.json()['n'] == n":                              `assert r.json()["n"] == 3`,
		"d = r.json()\n    assert d['n'] == n and d['m'] != n":              `assert d["n"] == n and d["m"] != n`,
		"d = r.json()\n    assert d == {'n': n, 'one': 9}":                  `"n": n`,
		"assert [x['n'] for x in r.json()['all']] == [n]":                   `== [n]`,
	} {
		s := wrote(t, "@pytest.mark.parametrize('n', [1, 2])\ndef test_it(c, n):\n    r = c.get(f'/a/{n}')\n    "+body+"\n")
		a := s.Tests[0].Assertions[0]
		got := "not: " + a.Reason
		if a.Understood() {
			got, _ = s.Writer.Assert(s, s.Tests[0], a, a.Meaning)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s\ngot  %s\nwant %s", body, got, want)
		}
	}
}
