package mend

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/results"
)

// A file of which no test ran is left as it is: what another file's tests were answered is no answer to its own.
func TestFilesThatNeverRanStay(t *testing.T) {
	const test = "import requests\n\ndef test_NAME():\n    r = requests.get('http://127.0.0.1:8080/a')\n    assert r.json()['n'] == 1\n"
	source := recorded("GET", "/a", answer(200, `{"n": 1}`), answer(200, `{"n": 2}`))
	third := &exchange.Observation{Run: 2, Seq: 1, Response: answer(200, `{"n": 3}`)}
	source.Steps[0].Observations = append(source.Steps[0].Observations, third)
	for _, tt := range []struct {
		name, other string
		ran         []results.ID
		want        string // the files that are changed
	}{
		{"nothing is known", "two", nil, "test_one.py test_two.py"},
		{"one ran", "two", []results.ID{{Suite: "test_one", Name: "test_one"}}, "test_one.py"},
		{"both ran", "two", []results.ID{{Suite: "a.test_one", Name: "test_one[x]"}, {Suite: "test_two", Name: "test_two"}}, "test_one.py test_two.py"},
		{"no name is known", "two", []results.ID{{Suite: "test_one", Name: "it works"}}, "test_one.py test_two.py"},
		{"one ran of two names that are the same", "one", []results.ID{{Suite: "a.test_one.TestIt", Name: "test_one"}}, "test_one.py"},
		{"the runner names no module", "one", []results.ID{{Name: "test_one"}}, "test_one.py test_two.py"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := []File{{Path: "test_one.py", Name: "test_one.py", Data: []byte(strings.Replace(test, "NAME", "one", 1))},
				{Path: "test_two.py", Name: "test_two.py", Data: []byte(strings.Replace(test, "NAME", tt.other, 1))}}
			r := New(files, Options{Source: source, Ran: tt.ran})
			var changed []string
			for i, f := range r.Patch() {
				if string(f.Data) != string(files[i].Data) {
					changed = append(changed, f.Name)
				}
			}
			if got := strings.Join(changed, " "); got != tt.want {
				t.Errorf("changed are %s, want %s", got, tt.want)
			}
			if said := strings.Contains(r.Summary(), "of which no test ran"); said != (len(changed) == 1) {
				t.Error(r.Summary())
			}
		})
	}
}
