package mapfile

import (
	"slices"
	"testing"
)

func TestEvidenceIsReadBack(t *testing.T) {
	for _, c := range []struct {
		code string
		want Evidence
	}{
		{"near-clock:day", NearClock(UnitDay)},
		{"runs-agree", SignRunsAgree.Alone()},
		{"moves-with:/body/a:b", SignMovesWith.Of("/body/a:b")},
		{"new-in-later-versions:x", Evidence{"new-in-later-versions", "x"}},
		{"odd:", Evidence{Sign: "odd:"}},
		{"", Evidence{}},
	} {
		got := ParseEvidence(c.code)
		if got != c.want {
			t.Errorf("%q is read as %+v, not %+v", c.code, got, c.want)
		}
		if got.String() != c.code {
			t.Errorf("%q is written as %q", c.code, got)
		}
	}
}

func TestSpeaking(t *testing.T) {
	f := &Field{Evidence: []string{"looks:date"}, Explanations: []Explanation{{Evidence: []string{"near-clock:day", "echo:/query/q"}}}}
	want := []Evidence{SignLooks.Of("date"), NearClock(UnitDay), SignEcho.Of("/query/q")}
	if got := f.Speaking(); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
