package suite

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// TestUnorderedArraysStayMultisets: what asserts an array whose elements come in any order says how often each is there.
func TestUnorderedArraysStayMultisets(t *testing.T) {
	const numbers, objects = `pm.expect(pm.response.json().a).to.eql([1,1,2]);`, `pm.expect(pm.response.json().a).to.eql([{k: "x"}, {k: "y"}]);`
	for _, tt := range []struct {
		name, file, line string
		seen             []*exchange.Response
		want             string
	}{
		{"another order", "c.json", numbers, replies(`{"a":[1,2,1]}`, `{"a":[2,1,1]}`), `pm.expect(pm.response.json().a).to.have.members([1, 1, 2]);`},
		{"objects", "c.json", objects, replies(`{"a":[{"k":"y"},{"k":"x"}]}`, `{"a":[{"k":"x"},{"k":"y"}]}`), `pm.expect(pm.response.json().a).to.have.deep.members([{"k": "x"}, {"k": "y"}]);`},
		{"each as often otherwise", "c.json", numbers, replies(`{"a":[1,2,1]}`, `{"a":[2,2,1]}`), `pm.expect(pm.response.json().a).to.include(1); pm.expect(pm.response.json().a).to.include(2);`},
		{"as it was", "c.json", `pm.expect(pm.response.json().a).to.have.members([1,1,2]);`, replies(`{"a":[1,2,1]}`, `{"a":[2,1,1]}`), `pm.expect(pm.response.json().a).to.have.members([1,1,2]);`},
		{"as it was, in depth", "c.json", `pm.expect(pm.response.json().a).to.have.deep.members([{k: 1}, {k: 1}]);`, replies(`{"a":[{"k":1},{"k":1}]}`), `pm.expect(pm.response.json().a).to.have.deep.members([{k: 1}, {k: 1}]);`},
		{"no set is a multiset", "c.json", `pm.expect(pm.response.json().a).to.have.members([1,1,2]);`, replies(`{"a":[1,2,2]}`), `pm.expect(pm.response.json().a).to.include(1); pm.expect(pm.response.json().a).to.include(2);`},
		{"objects by themselves", "c.json", `pm.expect(pm.response.json().a).to.have.members([{}]);`, replies(`{"a":[{}]}`), `pm.expect(pm.response.json().a).to.have.members([{}]);`},
		{"a part", "c.json", `pm.expect(pm.response.json().a).to.include.members([1]);`, replies(`{"a":[2]}`), `pm.expect(pm.response.json().a).to.include.members([1]);`},
	} {
		src := Source{Steps: []exchange.Step{stepOf(1, "/x0", tt.seen)}}
		got := postmanLines(t, oneAssertion(t, tt.file, tt.line), src, PatchOptions{})
		if last := got[len(got)-1]; last != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, last, tt.want)
		}
		got = postmanLines(t, oneAssertion(t, tt.file, tt.line), judged(t, src), PatchOptions{})
		if last := got[len(got)-1]; last != tt.want {
			t.Errorf("%s, with a map: got %s, want %s", tt.name, last, tt.want)
		}
		if strings.Contains(tt.want, "//") || strings.Contains(tt.line, "include") || tt.name == "objects by themselves" {
			continue
		}
		for _, r := range tt.seen {
			if said := runNode(t, "postman.js", []nodeCase{{Code: tt.want, Answers: map[string]nodeAnswer{"": nodeAnswerOf(r)}}})[0]; said != "" {
				t.Errorf("%s: %s fails: %s", tt.name, tt.want, said)
			}
		}
	}
}
