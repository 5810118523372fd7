// Package wording says conditions as tests in Go do: as expressions of Go that fit the static types of what they look
// at (condition.go, typed.go), or in the words of testify (testify.go). What leads to a value is told by the names that
// a test has for what it took from answers (place.go); what Go finds true of itself, as a value that is missing is a
// zero value, is left out (zero.go).
//
// It says nothing of where the text is put, and writes no condition that does not compile there.
package wording
