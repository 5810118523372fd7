// Package flaky explains why a test flaked: what flaketap why prints, of a suite in any language, by its recording.
//
// # The algorithm
//
//  1. Tests are gathered under the names that they have: in results, in files of the suite that package suite reads,
//     and in the marks of the recording. Names that mean one test are put together; [Input.Find] finds the one that is
//     meant.
//  2. A test is tied to its exchanges, by the surest way that there is: the marks that its client sent; the suite,
//     whose calls are found in the recording; the time at which its runner says that it ran, where that lies in the
//     recording or in a run of it. Where none of them works, that is said, with what would help.
//  3. What differs is gathered. Assertions that were read and that executions contradict come first (suite.Verdict).
//     Then each place of its exchanges in which a run differs from the recording, as far as the map calls it volatile.
//     A place is a cause where the failure shows what stood there, where it is another in those executions in which the
//     test failed and in no other, where the line that failed names it (or, where none is known, a line of the test),
//     or where the test sent nothing more once it was answered so; two signs outweigh one. Others are listed.
//     Of single assertions that failed ([Input.Asserted]) the values that they saw are known, run by run: a place that
//     had these is the surest cause.
//  4. Each cause is explained as inspect why explains a place, and by its category and evidence comes what to do.
//
// # What stays true
//
// Values that stood at a place and stand in a failure are evidence, and so is the name of the place in the line that
// failed; what only looks like a value of it is none. Where nothing ties a place to the failure, that is said. Texts
// are shown with tokens in the place of secrets: those of runners and suites, too.
//
// # What it refuses
//
// A name that no test has, or that several have; the error names those that were probably meant.
//
// It reads no file: results, suite and recording are given to it, read and judged.
package flaky
