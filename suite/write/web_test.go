package write

import (
	"testing"
)

func TestJestGolden(t *testing.T) {
	files, err := writeJest(samplePlan())
	if err != nil {
		t.Fatal(err)
	}
	goldenProject(t, "jest", files)
}

func TestPostmanGolden(t *testing.T) {
	files, err := writePostman(samplePlan())
	if err != nil {
		t.Fatal(err)
	}
	goldenProject(t, "postman", files)
}

func TestHurlGolden(t *testing.T) {
	plan := samplePlan()
	// What Hurl could not send would be left out with all that is asserted.
	plan.Tests[0].Steps[1].Headers[2].Value = lit("a\tb {{x}} # {")
	plan.Tests[1].Steps[0].Checks[0].Statuses = []int{200}
	files, err := writeHurl(plan)
	if err != nil {
		t.Fatal(err)
	}
	goldenProject(t, "hurl", files)
}
