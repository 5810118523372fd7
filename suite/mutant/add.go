package mutant

// Add gives an object a further member, or an array its last element once more.
const Add Kind = "add"

// add gives an object a further member, or an array its last element once more.
func add() fault {
	return fault{
		kind: Add,
		breaks: func(m Mutant, v *seen, known Judgement) bool {
			return inBody(m) && !v.text && !known.Volatile && v.has("{[")
		},
		token: func(_ Mutant, raw []byte) ([]byte, bool) { return larger(raw) },
		tells: func(Mutant) string { return "that there is nothing else in it: no other member, no element twice" },
	}
}
