// Package suite turns recordings into executable tests, and mends the tests that others wrote.
//
// [Pytest] writes a project from a recording: one test per sequence, assertions by what holds, ids carried over.
// [ReadPython] reads a suite of EvoMaster's Python format to its [exchange.Claim] values, and [Patch] weakens the
// claims that observations contradict to the strongest thing that is true of all of them.
//
// The package writes no files and starts nothing: it is given the steps of a recording and returns bytes.
package suite
