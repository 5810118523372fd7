package mutant

// Relation gives a value that moves, and repeats one of the request or of an earlier answer, another value that looks
// the same: the relation holds no more. What stays as it is is for Change.
const Relation Kind = "relation"

// relation breaks what ties a value to the request or to an earlier answer.
func relation() fault {
	return fault{
		kind: Relation, plausible: true,
		breaks: func(m Mutant, v *seen, known Judgement) bool {
			return inBody(m) && !v.text && known.Volatile && v.repeats != "" && v.has(`"0`)
		},
		token: func(_ Mutant, raw []byte) ([]byte, bool) { return Mutant{}.otherToken(raw) },
		tells: func(m Mutant) string { return "that it equals the value " + m.Repeats },
	}
}
