// Package stabilize makes a suite hold by rounds of running, learning and patching: what flaketap stabilize does
// between reading its flags and printing.
//
// # The algorithm
//
//  1. [Listen] looks for a base URL that is written into the suite: the recorder has to stand there.
//  2. The suite runs on fresh starts of the API, each run behind a recorder. A round whose runs all pass goes on to
//     [Options.Prove] runs in a row, and the suite holds. A round with a failing run goes on to [Options.Learn] runs,
//     so that there is enough to judge by.
//  3. Where a run of the first round sent fewer requests than the suite has calls, a test that failed hides some; and
//     of assertions that are not followed no answer tells whether they hold. Where it does no harm, a copy of the suite
//     runs with its assertions muted then (package suite/probe): the round is judged by these runs, and measured by the
//     others. The last of them is slower, so that what moves on by itself is seen to.
//  4. The runs of a round that fails are put together: the first is the recording, the others are aligned with it. A
//     [Patcher] patches the suite by that.
//  5. The patched suite is the next round's. A test that fails early hides what comes behind, which shows in the round
//     after. The rounds end when the suite holds, when a patch changes nothing, or after [Options.Rounds].
//  6. Where the suite holds, and [Options.Faults] asks for it, faults are planted in what the suite as it was and its
//     last form are answered, as verify does: which ones are told still.
//  7. Assertions that failed in a round's runs and that are not followed to an answer are listed ([NotFollowed]): muted
//     runs tell of each, others of the line that ended a test (seen.go). An [Explainer] finds what they look at.
//  8. [Result] says what came of it, as a table and as JSON.
//
// # What is on disk
//
// Beside the database DB is the folder DB.stabilize. For each round it has a folder with the suite of that round (but
// the first, which is the user's), the recording and the results of each run, and what the patch changed. A file is
// there whole or not at all, and the recording of a run comes before its results. What was done is read from these
// files, so a process that was killed goes on with the run that it was in, and comes to the same end: runs side by side
// (abreast.go) begin and are kept in the order of their numbers, and those of a further process find the recorder and
// the API at the same addresses ([KeptAddresses]). DB itself is the first round's runs put together.
//
// # What stays true
//
// The user's suite is not touched: patched forms and the muted copy run from the folder. A run that sends no request is
// an error, and proves nothing. Runs that broke off count as failures. Files of another suite, command or API are
// refused.
//
// # What it leans on
//
// A verify.Runner runs the suite, a [Patcher] patches it; the judgement and the dialects stand behind that. An
// [Explainer] ties assertions to answers, as flaketap why does.
package stabilize
