// Package truth holds a judgement against what is known: an API whose every moving part is labelled says of each place
// in its answers whether it moves and why, and a score says how far a list of verdicts agrees.
//
//	Truth    the labels of one API, by operation and place; Read reads its file
//	Score    how well a list of verdicts agrees with the labels
//	Proof    how well the labels agree with what the API answers: a test of the labels themselves
package truth
