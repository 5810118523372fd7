package suite

import (
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// TestGuessesAreWeakenedAgain patches a suite whose call is answered otherwise than the suite expects, and then, once it is
// answered so, again: what was guessed from the suite's literal becomes what is seen.
func TestGuessesAreWeakenedAgain(t *testing.T) {
	absent := Source{Steps: []exchange.Step{stepOf(1, "/x0", []*exchange.Response{reply(404, "", ""), reply(404, "", "")})}}
	there := Source{Steps: []exchange.Step{stepOf(1, "/x0", replies(`{"a":"made by A-7","n":3}`, `{"a":"made by B-9","n":4}`))}}
	claims := map[string][]string{
		"T.java": {".statusCode(200)", `.body("'a'", containsString("was made by C"))`, `.body("'n'", numberMatches(2.0))`},
		"T.kt":   {".statusCode(200)", `.body("'a'", containsString("was made by C"))`, `.body("'n'", numberMatches(2.0))`},
		"t.py":   {"assert res_0.status_code == 200", `assert res_0.json()["a"] == "was made by C"`, `assert res_0.json()["n"] == 2.0`},
	}
	for file, lines := range claims {
		text := suiteOf(lines)
		if file != "t.py" {
			text = jvmSuiteOf(file == "T.kt", lines)
		}
		for _, src := range []Source{absent, there} {
			p, err := Patch(file, []byte(text), src, PatchOptions{})
			if err != nil {
				t.Fatal(err)
			}
			text = string(p.Data)
		}
		s, err := Read(file, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(s.Tests[0].Assertions); n != len(lines) {
			t.Errorf("%s: %d assertions are left of %d:\n%s", file, n, len(lines), text)
		}
		for _, v := range Hold(s, there, nil).Verdicts() {
			if v.Failed > 0 {
				t.Errorf("%s: %s fails in %d of %d", file, v.Text, v.Failed, v.Of)
			}
		}
	}
}
