package mutant

// Empty takes all elements out of a list.
const Empty Kind = "empty"

// empty takes all elements out of a list.
func empty() fault {
	return fault{
		kind: Empty, plausible: true,
		breaks: func(m Mutant, v *seen, _ Judgement) bool { return inBody(m) && !v.text && v.size > 0 },
		token: func(_ Mutant, raw []byte) ([]byte, bool) {
			return []byte("[]"), raw[0] == '[' && len(elements(raw)) > 0
		},
		tells: func(m Mutant) string {
			if m.Volatile {
				return "that the list is not empty, where the test knows of an element"
			}
			return "which elements the list holds, or that it is not empty"
		},
	}
}
