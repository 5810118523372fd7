package report

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/volatility/mapfile"
)

// What follows an external service is held still by answering for that; what else names the machine is left out.
func TestAdviseEnv(t *testing.T) {
	for code, want := range map[string]string{"holds-host": CommandPatch, "follows-external:rates.example.com/latest#/usd": commandExternal} {
		for _, f := range []mapfile.Field{
			{Judgement: mapfile.Jitter, Category: mapfile.Env, Evidence: []string{"moved:3/4", code}},
			{Judgement: mapfile.WouldMove, Category: mapfile.Env, Evidence: []string{"moved-only-by:externals=changed", code}},
		} {
			if a := Advise(&f, nil); a.Command != want || strings.Contains(a.Do, "external services") != (want == commandExternal) {
				t.Errorf("%s, %s: %+v", f.Judgement, code, a)
			}
		}
	}
}
