package align

import "slices"

// A row is where one side sent the same request several times in a row, or once.
type row struct{ from, end int }

func (r row) size() int { return r.end - r.from }

// waits pairs, of several requests of one operation that only read, each of which either side sent any number of times
// in a row, as by a client that waits for one thing and then for another, each with its own. Where each run made up
// their values, an alignment in order takes what one side sent more often for the request behind it.
func waits(pairOf []int, a, b side) {
	for _, at := range blocks(pairOf, a, b) {
		rec, run := a.rows(at[0]), b.rows(at[1])
		if !alikeInTurn(a, b, rec, run) {
			continue
		}
		for n := range rec {
			pairRow(pairOf, rec[n], run[n])
		}
	}
}

// blocks are the parts of both sides that hold requests of one operation alone, each paired with none of another part.
func blocks(pairOf []int, a, b side) (out [][2]row) {
	blockOf := make([]row, len(b.exact))
	for j := 0; j < len(b.exact); {
		block := row{j, b.block(j)}
		for ; j < block.end; j++ {
			blockOf[j] = block
		}
	}
	share := map[row]int{}
	for from := 0; from < len(a.exact); {
		block := row{from, a.block(from)}
		from = block.end
		var others []row
		for _, j := range pairOf[block.from:block.end] {
			if j >= 0 && (len(others) == 0 || others[len(others)-1] != blockOf[j]) { // they are in order
				others = append(others, blockOf[j])
				share[blockOf[j]]++
			}
		}
		if a.reads[block.from] && len(others) == 1 {
			out = append(out, [2]row{block, others[0]})
		}
	}
	return slices.DeleteFunc(out, func(at [2]row) bool { return share[at[1]] > 1 })
}

// block is where the requests of one operation end that begin at a position.
func (s side) block(from int) (end int) {
	for end = from + 1; end < len(s.alike) && s.alike[end] == s.alike[from] && s.reads[end] == s.reads[from]; end++ {
	}
	return end
}

// rows are those of a block.
func (s side) rows(block row) (out []row) {
	for i := block.from; i < block.end; i++ {
		if i == block.from || s.exact[i] != s.exact[i-1] {
			out = append(out, row{from: i})
		}
		out[len(out)-1].end = i + 1
	}
	return out
}

// alikeInTurn reports whether the rows of a block may be those of another one by one, and some are longer: they have
// the same values, but for those that one side alone has, and what is exactly the same stands in the same place.
func alikeInTurn(a, b side, rec, run []row) bool {
	if len(rec) != len(run) {
		return false
	}
	at := make(map[int32]int, len(run))
	for n, r := range run {
		at[b.exact[r.from]] = n
	}
	longer := false
	for n, r := range rec {
		same, known := at[a.exact[r.from]]
		if known && same != n || a.masked[r.from] != b.masked[run[n].from] {
			return false
		}
		longer = longer || r.size() != run[n].size()
	}
	return longer
}

// pairRow pairs the first of two rows with the first, and the last with the last.
func pairRow(pairOf []int, rec, run row) {
	for i := rec.from; i < rec.end; i++ {
		pairOf[i] = -1
	}
	for k := range min(rec.size(), run.size()) - 1 {
		pairOf[rec.from+k] = run.from + k
	}
	pairOf[rec.end-1] = run.end - 1
}

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
