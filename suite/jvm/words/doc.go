// Package words says conditions in Java and in Kotlin: what a value is compared with, matched by, cast to.
//
// A [Language] is handed the sources of values and gives the source of what is said about them (words.go). It knows
// nothing of assertions, and does not check that a source has the type that it is said to have.
package words
