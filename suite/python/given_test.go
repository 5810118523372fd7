package python

import (
	"testing"

	"github.com/flaketap/flaketap/suite/expr"
)

// What a test gives a name stands for the same whatever is evaluated first: a parenthesis behind a word is no call, and
// no name of the file comes to stand for a call.
func TestGivenAName(t *testing.T) {
	const answers = "answer = c.get(\"/a\")\n    flaketap_answer = c.get(\"/b\")\n    "
	for _, tt := range []struct{ body, asserted, means string }{
		{"", "r.status_code in (200, 201)", ""},
		{"ok = r.status_code in (200, 201)", "ok", "r.status_code in (200, 201)"},
		{"ok = r.status_code not in (200, 201)", "ok", "r.status_code not in (200, 201)"},
		{"ok = not (r.status_code) == 500", "ok", "not r.status_code == 500"},
		{"ok = r.json()[\"n\"] is (None)", "ok", "r.json()[\"n\"] is None"},
		{answers + "other = c.get(\"/c\")", "flaketap_answer.status_code == 200", ""},
		{answers + "other = c.get(\"/c\").json()", "answer.status_code == 200", ""},
		{"a, b = c.get(\"/a\"), c.get(\"/b\")", "b.status_code == 200", ""},
		{"def of(path):\n        return c.get(path).json()\n    n = of(\"/a\")[\"n\"] + of(\"/b\")[\"n\"]", "n == 3", ""},
		{"n = (await c.get(\"/a\")).json()[\"n\"]", "n == 3", ""},
	} {
		meaning := func(asserted string) expr.Expr {
			s := wrote(t, "def test_it(c):\n    r = c.get(\"/\")\n    "+tt.body+"\n    assert "+asserted+"\n")
			a := s.Tests[0].Assertions[0]
			if a.Meaning == nil {
				t.Errorf("%s, %s: %s", tt.body, asserted, a.Reason)
			}
			return a.Meaning
		}
		got := meaning(tt.asserted)
		if tt.means != "" && !expr.Identical(got, meaning(tt.means)) {
			t.Errorf("%s: %v", tt.body, got)
		}
	}
}
