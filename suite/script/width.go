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
// long as its formatter has it at least. The tokens come in the order of the file.
func (s *Script) Width(least int, tokens iter.Seq[Extent]) int {
	ends, wholes := map[int]int{}, map[int]bool{}
	begins, seen := 0, 0 // of the line that is come to; what no line break is looked for in again
	for t := range tokens {
		wholes[t.Line] = wholes[t.Line] || t.Whole && t.End-t.Start > maxWhole
		if at := strings.LastIndexByte(s.Text[min(seen, t.End):t.End], '\n'); at >= 0 {
			begins = min(seen, t.End) + at + 1
		}
		seen = t.End
		ends[t.Line] = t.End - begins
	}
	longest := least
	for line, end := range ends {
		if !wholes[line] {
			longest = max(longest, end)
		}
	}
	return longest
}
