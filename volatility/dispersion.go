package volatility

import "math"

// dispersion sums up how the changes at a place are spread over the exchanges of its operation: whether one chance of a
// change accounts for all of them, so that their observations may be pooled.
type dispersion struct {
	exchanges int
	squares   float64 // the sum, over the exchanges, of changes² / observations
	most      int     // changes of the exchange with the largest share of them
	mostOf    int     // and its observations
}

// add takes in k changes in the n observations of one exchange. Without observations it tells nothing.
func (s *dispersion) add(k, n int) {
	if n == 0 {
		return
	}
	s.exchanges++
	s.squares += float64(k) * float64(k) / float64(n)
	if s.mostOf == 0 || k*s.mostOf > s.most*n {
		s.most, s.mostOf = k, n
	}
}

// endStep takes what was counted of the present step to the others.
func (t *fieldStats) endStep() {
	t.dispersion.add(t.changed-t.mark.before, t.mark.of)
	t.mark.of = 0
}

// absorb adds what is known of another place.
func (s *dispersion) absorb(u dispersion) {
	s.exchanges += u.exchanges
	s.squares += u.squares
	if s.mostOf == 0 || u.mostOf > 0 && u.most*s.mostOf > s.most*u.mostOf {
		s.most, s.mostOf = u.most, u.mostOf
	}
}

// dispersionQuantile is how seldom the changes of one chance may be spread as unevenly as those that were seen for them
// still to be taken for such: one in a thousand.
const dispersionQuantile = 3.09 // the standard normal distribution's quantile

// bound is [upperBound] of k changes in n observations of all exchanges together, where one chance may account for
// them. Where it cannot, by the chi-squared test of homogeneity, pooled is false, and the bound is that of the exchange
// that moved most. Nothing speaks against pooling where nothing moved.
func (s *dispersion) bound(k, n int) (p float64, pooled bool) {
	if s.exchanges < 2 || k == 0 || k >= n {
		return upperBound(k, n), true
	}
	share := float64(k) / float64(n)
	chi2 := (s.squares - float64(k)*share) / (share * (1 - share))
	if chi2 <= chiSquared(float64(s.exchanges-1)) {
		return upperBound(k, n), true
	}
	return upperBound(s.most, s.mostOf), false
}

// chiSquared is the quantile of the chi-squared distribution that is exceeded as seldom as unlikely says, by the
// approximation of Wilson and Hilferty (1931).
func chiSquared(degrees float64) float64 {
	x := 2 / (9 * degrees)
	return degrees * math.Pow(1-x+dispersionQuantile*math.Sqrt(x), 3)
}
