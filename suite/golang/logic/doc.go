// Package logic turns conditions of tests in Go round: a test fails under the opposite of what it asserts. What comes
// of that is written as package expr has words for it: one of some values, a value between two others.
//
// It looks at trees alone, and knows of no file. What it cannot say shorter it leaves as it is.
package logic
