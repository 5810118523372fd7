package python

import (
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// What gives the body of an answer is asked for again until that is ready, whatever the function that gives it calls the
// answer: not where that body does not tell.
func TestPollsWhatIsGiven(t *testing.T) {
	const head = "import json, urllib.request\n\n\ndef job_of(c, id):\n    r = c.get(f\"/jobs/{id}\")\n    assert r.status_code == 200\n    return r.json()\n\n\n" +
		"class TestIt:\n    def setup_method(self):\n        self.made = None\n\n    def test_it(self, c):\n        "
	for _, tt := range []struct{ read, name, want string }{
		{"r = job_of(c, 7)", "r", "r = poll_for(\n            lambda: job_of(c, 7),\n"},
		{"self.made = job_of(c, 7)", "self.made", "self.made = answer\n"},
		{"r = json.load(urllib.request.urlopen(BASE + \"/jobs/7\"))", "r", "lambda: json.load(urllib.request.urlopen(BASE + \"/jobs/7\")),\n"},
		{"r = job_of(c, 7)[\"of\"]", "r", "r = answer[\"of\"]\n"},
		{"r = c and job_of(c, 7)", "r", ""},
	} {
		s := wrote(t, head+tt.read+"\n        assert "+tt.name+"[\"state\"] == \"done\"\n")
		test := s.Tests[0]
		c := test.Calls[0]
		state := expr.Expr(expr.Index{X: expr.Answer{Var: c.Var, Part: expr.JSON}, I: expr.Str{Value: "state"}})
		status := expr.Cmp(expr.Answer{Var: c.Var, Part: expr.Status}, expr.Eq, expr.Int(200))
		w := script.Wait{Call: c, Ready: expr.AllOf(status, expr.Same(state, expr.Str{Value: "done"})),
			Body: expr.Same(state, expr.Str{Value: "done"}), Atmost: 2 * time.Second, Every: 20 * time.Millisecond, Comment: "hm"}
		text := script.Apply(s.Text, s.Writer.Poll(s, test, w))
		if tt.want == "" && text != s.Text || !strings.Contains(text, tt.want) || strings.Contains(text, "lambda answer") {
			t.Errorf("%s becomes\n%s", tt.read, text)
		}
		w.Ready, w.Body = status, nil
		if edits := s.Writer.Poll(s, test, w); len(edits) > 0 {
			t.Errorf("%s is asked for the status that it does not have", tt.read)
		}
		if tt.want == "" {
			continue
		}
		again := wrote(t, text).Tests[0]
		last := again.Assertions[len(again.Assertions)-1]
		if c := again.Calls[0]; !c.Many || !c.Last || len(again.Calls) != 1 || last.Reason != "" || !last.Place.Within("/body") {
			t.Errorf("read again: %+v, %+v\n%s", c, last, text)
		}
	}
}
