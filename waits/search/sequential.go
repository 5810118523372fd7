package search

import "math"

// Sequential tells a test that seldom fails from one that often does, as its runs come in: the sequential probability
// ratio test of A. Wald, "Sequential Tests of Statistical Hypotheses", The Annals of Mathematical Statistics 16 (1945).
type Sequential struct {
	Good, Bad float64 // the shares of runs that fail, 0 < Good < Bad < 1
	// Wrong is the chance, at most, that one is taken for the other, either way.
	Wrong float64
}

// Screening is the test by which a search goes on: a tenth of a percent of runs that fail against a tenth of them. It
// takes 29 runs that pass.
func Screening() Sequential { return Sequential{Good: 0.001, Bad: 0.1, Wrong: 0.05} }

// Verdict is what a sequential test says so far.
type Verdict int

// The verdicts.
const (
	Undecided Verdict = iota
	IsGood
	IsBad
)

// Judge says what so many runs tell.
func (s Sequential) Judge(passed, failed int) Verdict {
	ratio := float64(passed)*math.Log((1-s.Bad)/(1-s.Good)) + float64(failed)*math.Log(s.Bad/s.Good)
	edge := math.Log((1 - s.Wrong) / s.Wrong)
	switch {
	case ratio <= -edge:
		return IsGood
	case ratio >= edge:
		return IsBad
	}
	return Undecided
}

// Enough is how many runs that pass, and none that fails, are enough to be taken for good.
func (s Sequential) Enough() int {
	runs := 1
	for s.Judge(runs, 0) == Undecided {
		runs++
	}
	return runs
}
