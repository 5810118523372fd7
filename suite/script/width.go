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
	begin, at := 0, 0 // of the line that the text goes on in, as far as it was looked through
	for t := range tokens {
		if t.End < at {
			begin, at = 0, 0
		}
		if i := strings.LastIndexByte(s.Text[at:t.End], '\n'); i >= 0 {
			begin = at + i + 1
		}
		at = t.End
		wholes[t.Line] = wholes[t.Line] || t.Whole && t.End-t.Start > maxWhole
		ends[t.Line] = t.End - begin
	}
	longest := least
	for line, end := range ends {
		if !wholes[line] {
			longest = max(longest, end)
		}
	}
	return longest
}
