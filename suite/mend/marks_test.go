package mend

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/setup"
)

// What is said of a whole test agrees with itself: one that fails for what is not restored does not hold on a fresh start.
func TestMarksAgree(t *testing.T) {
	polluted := []setup.Polluter{{Test: "test_3", Request: "DELETE /items/4"}}
	for _, c := range []struct{ refused, want string }{
		{setup.HoldsAlone, "holds on a fresh start only: test_3 leaves something behind (DELETE /items/4)"},
		{"it takes 9 earlier requests, more than 5",
			"what it depends on is not restored: it takes 9 earlier requests, more than 5\nnor does it expect what test_3 leaves behind (DELETE /items/4)"},
	} {
		g := suite.Grafting{Graft: setup.Graft{Refused: c.refused, Polluters: polluted}}
		if got := strings.Join(marks(g, suite.Dependency{Failing: true}), "\n"); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}
