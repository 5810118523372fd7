package suite

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// TestWhatIsNotThereIsUndefined: JavaScript takes a member that is not there for undefined; an assertion that holds of
// that stays as it is, and one that does not is told from it.
func TestWhatIsNotThereIsUndefined(t *testing.T) {
	cases, hold := map[string][]nodeCase{}, map[string][]bool{}
	for _, tt := range []struct {
		file, line string
		body       string
		holds      bool
	}{
		{"t.js", `expect(res_0.body.a !== 1).toBe(true);`, `{}`, true},
		{"t.js", `expect(res_0.body.a !== 1).toBe(true);`, `{"a":1}`, false},
		{"t.js", `expect(!res_0.body.a).toBe(true);`, `{}`, true},
		{"t.js", `expect(!res_0.body.a).toBe(true);`, `{"a":"x"}`, false},
		{"t.js", `expect(!res_0.body.a).toBe(false);`, `{}`, false},
		{"t.js", `expect(res_0.body.a).toBeFalsy();`, `{}`, true},
		{"t.js", `expect(res_0.body.a).toBeFalsy();`, `{"a":[]}`, false},
		{"t.js", `expect(res_0.body.a).not.toBeTruthy();`, `{}`, true},
		{"t.js", `expect(res_0.body.a).not.toEqual(expect.any(String));`, `{}`, true},
		{"t.js", `expect(res_0.body.a).not.toEqual(expect.arrayContaining([1]));`, `{}`, true},
		{"t.js", `expect(Array.isArray(res_0.body.a)).not.toBe(true);`, `{}`, true},
		{"t.js", `expect(res_0.body.a === 1 || res_0.body.b === 2).toBe(true);`, `{"b":2}`, true},
		{"t.js", `expect(res_0.body.a == 5).toBe(true);`, `{"a":"5"}`, true},
		{"t.js", `if (res_0.body.a === 1) expect(res_0.body.b).toBe(2);`, `{}`, true},
		{"t.js", `if (res_0.body.a !== 1) expect(res_0.body.b).toBe(2);`, `{"b":2}`, true},
		{"t.js", `if (res_0.body.a !== 1) expect(res_0.body.b).toBe(2);`, `{"b":3}`, false},
		{"t.js", `if (!res_0.body.a) expect(res_0.body.b).toBe(2);`, `{"b":2}`, true},
		{"t.js", `if (!res_0.body.a) expect(res_0.body.b).toBe(2);`, `{"a":1,"b":3}`, true},
		{"t.js", `if (res_0.body.a) expect(res_0.body.b).toBe(2);`, `{}`, true},
		{"t.js", `if (res_0.body.a) expect(res_0.body.b).toBe(2);`, `{"a":1}`, false},
		{"t.js", `if (Array.isArray(res_0.body.a)) expect(res_0.body.a[0]).toBe(2);`, `{}`, true},
		{"t.js", `expect(res_0.body.a !== 1).toBe(true);`, `{"a":true}`, true},
		{"t.js", `expect(res_0.body.a).not.toBe(0);`, `{"a":false}`, true},
		{"c.json", `pm.expect(pm.response.json().a).to.not.equal(1);`, `{"a":true}`, true},
		{"c.json", `pm.expect(pm.response.json().a).to.not.equal(1);`, `{}`, true},
		{"c.json", `pm.expect(pm.response.json().a !== 1).to.be.true;`, `{}`, true},
		{"c.json", `pm.expect(!pm.response.json().a).to.be.true;`, `{}`, true},
		{"c.json", `pm.expect(pm.response.json().a).to.not.be.ok;`, `{}`, true},
		{"c.json", `pm.expect(pm.response.json().a).to.not.be.ok;`, `{"a":1}`, false},
		{"c.json", `pm.expect(pm.response.json().a).to.not.be.a("string");`, `{}`, true},
		{"c.json", `pm.expect(pm.response.json().a).to.not.be.a("number");`, `{"a":1}`, false},
		{"c.json", `tests["a is not 1"] = pm.response.json().a !== 1;`, `{}`, true},
		{"c.json", `tests["no a"] = !pm.response.json().a;`, `{}`, true},
		{"c.json", `if (pm.response.json().a !== 1) pm.expect(pm.response.json().b).to.eql(2);`, `{"b":2}`, true},
	} {
		text := oneAssertion(t, tt.file, tt.line)
		s, err := Read(tt.file, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		src := Source{Steps: []exchange.Step{stepOf(1, "/x0", replies(tt.body))}}
		failed, of := 0, 0
		for _, v := range Bind(s, src, nil).Verdicts() {
			failed, of = failed+v.Failed, of+v.Of
		}
		if of != 1 || failed == 0 != tt.holds {
			t.Errorf("%s: %d of %d executions contradict %s, where the answer is %s", tt.file, failed, of, tt.line, tt.body)
		}
		p, err := Patch(tt.file, []byte(text), src, PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if tt.holds != (string(p.Data) == text) {
			t.Errorf("%s: %s becomes, where the answer is %s,\n%s", tt.file, tt.line, tt.body, p.Data)
		}
		library := strings.Contains(tt.line, "toBeFalsy") || strings.Contains(tt.line, "expect.any") || strings.Contains(tt.line, "be.ok")
		if library || strings.HasPrefix(tt.line, "tests[") {
			continue // which the stand-ins for the libraries lack
		}
		program, answer := "expect.js", "res_0"
		if tt.file == "c.json" {
			program, answer = "postman.js", ""
		}
		cases[program] = append(cases[program], nodeCase{Code: tt.line, Answers: map[string]nodeAnswer{answer: nodeAnswerOf(replies(tt.body)[0])}})
		hold[program] = append(hold[program], tt.holds)
	}
	for program, cases := range cases {
		for i, said := range runNode(t, program, cases) {
			if (said == "") != hold[program][i] {
				t.Errorf("Node says %q of %s", said, cases[i].Code)
			}
		}
	}
}
