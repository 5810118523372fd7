package python

import (
	"fmt"
	"testing"
)

// Behind a loop that waits for something a name is what the last answer gave it, where each turn gives it one; nothing
// is known of it where a turn, or the loop, may not.
func TestPolls(t *testing.T) {
	const unclear = "the attribute status_code is not known"
	for _, tt := range []struct{ name, body, want string }{
		{"for", "for _ in range(9):\n        r = c.get('/a')\n        if r.ok:\n            break", "equal /status 200, last"},
		{"while", "r = None\n    while r is None or r.status_code == 202:\n        r = c.get('/a')", "equal /status 200, last"},
		{"for ever", "r = c.get('/b')\n    while True:\n        r = c.get('/a')\n        if r.ok:\n            break", "equal /status 200, last"},
		{"by a function", "def got():\n        x = c.get('/a')\n        return x\n    for _ in range(9):\n        r = got()", "equal /status 200, last"},
		{"by a function, maybe", "def got():\n        x = c.get('/a')\n        return x\n    if c:\n        r = got()", unclear},
		{"by a function that may have it of before", "def got():\n        x = c.get('/a')\n        if c:\n            x = c.get('/b')\n        return x\n    for _ in range(9):\n        r = got()", unclear},
		{"a turn that is not all", "for _ in range(9):\n        x = c.get('/a')\n        if x.ok:\n            r = x", unclear},
		{"left before", "for _ in range(9):\n        x = c.get('/a')\n        if x.ok:\n            break\n        r = x", unclear},
		{"caught", "for _ in range(9):\n        try:\n            r = c.get('/a')\n        except OSError:\n            pass", unclear},
		{"no turn, maybe", "r = c.get('/a')\n    while r.status_code == 202:\n        r = c.get('/b')", unclear},
		{"of the turn before", "x = c.get('/a')\n    for _ in range(9):\n        r = x\n        x = c.get('/a')", unclear},
	} {
		s := wrote(t, "def test_it(c):\n    "+tt.body+"\n    assert r.status_code == 200\n")
		test := s.Tests[0]
		a := test.Assertions[len(test.Assertions)-1]
		got := a.Reason
		if got == "" {
			got = fmt.Sprintf("%s %s %s", a.Relation, a.Place, a.Value)
		}
		for _, c := range test.Calls {
			if c.Last && a.Reason == "" {
				got += ", last"
			}
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
