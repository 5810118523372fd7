package confidence

import "math"

// Bound is the one-sided 95 % Clopper-Pearson bound on the chance of a change, given k changes in n
// observations: the p at which k changes or fewer would come about in 5 % of all cases. For k = 0 that is 1-0.05^(1/n),
// about 3/n. Without observations it is 1. It is rounded up to four digits.
func Bound(k, n int) float64 {
	if n <= 0 || k >= n {
		return 1
	}
	var p float64
	if k == 0 {
		p = 1 - math.Pow(0.05, 1/float64(n))
	} else {
		p = betaQuantile(0.95, float64(k+1), float64(n-k))
	}
	return math.Min(1, math.Ceil(p*1e4)/1e4)
}

// betaQuantile returns x with I_x(a, b) = q, by bisection: I is monotone in x.
func betaQuantile(q, a, b float64) float64 {
	lo, hi := 0.0, 1.0
	for range 60 {
		if mid := (lo + hi) / 2; incompleteBeta(mid, a, b) < q {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// incompleteBeta returns the regularised incomplete beta function I_x(a, b), by the continued fraction of DLMF 8.17.22,
// on the side of the mean on which it converges quickly.
func incompleteBeta(x, a, b float64) float64 {
	if x <= 0 {
		return 0
	}
	if x >= 1 {
		return 1
	}
	if x > (a+1)/(a+b+2) {
		return 1 - incompleteBeta(1-x, b, a)
	}
	logA, _ := math.Lgamma(a)
	logB, _ := math.Lgamma(b)
	logAB, _ := math.Lgamma(a + b)
	front := math.Exp(logAB - logA - logB + a*math.Log(x) + b*math.Log1p(-x))
	return front / a * betaFraction(x, a, b)
}

// betaFraction evaluates the continued fraction from its first term on, by the method of Lentz.
func betaFraction(x, a, b float64) float64 {
	const tiny = 1e-300
	avoidZero := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	c, d := 1.0, 1/avoidZero(1-(a+b)*x/(a+1))
	f := d
	for m := 1.0; m <= 500; m++ {
		even := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		d = 1 / avoidZero(1+even*d)
		c = avoidZero(1 + even/c)
		f *= c * d
		odd := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		d = 1 / avoidZero(1+odd*d)
		c = avoidZero(1 + odd/c)
		f *= c * d
		if math.Abs(c*d-1) < 1e-14 {
			break
		}
	}
	return f
}

// quantile is that of the standard normal distribution which is exceeded as seldom.
const quantile = 3.09

// ChiSquared is the quantile of the chi-squared distribution that is exceeded once in a thousand times, by the
// approximation of Wilson and Hilferty (1931).
func ChiSquared(degrees float64) float64 {
	x := 2 / (9 * degrees)
	return degrees * math.Pow(1-x+quantile*math.Sqrt(x), 3)
}
