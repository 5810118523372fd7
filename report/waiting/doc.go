// Package waiting puts together what a report shows of waits: how the commands of a suite for browsers, and the reads
// of an API that is ready later, went; which wait was chosen for them, and what is not waited for, with the reason.
//
// [Panel.AddFile] reads what `flaketap waits record` and `flaketap waits tune` wrote. [Reads] takes the answers of a
// recording. What they say is theirs: nothing is judged here.
//
// A session does not name tests. Where the text of the suite is at hand, and is the one that was recorded, a command
// belongs to the test around its line; one of a helper to the test that calls it, as far as the order tells: from where
// a page is opened, to the next one, else to the one before.
package waiting
