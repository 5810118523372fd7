// Package confidence says how sure it is that something happens no more often than it was seen to: [Bound], the
// one-sided 95 % bound on the chance of a change, and [ChiSquared], by which it is told whether one chance accounts for
// all of what was seen, so that it may be pooled; [Dispersion] counts that. What is counted as one observation is for
// the judgement.
//
// It leans on Clopper and Pearson (1934), The use of confidence or fiducial limits: the bound by the incomplete beta
// function's continued fraction, DLMF 8.17.22, evaluated by Lentz's method; and on the chi-squared distribution's
// quantile by Wilson and Hilferty (1931).
package confidence
