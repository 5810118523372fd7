package suite

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/rules"
)

// ruledSource is a recording of one GET that answered otherwise in two runs, judged, and decided on by rules.
func ruledSource(t *testing.T, ruled ...rules.Rule) Source {
	t.Helper()
	src := judged(t, Source{Steps: []exchange.Step{stepOf(1, "/x0", replies(
		`{"moved":1,"still":"s","sub":{"a":1,"b":2}}`, `{"moved":2,"still":"s","sub":{"a":1,"b":2}}`, `{"moved":3,"still":"s","sub":{"a":1,"b":2}}`))}})
	rules.Apply(src.Map, ruled)
	return src
}

// TestPatchObeysRules: assertions about what is pinned stay, those about what is ignored are commented out, and what is
// forced to be volatile is weakened though it never moved.
func TestPatchObeysRules(t *testing.T) {
	text := suiteOf([]string{`assert res_0.json()["moved"] == 1.0`, `assert res_0.json()["still"] == "s"`, `assert res_0.json()["sub"]["a"] == 1.0`})
	for name, c := range map[string]struct {
		rules []rules.Rule
		want  []string
	}{
		"no rule": {nil, []string{`assert isinstance(res_0.json()["moved"], int) and res_0.json()["moved"] >= 0`, `assert res_0.json()["still"] == "s"`, `assert res_0.json()["sub"]["a"] == 1.0`}},
		"pin": {[]rules.Rule{{Place: "/body/moved", Kind: mapfile.Pin}},
			[]string{`assert res_0.json()["moved"] == 1.0`, `assert res_0.json()["still"] == "s"`, `assert res_0.json()["sub"]["a"] == 1.0`}},
		"ignore": {[]rules.Rule{{Place: "/body/moved", Kind: mapfile.Ignore}, {Place: "/body/sub", Kind: mapfile.Ignore}},
			[]string{`# assert res_0.json()["moved"] == 1.0`, `assert res_0.json()["still"] == "s"`, `# assert res_0.json()["sub"]["a"] == 1.0`}},
		"force": {[]rules.Rule{{Place: "/body/still", Kind: mapfile.Force, Category: mapfile.Rand}},
			[]string{`assert isinstance(res_0.json()["moved"], int) and res_0.json()["moved"] >= 0`, `assert isinstance(res_0.json()["still"], str)`, `assert res_0.json()["sub"]["a"] == 1.0`}},
	} {
		t.Run(name, func(t *testing.T) {
			got, data := patchedLines(t, text, ruledSource(t, c.rules...))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s\n%s", diff, data)
			}
			if name == "ignore" && !strings.Contains(string(data), "a rule says to ignore it") {
				t.Errorf("nothing tells why:\n%s", data)
			}
		})
	}
}
