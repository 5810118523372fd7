package build

import (
	"fmt"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// The ids of a list that moves are asserted to be different where enough answers bear it out, and none denies it.
func TestUnique(t *testing.T) {
	list := func(run, twice int) string {
		first := 10 * run
		if run == twice {
			return fmt.Sprintf(`{"jobs":[{"id":%d,"kind":"a"},{"id":%d,"kind":"a"}]}`, first, first)
		}
		return fmt.Sprintf(`{"jobs":[{"id":%d,"kind":"a"},{"id":%d,"kind":"a"},{"id":%d,"kind":"b"}]}`, first, first+1, first+2)
	}
	for _, tt := range []struct {
		name        string
		runs, twice int
		want        string
	}{
		{"different", 7, -1, "[/body/jobs/*/id] so in 8 of 8"},
		{"once twice", 7, 5, ""},
		{"too few", 3, -1, ""},
	} {
		var bodies []string
		for run := range tt.runs + 1 {
			bodies = append(bodies, list(run, tt.twice))
		}
		bodies[0] = `{"jobs":[{"id":1,"kind":"a"},{"id":2,"kind":"a"}]}`
		p := build(t, judged(t, suite.Source{Steps: []exchange.Step{stepOf(1, "/jobs", replies(bodies...))},
			Sequences: []exchange.Sequence{{Name: "s", Steps: []uint64{1}}}}), Options{All: true})
		got := ""
		for _, c := range p.Tests[0].Steps[0].Checks {
			if c.Kind == plan.CheckRelated && c.Relation == plan.Unique {
				got += fmt.Sprint(c.Of, " ", c.Why)
			}
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
