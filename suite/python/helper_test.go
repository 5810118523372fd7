package python

import "testing"

// What a function asserts under an if is part of what its call asserts where what it is given decides the if, and is
// not known where an answer does.
func TestHelpersThatAssertUnderAnIf(t *testing.T) {
	const optional = "    assert r.status_code == 404\n    if message:\n        assert r.json()['message'] == message\n"
	for name, tt := range map[string]struct{ function, call, want string }{
		"given":          {optional, "wants(r, 'gone')", `assert r.status_code == 404 and r.json()["message"] == "gone"`},
		"left out":       {optional, "wants(r)", `assert r.status_code == 404`},
		"given nothing":  {optional, "wants(r, '')", `assert r.status_code == 404`},
		"not none":       {"    if message is not None:\n        assert r.text == message\n", "wants(r, '')", `assert r.text == ""`},
		"an answer":      {"    assert r.status_code == 404\n    if r.text:\n        assert r.text == 'a'\n", "wants(r)", ""},
		"an else":        {"    if message:\n        assert r.text == message\n    else:\n        assert r.ok\n", "wants(r, 'a')", ""},
		"a return in it": {"    if r.ok:\n        return\n    assert r.text == 'a'\n", "wants(r)", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := wrote(t, "def wants(r, message=None):\n"+tt.function+"\n\ndef test_it(c):\n    r = c.get('/a')\n    "+tt.call+"\n")
			got, listed := "", false
			for _, a := range s.Tests[0].Assertions {
				listed = listed || a.Reason != ""
				if a.Text == tt.call && a.Reason == "" {
					got, _ = s.Writer.Assert(s, s.Tests[0], a, a.Meaning)
				}
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if listed != (tt.want == "") {
				t.Errorf("listed as not understood: %v", listed)
			}
		})
	}
}
