// Package order has the tests of a suite run in another order than they are written in. What a test leaves behind, and
// what it leans on, shows there: a suite that holds in one order only breaks with the next test that is added.
//
// A [Turner] is what a runner of tests is told for that: files that are written into a folder of their own, and
// variables of the command's environment. Neither the suite nor the command is changed. There is a file here for each
// language, and [All] lists them.
//
// # What stays true
//
// Tests of one file, and of one class, stay together, so that what is made once for them is made once. An order that
// the suite itself asks for, by marks and annotations, stays as it is. The same [Order] is the same order in each run.
// A runner that is told nothing this way (node:test, or a command that sets the variables anew) keeps the order as
// written: that shows in the results alone, so [Same] compares them, unless the runner has said that it draws one.
package order
