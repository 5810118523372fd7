// Package inorder sees how the answers to requests go on from one to the next, within the recording and within each
// run: whole numbers, which a counter raises or lowers and chance does not, and refusals, which come in a row once a
// limit is reached.
//
// What a limiter of requests says, or a counter that something sets back now and then, is another in each run, and
// looks drawn to who holds one answer against another. It shows itself in the order in which a run sent its requests.
//
//   - [Numbers]: from one answer of a run to the next the number goes on by one, or by as much as it did in the
//     recording; or what is waited for comes nearer by as much as time passes. Numbers that are drawn do neither.
//   - [Refusals]: refused and not refused take turns as often as if each were drawn, or less often.
//   - [Progress]: asked again, the number is larger, and larger too in the run that asked later after what it had made.
//
// Beside these it has what looks at a place from run to run: [Rate], whether numbers grow by the same in each second,
// [Shifts], whether those of a run are all off by the same, [Agreement], whether values are all the same, [Monotone]
// and [Evenly].
//
// It is for one place of one operation, or for one operation, and is told of the recording and the runs step by step,
// in the order of the recording. It keeps one number for each run, and of a Progress one for each request too, up to a
// bound. It knows nothing of names, places and categories: what follows from what it sees is for the judgement.
package inorder
