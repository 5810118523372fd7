package python

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/flaketap/flaketap/internal/testbed/onecall"
	"github.com/flaketap/flaketap/suite/script"
)

// FuzzWritten follows what is no suite, or a damaged one.
func FuzzWritten(f *testing.F) {
	for _, file := range []string{"../../cmd/flaketap/testdata/written/test_shop.py", "testdata/written.py"} {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("def a(*x, **y):\n    return b(*x, **y)\ndef b(*x):\n    return a(x)\ndef test_a(c):\n    x = a(1)\n    r = c.get(f'/{x}')\n    x = [x, x]\n    assert r.json()[x] == [y for y in r.json()]\n"))
	f.Fuzz(func(t *testing.T, data []byte) { onecall.Damaged(t, Written(), "t.py", data) })
}

// FuzzRead reads what is no suite, or a damaged one: what is read stands within the file, and can be written and commented out.
func FuzzRead(f *testing.F) {
	f.Add([]byte("import requests\nimport unittest\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        res_0 = requests.get(self.baseUrlOfSut + \"/a\")\n        assert res_0.status_code == 200\n        assert res_0.json()[\"a\"][0] in (1, 2) or not isinstance(res_0.json(), dict)\n"))
	f.Fuzz(func(t *testing.T, data []byte) { onecall.Damaged(t, Dialect(), "t.py", data) })
}

// FuzzReadSnapshots reads a file and the snapshots beside it.
func FuzzReadSnapshots(f *testing.F) {
	f.Add([]byte("class TestA:\n    def test_a(self, snapshot):\n        r = requests.get('/a').json()\n"+
		"        assert r == snapshot(exclude=paths('y'), matcher=path_type({'x': (str,)})) and r['y'] > 1, 'no'\n"+
		"        assert snapshot == {'a': r['b']}\n        snapshot.assert_match(r)\n"),
		[]byte("# serializer version: 1\n# name: TestA.test_a\n  dict({\n    'x': str,\n    'z': list([\n      1,\n    ]),\n  })\n# ---\n"+
			"# name: TestA.test_a.1\n  dict({\n    'a': None,\n  })\n# ---\n# name: TestA.test_a.2\n  1\n# ---\n"))
	f.Fuzz(func(t *testing.T, data, beside []byte) {
		d := Written()
		read := d.Read
		d.Read = func(s *script.Script) (script.Writer, error) {
			s.Beside = func(path string) (string, bool) {
				return string(beside), strings.HasSuffix(path, ".ambr") && utf8.Valid(beside)
			}
			return read(s)
		}
		onecall.Damaged(t, d, "test_a.py", data)
	})
}

// FuzzReadAmong reads a file among others that are all the same.
func FuzzReadAmong(f *testing.F) {
	f.Add([]byte("from .a import x\nimport b\nclass T(x.B):\n    def test_a(self):\n        r = b.c.get(x('/a'))\n        assert r.ok\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := script.ReadAmong(Written(), "t/t.py", data, func(string) (string, bool) { return string(data), true })
		if err == nil && len(s.Tests) == 0 {
			t.Error("a suite without tests")
		}
	})
}
