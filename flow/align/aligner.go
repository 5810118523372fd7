package align

import "math"

// alignSides aligns two sides in order. It returns for each exchange of the first its counterpart, or -1.
func alignSides(a, b side) []int {
	al := newAligner(a, b)
	al.align(stretch{0, len(a.exact), 0, len(b.exact)})
	waits(al.pairOf, a, b)
	lastWithLast(al.pairOf, a, b)
	swapped(al.pairOf, a, b)
	return al.pairOf
}

// aligner aligns two sides.
//
// Anchors are the requests that stand once on either side, in an order that both sides share; what lies between two
// anchors is aligned by itself, in full where it is short enough (maxTable), else window by window.
type aligner struct {
	a, b   side
	pairOf []int // for each recorded exchange its counterpart in the run, or -1
	// exact and masked say, by operation, how often two exchanges of it have the same values by chance.
	exact, masked map[int32]float64
}

func newAligner(a, b side) *aligner {
	al := &aligner{a: a, b: b, pairOf: make([]int, len(a.exact))}
	for i := range al.pairOf {
		al.pairOf[i] = -1
	}
	al.exact, al.masked = chances(a.alike, b.alike, a.exact, b.exact), chances(a.alike, b.alike, a.masked, b.masked)
	return al
}

// chances returns how often, by operation, an exchange of the one side drawn at random has the same id as one of the
// other.
func chances(alikeA, alikeB, idsA, idsB []int32) map[int32]float64 {
	type key struct{ alike, id int32 }
	count := func(alike, ids []int32) (map[key]int, map[int32]int) {
		each, all := map[key]int{}, map[int32]int{}
		for i, id := range ids {
			each[key{alike[i], id}]++
			all[alike[i]]++
		}
		return each, all
	}
	eachA, allA := count(alikeA, idsA)
	eachB, allB := count(alikeB, idsB)
	out := map[int32]float64{}
	for k, n := range eachA {
		if m := eachB[k]; m > 0 {
			out[k.alike] += float64(n) / float64(allA[k.alike]) * float64(m) / float64(allB[k.alike])
		}
	}
	return out
}

// weights are the bonuses of one exchange.
type weights struct{ exact, masked int32 }

func (a *aligner) weigh(i, n int, end ending) weights {
	op := a.a.alike[i]
	return weights{bonus(n, a.exact[op], end), bonus(n, a.masked[op], end)}
}

// stretch is a part of both sides: [i0, i1) of the recording and [j0, j1) of the run.
type stretch struct{ i0, i1, j0, j1 int }

// maxTable bounds, in cells of one byte, the table of a full alignment.
const maxTable = 1 << 20

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
		for _, p := range a.table(s, fixed) {
			a.pairOf[p.i] = p.j
		}
		return
	}
	agreed := anchors(a.a.exact, a.b.exact, s)
	if len(agreed) == 0 {
		agreed = anchors(a.a.masked, a.b.masked, s)
	}
	if len(agreed) == 0 {
		a.windows(s)
		return
	}
	for _, at := range agreed {
		a.pairOf[at.i] = at.j
		a.align(stretch{s.i0, at.i, s.j0, at.j})
		s.i0, s.j0 = at.i+1, at.j+1
	}
	a.align(s)
}

func (a *aligner) same(i, j int) bool { return a.a.exact[i] == a.b.exact[j] }

// table aligns a stretch in full: of all ways to pair it in order, one with the highest score.
func (a *aligner) table(s stretch, end ending) (pairs []anchor) {
	n, m := s.i1-s.i0, s.j1-s.j0
	left := int32(gapCost) // what each costs that one side has left over at the end
	if end == open {
		left = 0
	}
	const pair, lost = 1, 2
	moves := make([]byte, n*m)
	above, row := make([]int32, m+1), make([]int32, m+1)
	for j := range above {
		above[j] = -left * int32(m-j)
	}
	// from the end, so that walking from the start takes the first of equal ways
	for i := n - 1; i >= 0; i-- {
		row[m] = -left * int32(n-i)
		w := a.weigh(s.i0+i, min(n, m), end)
		exact, masked, alike := a.a.exact[s.i0+i], a.a.masked[s.i0+i], a.a.alike[s.i0+i]
		for j := m - 1; j >= 0; j-- {
			best, move := row[j+1]-gapCost, byte(0)
			if above[j]-gapCost > best {
				best, move = above[j]-gapCost, lost
			}
			sum := above[j+1]
			switch {
			case a.b.exact[s.j0+j] == exact:
				sum += w.exact
			case a.b.alike[s.j0+j] != alike:
				sum = math.MinInt32
			case a.b.masked[s.j0+j] == masked:
				sum += w.masked
			}
			if sum >= best {
				best, move = sum, pair
			}
			row[j] = best
			moves[i*m+j] = move
		}
		above, row = row, above
	}
	for i, j := 0, 0; i < n && j < m; {
		switch moves[i*m+j] {
		case pair:
			pairs = append(pairs, anchor{s.i0 + i, s.j0 + j})
			i++
			j++
		case lost:
			i++
		default:
			j++
		}
	}
	return pairs
}

// window is how many exchanges of either side are aligned together where there are too many for one table and no
// anchors: what was lost or added in one place may be about half as long.
const window = 1024

// windows aligns a long stretch window by window. Of each the first half is taken; the second had no say of what
// follows it.
func (a *aligner) windows(s stretch) {
	for s.i0 < s.i1 && s.j0 < s.j1 {
		w := stretch{s.i0, min(s.i0+window, s.i1), s.j0, min(s.j0+window, s.j1)}
		last := w.i1 == s.i1 && w.j1 == s.j1
		end := open
		if last {
			end = fixed
		}
		pairs := a.table(w, end)
		if len(pairs) == 0 {
			if last {
				return
			}
			s.i0, s.j0 = a.meet(s, w)
			continue
		}
		for _, p := range pairs {
			if !last && (p.i-w.i0 >= window/2 || p.j-w.j0 >= window/2) {
				break
			}
			a.pairOf[p.i] = p.j
			s.i0, s.j0 = p.i+1, p.j+1
		}
		if s.i0 == w.i0 { // the first pair lies in the second half: begin there
			s.i0, s.j0 = pairs[0].i, pairs[0].j
		}
		if last {
			return
		}
	}
}

// meet returns where to go on in a stretch whose first window has no pair at all: past as little as possible of one
// side up to something that the window of the other has.
func (a *aligner) meet(s, w stretch) (i, j int) {
	ahead := func(from, to int, ids []int32, in []int32) int {
		there := map[int32]bool{}
		for _, id := range in {
			there[id] = true
		}
		for from < to && !there[ids[from]] {
			from++
		}
		return from
	}
	i = ahead(w.i1, s.i1, a.a.alike, a.b.alike[w.j0:w.j1])
	j = ahead(w.j1, s.j1, a.b.alike, a.a.alike[w.i0:w.i1])
	switch {
	case i == s.i1 && j == s.j1:
		return w.i1, w.j1
	case j == s.j1 || i < s.i1 && i-s.i0 <= j-s.j0:
		return i, s.j0
	}
	return s.i0, j
}
