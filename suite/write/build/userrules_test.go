package build

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/rules"
)

// ruledSource is a recording of one GET that answered otherwise in two runs, judged, and decided on by rules.
func ruledSource(t *testing.T, ruled ...rules.Rule) suite.Source {
	t.Helper()
	src := judged(t, suite.Source{Steps: []exchange.Step{stepOf(1, "/x0", replies(
		`{"moved":1,"still":"s","sub":{"a":1,"b":2}}`, `{"moved":2,"still":"s","sub":{"a":1,"b":2}}`, `{"moved":3,"still":"s","sub":{"a":1,"b":2}}`))}})
	rules.Apply(src.Map, ruled)
	return src
}

// TestPytestObeysRules: a generated test asserts what is pinned as it was recorded, and says nothing of what is
// ignored, which may be gone as well.
func TestPytestObeysRules(t *testing.T) {
	test := func(mode suite.Mode, ruled ...rules.Rule) string {
		src := ruledSource(t, ruled...)
		src.Sequences = []exchange.Sequence{{Name: "x", Steps: []uint64{1}}}
		files, err := written(src, mode)
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
	pinned := test(suite.Relax, rules.Rule{Place: "/body/moved", Kind: mapfile.Pin})
	if !strings.Contains(pinned, `"moved": 1`) || strings.Contains(pinned, "masked(") {
		t.Errorf("what is pinned is not asserted as recorded:\n%s", pinned)
	}
	for _, mode := range []suite.Mode{suite.Relax, suite.Comment} {
		ignored := test(mode, rules.Rule{Place: "/body/sub", Kind: mapfile.Ignore}, rules.Rule{Place: "/status", Kind: mapfile.Ignore})
		if want := map[suite.Mode]string{suite.Relax: "# /body/sub: did not move in 2; a rule: ignore", suite.Comment: "vs. (ignored)"}[mode]; !strings.Contains(ignored, want) {
			t.Errorf("%s: no %q:\n%s", mode, want, ignored)
		}
		var code []string
		for _, l := range strings.Split(ignored, "\n") {
			if !strings.HasPrefix(strings.TrimSpace(l), "#") {
				code = append(code, l)
			}
		}
		ignored = strings.Join(code, "\n")
		if !strings.Contains(ignored, `absent=["/sub"]`) || strings.Contains(ignored, `"/body/sub"`) {
			t.Errorf("%s: what is ignored is looked at:\n%s", mode, ignored)
		}
		if strings.Contains(ignored, "assert res.status") {
			t.Errorf("%s: an ignored status is asserted:\n%s", mode, ignored)
		}
	}
}
