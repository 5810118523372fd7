package settle

import (
	"math"
	"time"
)

// EnoughReads is how many reads it takes to say how long others take: with fewer, what is not known of their spread
// outweighs what is.
const EnoughReads = 20

// zConfidence is the quantile of the standard normal distribution below which 95 % lie.
const zConfidence = 1.6449

// Upper is a time within which that share of all reads is ready, with a confidence of 95 %: the upper tolerance limit
// of a lognormal distribution, and what the slowest read took where that is longer. Zero means that there are fewer
// than [EnoughReads].
//
// The factor is that of M. G. Natrella, Experimental Statistics (1963), as the NIST/SEMATECH e-Handbook of Statistical
// Methods has it in 7.2.6.3; the logarithms of the times are taken for normal.
func (t Times) Upper(of Share) time.Duration {
	n := float64(len(t.All))
	if n < EnoughReads {
		return 0
	}
	mean, squares := 0.0, 0.0
	for _, d := range t.All {
		mean += logOf(d) / n
	}
	for _, d := range t.All {
		squares += (logOf(d) - mean) * (logOf(d) - mean)
	}
	deviation, p := math.Sqrt(squares/(n-1)), float64(of)
	a := 1 - zConfidence*zConfidence/(2*(n-1))
	b := p*p - zConfidence*zConfidence/n
	k := (p + math.Sqrt(p*p-a*b)) / a
	return max(t.Longest, time.Duration(math.Exp(mean+k*deviation)))
}

// Share is a share of reads, as the quantile of the standard normal distribution below which it lies.
type Share float64

// In999 are 99.9 % of all reads.
const In999 Share = 3.0902

// logOf is the logarithm of a time of a nanosecond at least.
func logOf(d time.Duration) float64 { return math.Log(float64(max(d, 1))) }
