// Package golang is the dialect of tests that people write in Go: package testing with net/http, and the assertions of
// testify, of go-cmp, and of plain conditions.
//
// A file is read in these steps: the standard library parses it and says which name is which (golang.go, file.go); the
// statements of each test, and of each subtest, are followed in the order in which they run, into the functions of the
// file that they call (follow.go, inline.go); what an expression stands for is found out (resolve.go, member.go,
// call.go, library.go, decode.go), the requests in it noted (request.go); conditions under which a test fails, and
// calls of testify, are read to trees of package expr (assertion.go, condition.go, testify.go, meaning.go). The other
// way, trees are written as conditions of Go that fit the static types of what they look at (source.go, typed.go,
// place.go), in the idiom of the assertion that was there (write.go). What was written still compiles: no name and no
// import is left without a use (unused.go).
//
// The package refuses files that are not Go, and files whose names do not end in _test.go. Values that are made of too
// many others, and functions that call each other too deeply, are not known. Imported packages are not loaded: what
// they declare is known by its name alone.
package golang
