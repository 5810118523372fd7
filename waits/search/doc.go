// Package search finds a time for a wait by running its test with one time after the other.
//
// [Search.FirstMatch] and [Search.ToTheEnd] are the searches of TRaf: halves of the range between a time with which the
// test flakes and one that is suggested for it, down to 5 ms; a time holds when its runs have all passed, and the first
// that fails ends it. A [Ledger] runs the tests and remembers what came of each time, so that two searches share it.
//
// A time that the search goes on from need not be proven, only told from a bad one: that takes the runs of a sequential
// test ([Sequential]), fewer than a proof. The time that is chosen has them all.
//
// Everything here is pure: who runs a test is behind a function.
package search
