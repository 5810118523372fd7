// Package gotest writes a plan as a Go module of tests, which needs the standard library only: go test ./... runs it.
//
// A file holds the tests of a group; the recorded values and the set-ups that tests share stand in a file of their own.
// The source is written without regard to layout and then formatted by go/format.
//
// The runtime sends with net/http and compares JSON by value. Requests that net/http does not send (an odd method, a
// target that is no path) are left out with a comment, and so are content codings that it does not read.
package gotest
