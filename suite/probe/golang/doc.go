// Package golang rewrites a copy of a suite in Go so that an assertion that fails does not end its test: go test offers
// nothing that could be hooked.
//
// The files of a folder are parsed and checked together, one package at a time (folder.go). What asserts is given a
// test that goes on (mute.go): receivers of Fatal, Fatalf and FailNow, and what testify's require is given. Before a
// request that is made of an answer, the test looks whether that is there (given.go, sends.go). Tests are noted as they
// begin, and where they end early (tests.go). Each package gets a file that does this as it runs (muted.go.txt). No
// line moves.
//
// What looks at an error stays live, since nothing behind it could be evaluated, and so does what ends a loop that only
// it ends. In what goroutines, libraries and hooks call, an assertion is live as it runs.
package golang
