package suite

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility"
)

// ruledSource is a recording of one GET that answered otherwise in two runs, judged, and decided on by rules.
func ruledSource(t *testing.T, rules ...volatility.Rule) Source {
	t.Helper()
	src := judged(t, Source{Steps: []exchange.Step{stepOf(1, "/x0", replies(
		`{"moved":1,"still":"s","sub":{"a":1,"b":2}}`, `{"moved":2,"still":"s","sub":{"a":1,"b":2}}`, `{"moved":3,"still":"s","sub":{"a":1,"b":2}}`))}})
	src.Map.Apply(rules)
	return src
}

// TestPatchObeysRules: assertions about what is pinned stay, those about what is ignored are commented out, and what is
// forced to be volatile is weakened though it never moved.
func TestPatchObeysRules(t *testing.T) {
	text := suiteOf([]string{`assert res_0.json()["moved"] == 1.0`, `assert res_0.json()["still"] == "s"`, `assert res_0.json()["sub"]["a"] == 1.0`})
	for name, c := range map[string]struct {
		rules []volatility.Rule
		want  []string
	}{
		"no rule": {nil, []string{`assert isinstance(res_0.json()["moved"], int) and res_0.json()["moved"] >= 0`, `assert res_0.json()["still"] == "s"`, `assert res_0.json()["sub"]["a"] == 1.0`}},
		"pin": {[]volatility.Rule{{Place: "/body/moved", Kind: volatility.Pin}},
			[]string{`assert res_0.json()["moved"] == 1.0`, `assert res_0.json()["still"] == "s"`, `assert res_0.json()["sub"]["a"] == 1.0`}},
		"ignore": {[]volatility.Rule{{Place: "/body/moved", Kind: volatility.Ignore}, {Place: "/body/sub", Kind: volatility.Ignore}},
			[]string{`# assert res_0.json()["moved"] == 1.0`, `assert res_0.json()["still"] == "s"`, `# assert res_0.json()["sub"]["a"] == 1.0`}},
		"force": {[]volatility.Rule{{Place: "/body/still", Kind: volatility.Force, Category: volatility.Rand}},
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

// TestPytestObeysRules: a generated test asserts what is pinned as it was recorded, and says nothing of what is ignored,
// which may be gone as well.
func TestPytestObeysRules(t *testing.T) {
	test := func(mode Mode, rules ...volatility.Rule) string {
		src := ruledSource(t, rules...)
		src.Sequences = []exchange.Sequence{{Name: "x", Steps: []uint64{1}}}
		files, err := Pytest(src, mode)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if strings.HasPrefix(f.Name, "test_") {
				return string(f.Data)
			}
		}
		t.Fatal("no test")
		return ""
	}
	pinned := test(Relax, volatility.Rule{Place: "/body/moved", Kind: volatility.Pin})
	if !strings.Contains(pinned, `"moved": 1`) || strings.Contains(pinned, "masked(") {
		t.Errorf("what is pinned is not asserted as recorded:\n%s", pinned)
	}
	for _, mode := range []Mode{Relax, Comment} {
		ignored := test(mode, volatility.Rule{Place: "/body/sub", Kind: volatility.Ignore}, volatility.Rule{Place: "/status", Kind: volatility.Ignore})
		if want := map[Mode]string{Relax: "# /body/sub: did not move in 2; a rule: ignore", Comment: "vs. (ignored)"}[mode]; !strings.Contains(ignored, want) {
			t.Errorf("%s: no %q:\n%s", mode, want, ignored)
		}
		var code []string
		for _, l := range strings.Split(ignored, "\n") {
			if !strings.HasPrefix(strings.TrimSpace(l), "#") {
				code = append(code, l)
			}
		}
		ignored = strings.Join(code, "\n")
		if !strings.Contains(ignored, `optional=["/sub"]`) || strings.Contains(ignored, `"/sub")`) {
			t.Errorf("%s: what is ignored is looked at:\n%s", mode, ignored)
		}
		if strings.Contains(ignored, "assert res.status") {
			t.Errorf("%s: an ignored status is asserted:\n%s", mode, ignored)
		}
	}
}
