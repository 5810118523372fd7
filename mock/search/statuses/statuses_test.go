package statuses

import (
	"slices"
	"strings"
	"testing"
)

// read is what a text says, of which each line has one name at most, in quotes.
func read(text string) *Statuses {
	s := &Statuses{}
	for i, line := range strings.Split(text, "\n") {
		var names [][][]byte
		if _, after, found := strings.Cut(line, `"`); found {
			name, _, _ := strings.Cut(after, `"`)
			names = append(names, [][]byte{nil, []byte(name)})
		}
		s.Add(line, i, names)
	}
	return s
}

// Names behind a status are those of its answer; a status has its number, or a name.
func TestBeside(t *testing.T) {
	for _, status := range []string{"409", "http.StatusConflict", "HttpStatus.CONFLICT"} {
		s := read("if status == " + status + " {\n\tread(\"reason\")\n}\n" + strings.Repeat("\n", 9) + "read(\"far\")\n")
		if got := s.Beside(409); !slices.Equal(got, []string{"reason"}) {
			t.Errorf("%s: beside it are %q", status, got)
		}
		if !s.Has(409) || s.Has(402) {
			t.Errorf("%s: it is spoken of: %t; and 402: %t", status, s.Has(409), s.Has(402))
		}
	}
	if !read("nothing").Has(402) {
		t.Error("where no status is spoken of, none comes later")
	}
}

// The failure is told that is next to some lines, and near enough.
func TestFailing(t *testing.T) {
	s := read("status == 503\n\n\nstatus == 409\nstatus == 200\n")
	for at, want := range map[int]int{0: 503, 4: 409, 40: 429} {
		if got := s.Failing([]int{at}, 12, 429); got != want {
			t.Errorf("next to line %d is %d, not %d", at, got, want)
		}
	}
}
