package align

import "math"

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
