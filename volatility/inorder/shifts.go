package inorder

// Shifts follows, run by run, by how much whole numbers differ from the recorded ones.
type Shifts map[int]*shift

type shift struct {
	delta     float64
	before    float64
	confirmed bool // another recorded number differs by the same
	broken    bool // one differs by something else
}

// Add takes in a number of a run, where the recording has another.
func (s *Shifts) Add(run int, before, after float64) {
	if *s == nil {
		*s = make(Shifts)
	}
	one := (*s)[run]
	if one == nil {
		(*s)[run] = &shift{delta: after - before, before: before}
		return
	}
	one.broken = one.broken || after-before != one.delta
	one.confirmed = one.confirmed || before != one.before
}

// Same reports whether, in each run, all numbers differ from the recorded ones by the same: they are counted on from
// another begin. It wants to have seen that of two numbers at least.
func (s Shifts) Same() bool {
	confirmed := false
	for _, one := range s {
		if one.broken {
			return false
		}
		confirmed = confirmed || one.confirmed
	}
	return confirmed
}

// Mixed reports whether the numbers of one run differ from the recorded ones in both directions.
func (s Shifts) Mixed() bool {
	for _, one := range s {
		if one.broken {
			return true
		}
	}
	return false
}
