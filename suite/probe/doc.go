// Package probe has a suite run with its assertions muted: each is evaluated, and one that fails lets its test go on.
// So one run sends every request of the suite, where a run as it is stops each test at its first failure.
//
// A [Probe] is what a runner of tests loads for that: files that are written into a folder of their own, and variables
// of the command's environment; or another text of the suite's files, where what runs is compiled from these. The suite
// runs from a copy; neither its files nor the command are changed. There is a file here for each language, and [All]
// lists them.
//
// # What stays true
//
// A test fails in a muted run where it would have failed, by its first failure, told at its end. Assertions that
// something waits for stay live: under try, in pytest.raises, in what retries, in fixtures, outside of tests. Where a
// statement of a test cannot be evaluated behind a failed assertion, the test ends there, and the log names the line.
//
// The log ([Log], whose comment is its format) tells of each assertion that failed where it stands and what it saw; of
// those that held it tells nothing, since evaluating them is to cost no more than without.
//
// # How
//
// Python lets a module's syntax tree be rewritten as it is imported, so there each assertion is. In JavaScript a file
// may be anything that is compiled to it, so there the libraries of assertions are met as they are loaded: an assertion
// that fails asks the stack, and the source that it names, whether something may wait. Where neither tells, it is live.
//
// Go has no hook and no exceptions, so the copy's source is rewritten (package golang): what asserts is given a test
// that does not end. So it is in Java (package junit), where no extension can have a test go on in its middle, and each
// build sets a class path of its own. Behind a failure, a request that is made of what an answer does not have is not
// sent: none of these languages would raise anything for that.
package probe
