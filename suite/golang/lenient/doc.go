// Package lenient says what conditions of tests in Go mean where an answer lacks a member: a field or an element of a
// map has the zero value of its type then, and a condition that this fulfils holds.
//
// A step that gives a zero value is an expr.Get with that as its default. Conditions are taken apart only as far as
// expr.And and expr.Or go: what is within any other condition is looked at as a whole.
package lenient
