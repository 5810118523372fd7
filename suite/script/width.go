package script

import (
	"iter"
	"strings"
)

// Extent is where a token stands, in bytes, and the line that it begins in.
type Extent struct {
	Line, Start, End int
	Whole            bool // no formatter breaks it, as a text
}

// maxWhole is how long what nobody breaks is at most in a line that says how long lines are.
const maxWhole = 40

// Width is how long lines of the file may be: as the longest one that could have been broken, by its tokens, and as
// long as its formatter has it at least.
func (s *Script) Width(least int, tokens iter.Seq[Extent]) int {
	ends, wholes := map[int]int{}, map[int]bool{}
	for t := range tokens {
		wholes[t.Line] = wholes[t.Line] || t.Whole && t.End-t.Start > maxWhole
		ends[t.Line] = t.End - strings.LastIndexByte(s.Text[:t.End], '\n') - 1
	}
	longest := least
	for line, end := range ends {
		if !wholes[line] {
			longest = max(longest, end)
		}
	}
	return longest
}
