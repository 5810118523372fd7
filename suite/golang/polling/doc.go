// Package polling has tests in Go send a read again until its answer is ready: a function that does so, once in a file,
// and the call of it around the read. A sleep that stood before the read is taken away.
//
// Where the test gets an answer that nobody has looked into, the call stands in the read's own place. Functions of the
// package that send it and use its body or its status would have looked too early: for these the request is written out
// as they send it, and sent ahead of the statement until it is ready (sent.go); then they send it once more.
package polling
