// Package statuses tells of which statuses the files of an API speak, and which names stand beside them: what is read
// of an answer that has one, for the most part.
package statuses

import (
	"maps"
	"slices"

	"github.com/flaketap/flaketap/mock/search/lines"
)

// Bounds of the names beside a status: how many lines behind it they stand, and how many there are.
const (
	besideLines = 3
	maxBeside   = 12
)

// Statuses are those of all files, whose lines are numbered through. The zero value has none.
type Statuses struct {
	lines  map[int][]int // that speak of each
	beside map[int][]string
}

// Add takes the statuses that a line of a number speaks of, and its names, in quotes or after a dot, where a status
// stands in it or right before it.
func (s *Statuses) Add(line string, number int, names [][][]byte) {
	if s.lines == nil {
		s.lines, s.beside = map[int][]int{}, map[int][]string{}
	}
	for _, status := range lines.Statuses(line) {
		s.lines[status] = append(s.lines[status], number)
	}
	for status, all := range s.lines {
		if number-all[len(all)-1] > besideLines {
			continue
		}
		for _, m := range names {
			name := string(m[1])
			if known := s.beside[status]; !lines.NamesStatus(name) && !slices.Contains(known, name) && len(known) < maxBeside {
				s.beside[status] = append(known, name)
			}
		}
	}
}

// Beside are the names that stand beside a status.
func (s *Statuses) Beside(status int) []string { return s.beside[status] }

// Has reports whether the files speak of a status; all are spoken of where none is.
func (s *Statuses) Has(status int) bool { return len(s.lines) == 0 || len(s.lines[status]) > 0 }

// Failing is the status of a failure that stands nearest to some lines, within a number of them; other where none does.
func (s *Statuses) Failing(at []int, within, other int) int {
	for _, status := range slices.Sorted(maps.Keys(s.lines)) {
		if d := lines.Between(at, s.lines[status]); status >= 400 && d < within {
			other, within = status, d
		}
	}
	return other
}
