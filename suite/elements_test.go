package suite

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// What is asserted of each element of a list, of a piece of one, or of members that are picked, is weakened to what
// holds of all of them.
func TestElements(t *testing.T) {
	const body = `{"a":1,"b":NUMBER,"l":[{"id":1,"n":NUMBER},{"id":2,"n":NUMBER}]}`
	var rs []*exchange.Response
	for _, n := range []string{"17", "45", "82"} {
		rs = append(rs, reply(200, jsonType, strings.ReplaceAll(body, "NUMBER", n)))
	}
	src := Source{Steps: []exchange.Step{stepOf(1, "/a", rs)}}
	const python = "import requests\n\ndef test_it():\n    d = requests.get(base + '/a').json()\n    "
	const jest = "it('t', async () => {\n  const d = (await axios.get('http://h/a')).data;\n  "
	for _, tt := range []struct{ file, text, want string }{
		{"test_it.py", "for x in d['l']:\n        assert x['n'] < 50\n", "        assert isinstance(x[\"n\"], int)\n"},
		{"test_it.py", "assert sum(x['n'] for x in d['l']) == 34\n", `isinstance(sum([x["n"] for x in d["l"]]), int)`},
		{"test_it.py", "assert {k: v for k, v in d.items() if k in ('a', 'b')} == {'a': 1, 'b': 17}\n",
			`assert d["a"] == 1 and isinstance(d["b"], int)`},
		{"a.test.js", "for (const x of d.l) {\n    expect(x.n).toBeLessThan(50);\n  }\n});\n",
			"    expect(Number.isInteger(x.n)).toBe(true);\n"},
		{"a.test.js", "expect(d.l.slice(0, 2).map((x) => x.id)).toEqual([2, 1]);\n});\n", "[...d.l.slice(0, 2).map((x) => x.id)].sort()).toEqual([1, 2]);"},
		{"test_it.py", "first, *_, last = d['l']\n    assert last['n'] == 17\n", `assert isinstance(last["n"], int)`},
		{"test_it.py", "assert max(d['l'], key=lambda x: x['n'])['n'] == 17\n", `assert isinstance(max(d["l"], key=lambda x: x["n"])["n"], int)`},
		{"test_it.py", "assert sorted(d['l'], key=lambda x: -x['id'])[0]['id'] == 1\n", `assert 1 in [e["id"] for e in d["l"]]`},
		{"test_it.py", "assert any(x['n'] == 17 for x in d['l'])\n", `assert all([isinstance(x["n"], int) for x in d["l"]])`},
		{"a.test.js", "expect(Math.max(...d.l.map((x) => x.n))).toBe(17);\n});\n",
			"expect(Number.isInteger(Math.max(...d.l.map((x) => x.n)))).toBe(true);"},
		{"a.test.js", "expect(d.l.find((x) => x.id === 2)).toEqual(expect.objectContaining({ n: 17 }));\n});\n",
			"expect(Number.isInteger(d.l.filter((x) => x.id === 2)[0].n)).toBe(true);"},
	} {
		text := python + tt.text
		if strings.HasSuffix(tt.file, "js") {
			text = "const axios = require('axios');\n\n" + jest + tt.text
		}
		p, err := Patch(tt.file, []byte(text), src, PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(p.Data), tt.want) {
			t.Errorf("got\n%s\nwant %s", p.Data, tt.want)
		}
	}
}

// Of two elements with one key, an object that is made of a list has the last.
func TestLastOfAKeyCounts(t *testing.T) {
	rs := replies(`{"l":[{"id":1,"n":3},{"id":1,"n":4}]}`, `{"l":[{"id":1,"n":5},{"id":1,"n":4}]}`)
	const text = "import requests\n\ndef test_it():\n    d = requests.get(base + '/a').json()\n" +
		"    by = {x['id']: x['n'] for x in d['l']}\n    assert by[1] == 4\n"
	p, err := Patch("test_it.py", []byte(text), Source{Steps: []exchange.Step{stepOf(1, "/a", rs)}}, PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if string(p.Data) != text {
		t.Errorf("got\n%s", p.Data)
	}
}
