// Package hurl is the dialect of Hurl's files: entries of a request and what is said of its answer. A file is one test.
//
// A file is read line by line: requests, headers, sections, bodies (hurl.go); asserts are a query, filters and a
// predicate (assert.go). They are written back in the same form (write.go), a status that may be one of several among
// the asserts, as its own line has room for one. Set-ups are entries before the first, clean-ups entries behind the
// last (graft.go).
//
// A path over all elements of an array ([*]) leads to the array of what they have there. Hurl compares no arrays: a
// list on the right of == is read all the same, and what holds of the array is said with count and includes.
//
// Hurl has no "or", and so no guard: what would need one is commented out. It ends a file with the first entry that
// fails, so that a clean-up is sent only where all before it holds, which the file says.
package hurl
