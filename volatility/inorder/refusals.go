package inorder

// Refusals counts, in the order of the requests of one operation in the recording and in each run, which were refused
// because of how many there were.
type Refusals struct {
	last           map[int]bool // by run
	n, refused     int
	pairs, changes int // answers that came one after the other; those of which one was refused, and the other not
}

// Add takes in whether a request of a run was refused; run 0 is the recording.
func (f *Refusals) Add(run int, is bool) {
	before, known := f.last[run]
	if f.last == nil {
		f.last = make(map[int]bool)
	}
	f.last[run] = is
	if f.n++; is {
		f.refused++
	}
	if known {
		f.pairs++
		if is != before {
			f.changes++
		}
	}
}

// Scattered reports whether refusals come as chance would have them: refused and not refused take turns as often as if
// each were drawn. A limit that is reached refuses all until it is lifted.
func (f *Refusals) Scattered() bool {
	p := float64(f.refused) / float64(max(f.n, 1))
	expected := 2 * p * (1 - p) * float64(f.pairs)
	return expected >= minPairs && float64(f.changes) > 0.75*expected
}
