package flaky

import (
	"fmt"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/results"
)

// Where no line is known to have failed, the test's own lines tell which places it looks at, in any language.
func TestBodiesName(t *testing.T) {
	const python = "def helper():\n    return x['ref']\n\ndef test_order(a):\n    ref = r['ref']\n    assert r.json()['ref'] == 'x'\n\n\ndef test_other():\n    assert r['total'] == 3\n"
	const golang = "func TestOrder(t *testing.T) {\n\tif o.Ref != \"x\" {\n\t}\n}\n\nfunc TestOther(t *testing.T) {\n\tif o.Total != 3 {\n"
	const jest = "describe('orders', () => {\n  it(\"has a ref\", async () => {\n    expect(o.ref).toBe('x');\n  });\n  test('other', () => { expect(o.total) });\n"
	const java = "  @Test\n  void order() {\n    assertEquals(\"x\", o.ref());\n  }\n  @Test\n  void other() {\n    assertEquals(3, o.total());\n"
	for _, tt := range []struct {
		file, source, test string
		place              exchange.Place
		want               string
	}{
		{"a.py", python, "tests/a.py::test_order[1-x]", "/body/ref", "a.py:6"},
		{"a.py", python, "test_order", "/body/total", ""},
		{"a.py", python, "test_other", "/body/total", "a.py:10"},
		{"a.py", python, "test_none", "/body/total", ""},
		{"a_test.go", golang, "TestOrder", "/body/ref", "a_test.go:2"},
		{"a_test.go", golang, "TestOrder", "/body/total", ""},
		{"a.test.js", jest, "orders has a ref", "/body/ref", "a.test.js:3"},
		{"a.test.js", jest, "orders has a ref", "/body/total", ""},
		{"ATest.java", java, "order()", "/body/ref", "ATest.java:3"},
		{"ATest.java", java, "order()", "/body/total", ""},
	} {
		in := &Input{Sources: []SourceFile{{tt.file, []byte(tt.source)}, {"else.txt", []byte("nothing")}}}
		got := ""
		if l, ok := naming(in.body(&Test{ID: results.ID{Name: tt.test}}), tt.place); ok {
			got = fmt.Sprint(l.file, ":", l.line)
		}
		if got != tt.want {
			t.Errorf("%s of %s names %s in %q, want %q", tt.test, tt.file, tt.place, got, tt.want)
		}
		in.Sources[1] = SourceFile{"copy/" + tt.file, []byte(tt.source)}
		if body := in.body(&Test{ID: results.ID{Name: tt.test}}); body != nil {
			t.Errorf("%s stands in two files, and is taken from %s", tt.test, body[0].file)
		}
	}
}
