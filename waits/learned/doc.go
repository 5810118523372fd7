// Package learned says what a recording of a suite, with its runs, knows of a sleep: which read it lets an API be ready
// for, how long that took where it was seen, and the file with a test that asks again in the place of the sleep.
//
// The read is the first request behind the sleep in its test, as the text of the suite has it. Where that cannot be
// read, it is any of the one operation that was seen to be ready later, if there is only one. Polling is written as
// patch writes it, by the dialect of the suite, and nothing else in the file changes.
package learned
