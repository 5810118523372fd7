// Package align finds the exchanges of a recording that the calls of a suite were: those that its source shows, against
// all that were recorded, other files' among them.
//
//  1. A mark that the client set says which test sent an exchange; where there are any, they decide (marks.go).
//  2. What a call sends and what was recorded agree more or less: in the method, the target, the body, the status that
//     the test expects (target.go, [Agreement]).
//  3. The calls, test by test, are aligned with the exchanges, in order, at the greatest worth: agreement counts, and
//     what is left out costs, within a test more than between two ([Calls]). In which orders runners run
//     tests is known ([Orders]).
//  4. What a test sends in any order has no place in an alignment, and is looked for afterwards ([Shuffled]).
package align
