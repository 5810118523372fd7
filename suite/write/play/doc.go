// Package play plays the tests of a [plan.Plan] against an API as the forms do, and keeps what their steps answer, by
// which the plan is judged anew.
//
// # Algorithm
//
//  1. The tests are taken in an [Order]: one after the other, or abreast, a request of each in turn.
//  2. A test sends its steps: set-ups, which tests may share, what is tested, clean-ups. It fills in what earlier
//     answers of the same test gave, and asks a step again that is waited for.
//  3. A set-up without which there is nothing to be tried, or a status that ends the test, ends it; what cleans up is
//     sent all the same.
//  4. The answers are kept by the recorded exchange of their step ([Answers]). [Answers.Refused] tells which
//     credentials the API did not take.
//
// # What it refuses
//
// It has no opinion of the answers, and sends nothing itself: whoever tries a plan gives the function that sends.
package play
