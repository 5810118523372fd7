package flow

import (
	"math"
	"sort"

	"github.com/flaketap/flaketap/exchange"
)

// Pair is one step of an alignment. Either side is nil where the other has no counterpart: the run lost the recorded
// exchange, or added one.
type Pair struct {
	Recorded *exchange.Exchange
	Run      *exchange.Exchange
	// Changed says that the two ask for the same thing with other values: their fingerprints differ.
	Changed bool
}

// Match is a [Pair] of tracks: the indexes of the exchanges in the order in which they were added, -1 for none.
type Match struct {
	Recorded, Run int
	Changed       bool
}

// Align finds for each recorded exchange its counterpart in a run; both are in their own order. Pairs come in the order
// of the recording, and what the run added behind the exchange that it came after. See [AlignTracks].
func Align(recorded, run []*exchange.Exchange) []Pair {
	var a, b Track
	for _, e := range recorded {
		a.Add(e)
	}
	for _, e := range run {
		b.Add(e)
	}
	matches := AlignTracks(&a, &b)
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

// AlignTracks finds for each recorded exchange its counterpart in a run. Exchanges with the same exact fingerprint
// belong together; then those of the same operation with the same values, but for values that one side alone has, since
// a client made them up; then those of the same operation: a client that makes up new values in each run still asks the
// same things in the same order.
//
// Where the client sent requests side by side, or names its test cases, order holds within a connection or a test case
// only; such an alignment is taken where it finds more than one of the whole. Time grows with the length of both sides,
// not with their product.
func AlignTracks(recorded, run *Track) []Match {
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

// What an alignment is judged by: each exchange that it passes over costs gapCost, and a pair has a bonus, of at most
// maxBonus, where the two have the same values. So exactly the same outweighs one of the same operation, but not two.
const (
	gapCost  = 400
	maxBonus = 300
)

// ending is how a stretch ends.
type ending int

// The endings: fixed is that of a stretch by itself; open that of a window, where what one side has left over may go
// with what follows.
const (
	fixed ending = iota
	open
)

// bonus is what equal values count for where they would come together by chance so often. Along a stretch of n
// exchanges n·chance pairs are equal by chance, give or take the square root of twice that. A shift between the two
// sides that brings no more equal pairs than such luck does must not pay for the exchanges that it passes over: one in
// a window, which is open at its end; one on either side where both ends are fixed.
func bonus(n int, chance float64, end ending) int32 {
	worth := gapCost / 2.
	if end == open {
		worth = gapCost / 4.
	}
	return int32(min(maxBonus, worth/math.Sqrt(max(1e-12, float64(n)*chance))))
}

// score sums up how well all pairs of an alignment go together.
func score(a, b side, pairOf []int) int {
	both := newAligner(a, b)
	n, sum := min(len(a.exact), len(b.exact)), 0
	for i, j := range pairOf {
		if j < 0 {
			continue
		}
		sum += 2 * gapCost
		if w := both.weigh(i, n, fixed); a.exact[i] == b.exact[j] {
			sum += int(w.exact)
		} else if a.masked[i] == b.masked[j] {
			sum += int(w.masked)
		}
	}
	return sum
}

// alignSides aligns two sides in order. It returns for each exchange of the first its counterpart, or -1.
func alignSides(a, b side) []int {
	al := newAligner(a, b)
	al.align(stretch{0, len(a.exact), 0, len(b.exact)})
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

// anchor is a pair that both sides agree on.
type anchor struct{ i, j int }

// anchors returns the exchanges that stand exactly once on either side of a stretch, as far as both sides have them in
// the same order: the longest increasing run of them, as in a patience diff. Those that no others bear out are left
// out: where values are drawn at random, some come again by chance, anywhere.
func anchors(a, b []int32, s stretch) []anchor {
	type count struct{ n, m, i, j int32 }
	counts := map[int32]count{}
	for i := s.i0; i < s.i1; i++ {
		c := counts[a[i]]
		c.n++
		c.i = int32(i)
		counts[a[i]] = c
	}
	for j := s.j0; j < s.j1; j++ {
		if c, ok := counts[b[j]]; ok {
			c.m++
			c.j = int32(j)
			counts[b[j]] = c
		}
	}
	var once []anchor
	for i := s.i0; i < s.i1; i++ {
		if c := counts[a[i]]; c.n == 1 && c.m == 1 {
			once = append(once, anchor{i, int(c.j)})
		}
	}
	return increasing(borneOut(once))
}

// An anchor is borne out by so many others near it that are shifted as it is, give or take what was lost between: more
// than one value accounts for that comes again by chance.
const (
	witnesses = 8
	nearby    = 64
	slip      = 3
)

// borneOut returns the anchors that others bear out. list is sorted by i.
func borneOut(list []anchor) []anchor {
	var out []anchor
	for k, x := range list {
		found := 0
		agrees := func(y anchor) {
			if off := (y.j - y.i) - (x.j - x.i); -slip <= off && off <= slip {
				found++
			}
		}
		for q := k - 1; q >= 0 && x.i-list[q].i <= nearby && found < witnesses; q-- {
			agrees(list[q])
		}
		for q := k + 1; q < len(list) && list[q].i-x.i <= nearby && found < witnesses; q++ {
			agrees(list[q])
		}
		if found >= witnesses {
			out = append(out, x)
		}
	}
	return out
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
