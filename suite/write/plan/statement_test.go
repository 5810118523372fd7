package plan

import (
	"fmt"
	"strings"
	"testing"
)

// spelled is the simplest form: a word for each statement.
func spelled(list []Statement) string {
	var out []string
	for _, s := range list {
		switch {
		case s.Keep != nil:
			out = append(out, "keep "+s.Keep.Name)
		case s.Gone != "":
			out = append(out, "gone "+s.Gone)
		case s.Assert != nil:
			out = append(out, strings.Join(append(s.Assert.Comments(), string(s.Assert.Kind)), " # "))
		case s.SkipUnless != 0:
			out = append(out, fmt.Sprintf("end unless %d", s.SkipUnless))
		default:
			out = append(out, fmt.Sprintf("only %d (%s)", s.Only, spelled(s.Then)))
		}
	}
	return strings.Join(out, ", ")
}

func TestStatements(t *testing.T) {
	s := Step{
		Ends:     true,
		Captures: []Capture{{Name: "id"}},
		Gone:     []string{"old"},
		Checks: []Check{
			{Kind: CheckStatus, Statuses: []int{200, 404}, Why: "Rand, moved in 1 of 2"},
			{Kind: CheckHeader, Place: "/header/etag"},
			{Kind: CheckJSON, Place: "/body", If: 200, Why: "State", Off: "/body/id == 1"},
			{Kind: CheckText, Place: "/body", If: 200, Why: "/body moves"},
			{Kind: CheckOutline, Place: "/body", If: 404, Why: "The body is large."},
		},
	}
	rest := "header, only 200 (/body: State # /body/id == 1 # json, /body moves # text), only 404 (The body is large. # outline)"
	status := "Rand, moved in 1 of 2 # status, end unless 200"
	want := "gone old, keep id, " + status + ", " + rest
	if got := spelled(s.Statements()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestGone: what is refused, or promised alone, is still there.
func TestGone(t *testing.T) {
	for status, want := range map[int]bool{200: true, 204: true, 202: false, 302: false, 403: false, 404: true, 409: false, 410: true, 500: false} {
		if Gone(status) != want {
			t.Errorf("%d: %t", status, !want)
		}
	}
}
