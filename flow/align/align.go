package align

import "github.com/flaketap/flaketap/exchange"

// Pair is one step of an alignment. Either side is nil where the other has no counterpart: the run lost the recorded
// exchange, or added one.
type Pair struct {
	Recorded *exchange.Exchange
	Run      *exchange.Exchange
	// Changed says that the two ask for the same thing with different values: their fingerprints differ.
	Changed bool
}

// Match is a [Pair] of tracks: the indexes of the exchanges in the order in which they were added, -1 for none.
type Match struct {
	Recorded, Run int
	Changed       bool
}

// Exchanges finds for each recorded exchange its counterpart in a run; both are in their own order. Pairs come in the
// order of the recording, and what the run added behind the exchange that it came after. See [Tracks].
func Exchanges(recorded, run []*exchange.Exchange) []Pair {
	var a, b Track
	for _, e := range recorded {
		a.Add(e)
	}
	for _, e := range run {
		b.Add(e)
	}
	matches := Tracks(&a, &b)
	out := make([]Pair, len(matches))
	for i, m := range matches {
		out[i].Changed = m.Changed
		if m.Recorded >= 0 {
			out[i].Recorded = recorded[m.Recorded]
		}
		if m.Run >= 0 {
			out[i].Run = run[m.Run]
		}
	}
	return out
}

// Tracks finds for each recorded exchange its counterpart in a run. Exchanges with the same exact fingerprint
// belong together; then those of the same operation with the same values, but for values that one side alone has, since
// a client made them up; then those of the same operation: a client that makes up new values in each run still asks the
// same things in the same order.
//
// Where the client sent requests side by side, or names its test cases, order holds within a connection or a test case
// only; such an alignment is taken where it finds more than one of the whole. Time grows with the length of both sides,
// not with their product.
func Tracks(recorded, run *Track) []Match {
	a, b := sides(recorded, run)
	whole := alignSides(a, b)
	pairOf := whole
	if rec, own, ok := lanes(recorded, run); ok {
		if apart := alignLanes(a, b, rec, own); score(a, b, apart) > score(a, b, whole) {
			pairOf = apart
		}
	}
	return matches(pairOf, a, b)
}

// matches lists an alignment in the order of the recording.
func matches(pairOf []int, a, b side) []Match {
	after := make([][]int, len(pairOf)+1) // what the run added, by how many recorded exchanges stand before it
	recordedOf := make([]int, len(b.exact))
	for j := range recordedOf {
		recordedOf[j] = -1
	}
	for i, j := range pairOf {
		if j >= 0 {
			recordedOf[j] = i
		}
	}
	at := 0
	for j, i := range recordedOf {
		if i >= 0 {
			at = i + 1
			continue
		}
		after[at] = append(after[at], j)
	}
	out := make([]Match, 0, max(len(pairOf), len(b.exact)))
	var added []int // waits until what the recording has in its place is listed
	list := func() {
		for _, j := range added {
			out = append(out, Match{-1, j, false})
		}
		added = nil
	}
	for i, j := range pairOf {
		added = append(added, after[i]...)
		if j >= 0 {
			list()
		}
		out = append(out, Match{i, j, j >= 0 && a.exact[i] != b.exact[j]})
	}
	added = append(added, after[len(pairOf)]...)
	list()
	return out
}
