// Package golang is the dialect of tests that people write in Go: package testing with net/http, and the assertions of
// testify, of go-cmp, and of plain conditions.
//
// A file is read in these steps: package source parses it and says which name is which; the statements of each test,
// and of each subtest, are followed in the order in which they run (follow.go), into the functions of the file that
// they call (inline.go), once for each value that a loop lists (rows.go), and once for all elements of an answer's
// list (through.go); what an expression stands for is found out (resolve.go, member.go, call.go, library.go,
// decode.go, buffer.go), the requests in it noted (request.go); conditions under which a test fails, and calls of
// testify, are read to trees of package expr (assertion.go, head.go, testify.go, meaning.go). The other way, trees
// are written as conditions of Go (package wording), in the idiom of the assertion that was there (write.go, head.go).
// What was written still compiles: no name and no import is left without a use (unused.go).
//
// The package refuses files that are not Go, and files whose names do not end in _test.go. Values that are made of too
// many others, and functions that call each other too deeply, are not known. Imported packages are not loaded: what
// they declare is known by its name alone.
package golang
