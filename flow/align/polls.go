package align

// lastWithLast pairs, of a request that only reads and that either side sent several times in a row, the last time with
// the last. A client that waits for something asks for it until it is there: how often is another number in each run,
// and what the last of these was answered is what it goes on with. The others stay as they are paired, first with
// first.
func lastWithLast(pairOf []int, a, b side) {
	taken := make([]bool, len(b.exact))
	for _, j := range pairOf {
		if j >= 0 {
			taken[j] = true
		}
	}
	for from, i := 0, 0; i < len(pairOf); i++ {
		if a.exact[i] != a.exact[from] {
			from = i
		}
		if i+1 < len(pairOf) && a.exact[i+1] == a.exact[i] || !a.reads[i] {
			continue
		}
		paired := i // the last of the stretch that has a counterpart
		for paired > from && pairOf[paired] < 0 {
			paired--
		}
		if pairOf[paired] < 0 {
			continue
		}
		j := pairOf[paired]
		for j+1 < len(b.exact) && b.exact[j+1] == b.exact[j] && !taken[j+1] {
			j++
		}
		taken[pairOf[paired]], taken[j] = false, true
		pairOf[paired], pairOf[i] = -1, j
	}
}
