package suite

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// An assertion on a time that the test measures is said to be one, in each language; what compares a time of an answer
// is judged by that.
func TestMeasuredTimes(t *testing.T) {
	const python = "import requests, time\n\ndef test_it():\n    began = time.time()\n    r = requests.get('http://a/x0')\n    "
	const jest = "it('a', async () => {\n  const began = Date.now();\n  const r = await fetch('http://a/x0');\n  "
	for _, tt := range []struct {
		file, text string
		measured   bool
	}{
		{"test_it.py", python + "assert time.time() - began < 2\n", true},
		{"test_it.py", python + "elapsed = time.time() - began\n    assert elapsed < 2\n", true},
		{"test_it.py", python + "assert r.elapsed.total_seconds() < 2\n", true},
		{"test_it.py", python + "assert r.json()['elapsed'] < 2\n", false},
		{"test_it.py", python + "assert unknown < 2\n", false},
		{"test_it.py", python + "assert elapsed(r) == 'x'\n", false},
		{"a.test.js", jest + "expect(Date.now() - began).toBeLessThan(500);\n});\n", true},
		{"a.test.js", jest + "expect(count(r)).toBeLessThan(500);\n});\n", false},
	} {
		s, err := Read(tt.file, []byte(tt.text))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Tests[0].Assertions[0].Reason; (got == timeMeasured) != tt.measured {
			t.Errorf("%s: %q", tt.text, got)
		}
	}
}

// What makes no claim about one place says where it looks, and what it saw there.
func TestCommentsNamePlaces(t *testing.T) {
	const text = "import requests\n\ndef test_it():\n    r = requests.get('http://a/x0')\n    assert r.json()['took'] < 20\n"
	src := Source{Steps: []exchange.Step{stepOf(1, "/x0", replies(`{"took":7}`, `{"took":19}`, `{"took":31}`))}}
	p, err := Patch("test_it.py", []byte(text), src, PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if want := "flaketap: /body/took: as written; failed in 1 of 3, seen 31; Unk"; !strings.Contains(string(p.Data), want) {
		t.Errorf("got\n%s\nwant %s", p.Data, want)
	}
}
