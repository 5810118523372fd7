package confidence

import "slices"

// Dispersion sums up how the changes at a place are spread over the exchanges of its operation: whether one chance of a
// change accounts for all of them, so that their observations may be pooled. The zero Dispersion has taken in nothing.
type Dispersion struct {
	exchanges int
	squares   float64 // the sum, over the exchanges, of changes² / observations
	// the exchanges that may have the largest bound: those with changes that no other has as many of in as few
	// observations, and the fewest observations of one without
	worst []share
	still int // 0 where each had changes
}

// share is what of the observations of one exchange were changes.
type share struct{ changed, of int }

// Add takes in k changes in the n observations of one exchange. Without observations it tells nothing.
func (s *Dispersion) Add(k, n int) {
	if n == 0 {
		return
	}
	s.exchanges++
	s.squares += float64(k) * float64(k) / float64(n)
	s.consider(share{k, n})
}

// consider keeps an exchange that may have the largest bound, which grows with the changes and shrinks with the
// observations.
func (s *Dispersion) consider(x share) {
	if x.changed == 0 {
		if s.still == 0 || x.of < s.still {
			s.still = x.of
		}
		return
	}
	for _, y := range s.worst {
		if y.changed >= x.changed && y.of <= x.of {
			return
		}
	}
	s.worst = append(slices.DeleteFunc(s.worst, func(y share) bool { return x.changed >= y.changed && x.of <= y.of }), x)
}

// Absorb adds what is known of another place, or of other observations of this one.
func (s *Dispersion) Absorb(u Dispersion) {
	s.exchanges += u.exchanges
	s.squares += u.squares
	s.worst = slices.Clone(s.worst)
	for _, x := range u.worst {
		s.consider(x)
	}
	if u.still > 0 {
		s.consider(share{0, u.still})
	}
}

// Bound is [Bound] of k changes in n observations of all exchanges together, which is one on the average of
// their chances, however these differ (Hoeffding 1956). Where they differ by more than one chance accounts for, by the
// chi-squared test of homogeneity, pooled is false, and the bound is the largest of the exchanges' own: it is no lower
// than that of the exchange that moves most, whichever that is. Nothing speaks against pooling where nothing moved.
func (s *Dispersion) Bound(k, n int) (p float64, pooled bool) {
	p = Bound(k, n)
	if s.exchanges < 2 || k == 0 || k >= n {
		return p, true
	}
	mean := float64(k) / float64(n)
	chi2 := (s.squares - float64(k)*mean) / (mean * (1 - mean))
	if chi2 <= ChiSquared(float64(s.exchanges-1)) {
		return p, true
	}
	if s.still > 0 {
		p = max(p, Bound(0, s.still))
	}
	for _, x := range s.worst {
		p = max(p, Bound(x.changed, x.of))
	}
	return p, false
}
