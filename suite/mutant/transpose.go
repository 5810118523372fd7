package mutant

import "bytes"

// Transpose swaps two neighbors in an array of three elements or more. Of several arrays at one place the first is
// meant.
const Transpose Kind = "transpose"

// transpose swaps the first two neighbors that differ. Of two elements that is what Reorder does.
func transpose() fault {
	return fault{
		kind: Transpose, once: true, plausible: true,
		breaks: func(m Mutant, v *seen, known Judgement) bool {
			return inBody(m) && v.shuffles && v.size > 2 && !known.Volatile && !known.Unordered
		},
		token: func(_ Mutant, raw []byte) ([]byte, bool) {
			members := elements(raw)
			if raw[0] != '[' || len(members) < 3 {
				return nil, false
			}
			for i := range members[1:] {
				if !bytes.Equal(bytes.TrimSpace(members[i]), bytes.TrimSpace(members[i+1])) {
					members[i], members[i+1] = members[i+1], members[i]
					return container(raw, members), true
				}
			}
			return nil, false
		},
		tells: func(Mutant) string { return "the order of the elements" },
	}
}
