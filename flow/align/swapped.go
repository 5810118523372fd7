package align

import "slices"

// maxSwapped is how far from where order has it an exchange is looked for that came earlier or later.
const maxSwapped = 16

// swapped pairs requests that are exactly the same and came before or behind others of their operation, as those of a
// loop over a map do: order has paired each with another one, or with none. It takes those that stand once, among what
// is not paired so, on either side.
func swapped(pairOf []int, a, b side) {
	open := func(of []int32, done func(i int) bool) map[int32]int {
		out := map[int32]int{}
		for i, id := range of {
			if _, again := out[id]; done(i) {
				continue
			} else if again {
				out[id] = -1
				continue
			}
			out[id] = i
		}
		return out
	}
	recordedOf := make([]int, len(b.exact))
	for j := range recordedOf {
		recordedOf[j] = -1
	}
	for i, j := range pairOf {
		if j >= 0 {
			recordedOf[j] = i
		}
	}
	same := func(i, j int) bool { return i >= 0 && j >= 0 && a.exact[i] == b.exact[j] }
	sent := open(a.exact, func(i int) bool { return same(i, pairOf[i]) })
	came := open(b.exact, func(j int) bool { return same(recordedOf[j], j) })
	near := 0 // where order has the exchange in the run
	for i, was := range pairOf {
		if was >= 0 {
			near = was
		}
		j, ok := came[a.exact[i]]
		if !ok || j < 0 || sent[a.exact[i]] != i || max(j-near, near-j) > maxSwapped {
			continue
		}
		if !slices.Contains(b.alike[min(j+1, near):max(j, near+1)], a.alike[i]) {
			continue
		}
		left := recordedOf[j]
		pairOf[i], recordedOf[j] = j, i
		if left >= 0 {
			pairOf[left] = -1
		}
		if was >= 0 {
			recordedOf[was] = -1
		}
		if left >= 0 && was >= 0 && a.alike[left] == b.alike[was] {
			pairOf[left], recordedOf[was] = was, left
		}
	}
}
