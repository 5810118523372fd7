// Package earlier finds how values of an answer follow from those of earlier answers of the same test, in all
// executions of both: the recording, runs, trials. What is worth to be asserted of that is for package build.
//
//   - [Same]: an earlier answer said the same, at a place of the same name.
//   - [Since]: a number is always as much higher or lower, a text always another one.
//   - [Product]: a number is the product of two others.
//
// Each is stated where no execution contradicts it, and enough of them, with values that differ, speak for it, so that
// chance is no explanation: [Same] computes how likely that is, the others ask for long values. Where an exchange was
// answered several times in one execution, the last answer before the other counts.
package earlier
