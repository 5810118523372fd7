package flow

import (
	"sort"

	"github.com/flaketap/flaketap/exchange"
)

// Pair is one step of an alignment. Either side is nil where the other has no counterpart: the run lost the recorded
// exchange, or added one.
type Pair struct {
	Recorded *exchange.Exchange
	Run      *exchange.Exchange
}

// Align finds for each recorded exchange its counterpart in a run; both are in their own order, and so are the pairs.
// Exchanges with the same exact fingerprint belong together, then those of the same operation: a client that makes up
// new values in each run still asks the same things in the same order.
//
// Anchors are the requests that stand once on either side, in an order that both sides share; what lies between two
// anchors is aligned by itself, in full where it is short enough (maxTable), else step by step.
func Align(recorded, run []*exchange.Exchange) []Pair {
	a := aligner{pairOf: make([]int, len(recorded))}
	for i := range a.pairOf {
		a.pairOf[i] = -1
	}
	ids := map[exchange.Fingerprint]int{}
	both := append(append(make([]*exchange.Exchange, 0, len(recorded)+len(run)), recorded...), run...)
	exact := make([]int, len(both))
	for i, e := range both {
		f := exchange.Exact(e)
		id, known := ids[f]
		if !known {
			id = len(ids)
			ids[f] = id
		}
		exact[i] = id
	}
	alike := operationIDs(both)
	a.exact = [2][]int{exact[:len(recorded)], exact[len(recorded):]}
	a.alike = [2][]int{alike[:len(recorded)], alike[len(recorded):]}
	a.align(stretch{0, len(recorded), 0, len(run)})
	return a.pairs(recorded, run)
}

// operationIDs numbers exchanges by operation, the templates made over all of them together.
func operationIDs(all []*exchange.Exchange) []int {
	ops := make([]exchange.Operation, len(all))
	templates(all, nil, ops)
	ids := map[exchange.Operation]int{}
	out := make([]int, len(all))
	for i, op := range ops {
		id, known := ids[op]
		if !known {
			id = len(ids)
			ids[op] = id
		}
		out[i] = id
	}
	return out
}

// aligner holds both sides as numbers: equal numbers in exact are equal fingerprints, in alike equal operations.
type aligner struct {
	exact  [2][]int
	alike  [2][]int
	pairOf []int // for each recorded exchange its counterpart in the run, or -1
}

// stretch is a part of both sides: [i0, i1) of the recording and [j0, j1) of the run.
type stretch struct{ i0, i1, j0, j1 int }

// maxTable bounds, in cells of one byte, the table of a full alignment.
const maxTable = 1 << 22

func (a *aligner) align(s stretch) {
	for s.i0 < s.i1 && s.j0 < s.j1 && a.same(s.i0, s.j0) {
		a.pairOf[s.i0] = s.j0
		s.i0++
		s.j0++
	}
	for s.i0 < s.i1 && s.j0 < s.j1 && a.same(s.i1-1, s.j1-1) {
		s.i1--
		s.j1--
		a.pairOf[s.i1] = s.j1
	}
	n, m := s.i1-s.i0, s.j1-s.j0
	if n == 0 || m == 0 {
		return
	}
	if n <= maxTable/m {
		a.table(s)
		return
	}
	anchors := a.anchors(s)
	if len(anchors) == 0 {
		a.walk(s)
		return
	}
	for _, at := range anchors {
		a.pairOf[at.i] = at.j
		a.align(stretch{s.i0, at.i, s.j0, at.j})
		s.i0, s.j0 = at.i+1, at.j+1
	}
	a.align(s)
}

func (a *aligner) same(i, j int) bool { return a.exact[0][i] == a.exact[1][j] }

// score says how well two exchanges go together: exactly the same outweighs one of the same operation, but not two.
func (a *aligner) score(i, j int) int32 {
	switch {
	case a.same(i, j):
		return 3
	case a.alike[0][i] == a.alike[1][j]:
		return 2
	}
	return 0
}

// anchor is a pair that both sides agree on.
type anchor struct{ i, j int }

// anchors returns the exchanges that stand exactly once on either side of a stretch, as far as both sides have them in
// the same order: the longest increasing run of them, as in a patience diff.
func (a *aligner) anchors(s stretch) []anchor {
	type count struct{ n, m, i, j int }
	counts := map[int]*count{}
	at := func(id int) *count {
		if counts[id] == nil {
			counts[id] = &count{}
		}
		return counts[id]
	}
	for i := s.i0; i < s.i1; i++ {
		c := at(a.exact[0][i])
		c.n++
		c.i = i
	}
	for j := s.j0; j < s.j1; j++ {
		c := at(a.exact[1][j])
		c.m++
		c.j = j
	}
	var once []anchor
	for i := s.i0; i < s.i1; i++ {
		if c := counts[a.exact[0][i]]; c.n == 1 && c.m == 1 {
			once = append(once, anchor{i, c.j})
		}
	}
	return increasing(once)
}

// increasing returns the longest part of list, which is sorted by i, in which j increases too.
func increasing(list []anchor) []anchor {
	var piles []int // the index in list of the last anchor of the best run of each length
	before := make([]int, len(list))
	for k, x := range list {
		p := sort.Search(len(piles), func(q int) bool { return list[piles[q]].j >= x.j })
		before[k] = -1
		if p > 0 {
			before[k] = piles[p-1]
		}
		if p == len(piles) {
			piles = append(piles, k)
		} else {
			piles[p] = k
		}
	}
	if len(piles) == 0 {
		return nil
	}
	out := make([]anchor, len(piles))
	for k, q := piles[len(piles)-1], len(piles)-1; q >= 0; k, q = before[k], q-1 {
		out[q] = list[k]
	}
	return out
}

// table aligns a stretch in full: of all ways to pair it in order, the one with the highest score.
func (a *aligner) table(s stretch) {
	n, m := s.i1-s.i0, s.j1-s.j0
	const pair, lost = 1, 2
	moves := make([]byte, n*m)
	above, row := make([]int32, m+1), make([]int32, m+1)
	// from the end, so that walking from the start takes the first of equal ways
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			best, move := row[j+1], byte(0)
			if above[j] > best {
				best, move = above[j], lost
			}
			if sc := a.score(s.i0+i, s.j0+j); sc > 0 && above[j+1]+sc >= best {
				best, move = above[j+1]+sc, pair
			}
			row[j] = best
			moves[i*m+j] = move
		}
		above, row = row, above
		row[m] = 0
	}
	for i, j := 0, 0; i < n && j < m; {
		switch moves[i*m+j] {
		case pair:
			a.pairOf[s.i0+i] = s.j0 + j
			i++
			j++
		case lost:
			i++
		default:
			j++
		}
	}
}

// lookahead is how far a step-by-step alignment looks for the place where both sides meet again.
const lookahead = 48

// walk aligns a stretch that is too long for a table and has no anchors: in step while the operations agree; where
// they do not, it goes on at the nearest place where two steps in a row agree again.
func (a *aligner) walk(s stretch) {
	i, j := s.i0, s.j0
	for i < s.i1 && j < s.j1 {
		if a.score(i, j) > 0 {
			a.pairOf[i] = j
			i++
			j++
			continue
		}
		di, dj := a.meet(stretch{i, s.i1, j, s.j1})
		i += di
		j += dj
	}
}

// meet returns how many exchanges to pass over on either side, the fewest in all.
func (a *aligner) meet(s stretch) (di, dj int) {
	for far := 1; far <= lookahead; far++ {
		for di = 0; di <= far; di++ {
			dj = far - di
			i, j := s.i0+di, s.j0+dj
			if i >= s.i1 || j >= s.j1 || a.score(i, j) == 0 {
				continue
			}
			if i+1 >= s.i1 || j+1 >= s.j1 || a.score(i+1, j+1) > 0 {
				return di, dj
			}
		}
	}
	return 1, 1
}

// pairs lists the result in the order of both sides.
func (a *aligner) pairs(recorded, run []*exchange.Exchange) []Pair {
	out := make([]Pair, 0, max(len(recorded), len(run)))
	j := 0
	for i, to := range a.pairOf {
		if to < 0 {
			out = append(out, Pair{Recorded: recorded[i]})
			continue
		}
		for ; j < to; j++ {
			out = append(out, Pair{Run: run[j]})
		}
		out = append(out, Pair{recorded[i], run[to]})
		j = to + 1
	}
	for ; j < len(run); j++ {
		out = append(out, Pair{Run: run[j]})
	}
	return out
}
