package python

import (
	"os"
	"testing"

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
	f.Fuzz(func(t *testing.T, data []byte) { readsWithin(t, Written(), data) })
}

// FuzzRead reads what is no suite, or a damaged one: what is read stands within the file, and can be written and commented out.
func FuzzRead(f *testing.F) {
	f.Add([]byte("import requests\nimport unittest\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        res_0 = requests.get(self.baseUrlOfSut + \"/a\")\n        assert res_0.status_code == 200\n        assert res_0.json()[\"a\"][0] in (1, 2) or not isinstance(res_0.json(), dict)\n"))
	f.Fuzz(func(t *testing.T, data []byte) { readsWithin(t, Dialect(), data) })
}

// readsWithin reads a file: what is found in it stands within it.
func readsWithin(t *testing.T, d script.Dialect, data []byte) {
	t.Helper()
	s, err := script.Read(d, "t.py", data)
	if err != nil {
		return
	}
	for _, test := range s.Tests {
		for _, a := range test.Assertions {
			if a.At.Start < 0 || a.At.End < a.At.Start || a.At.End > len(s.Text) {
				t.Fatalf("%s stands at %+v of %d bytes", a.Text, a.At, len(s.Text))
			}
			for _, e := range s.Writer.Disable(s, a) {
				if e.Start < 0 || e.End < e.Start || e.End > len(s.Text) {
					t.Fatalf("%s is commented out by %+v of %d bytes", a.Text, e, len(s.Text))
				}
			}
			if a.Meaning != nil {
				s.Writer.Assert(s, test, a, a.Meaning)
			}
		}
	}
}
