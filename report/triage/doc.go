// Package triage says of each failed test of a CI run whose fault it is: what flaketap triage prints.
//
// # The algorithm
//
//  1. Package report/flaky gathers the tests that failed, ties each to its exchanges, and reads what its failures show.
//  2. Where the run was recorded, each answer of a failed test is held against all that was seen before it (package
//     volatility/breach). A breach is a [Regression], whatever the failing line is about: the API answered what it
//     never did. A header that is new counts where the failure shows or names it, as few tests look at such; so does
//     any breach where the tie is rough, since the answer may be a neighbor's.
//  3. Else the failure is known where what it shows, or the line that failed names, is a place that moves: [Volatile],
//     or [State] where that follows what was sent before. Where the line tells nothing, and all that differs in the
//     answers of the test are such places, it is one of them.
//  4. Where the run was not recorded, the failure is all there is: the value that it shows and the line that failed are
//     held against what the test's exchanges had in earlier runs, or, without these, against the map.
//  5. A statement that no answer can satisfy is a [Slip].
//  6. Whatever remains is [Unknown], with what is missing to tell.
//
// # What stays true
//
// No name and no look of a value makes a regression: an answer outside of what was observed does, and how many
// observations that were is part of the evidence. Where they are too few, where the run began in another state than all
// others, or where the same test passed in the same run as well, that is said instead.
//
// [Open] reads the recordings; results, suite and map are given to it, read.
package triage
