package mutant

import "bytes"

// Reorder turns the order of an array round.
const Reorder Kind = "reorder"

// reorder turns the order of an array round.
func reorder() fault {
	return fault{
		kind: Reorder, plausible: true,
		breaks: func(m Mutant, v *seen, known Judgement) bool {
			return inBody(m) && v.shuffles && !known.Volatile && !known.Unordered
		},
		token: func(_ Mutant, raw []byte) ([]byte, bool) {
			out := reverse(raw)
			return out, !bytes.Equal(out, raw)
		},
		tells: func(Mutant) string { return "the order of the elements" },
	}
}
