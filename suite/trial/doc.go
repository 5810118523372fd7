// Package trial plays the tests of a planned suite against an API before they are written, and plans them again by what
// that showed: a test that depends on what others leave behind, in a way that the recording does not tell, is weakened
// before anybody runs it, and what all its own answers agree on is asserted.
//
// The tests are played in order, backwards, side by side, a request of each in turn, and shuffled, twice, the second
// time by a slow client, since what counts the time that has passed moves then. Thus each test comes after each other
// one at least once, as it may in a runner that shuffles. Where the API can be put back to its start, each of these
// begins from there, as runs of the suite are to; elsewhere each finds what those before it left. Where the API is back
// at its start quickly, each test is played alone too, and with all others between two of its requests. An API that is
// started for the trials has another time thrice more, in the other half of the day and at both ends of it, once in
// another year: what follows the hour or the date moves then, and days change. A suite of exact values is not tried:
// nothing in it is weakened. Where the API refuses a credential that the tests send, its answers are no evidence, and
// nothing is planned ([RefusedError]).
//
// [Result.Strengthen] measures what the plan tells: it plants faults (package suite/mutant) in what the tests were
// answered in the first trial, one at a time, and plans once more as if a further trial had been answered so. Where the
// plan would say less then, an assertion tells the fault. Each of those that are missed is told by an assertion that is
// added, where all answers of the recording, the runs and the trials bear one, or gets the reason why there is none.
//
// The plan says how its tests are played ([play.Answers.Try]), so that a trial does what the written tests do; what is
// here starts the API and puts it back (package replay/service), sends the requests, byte for byte as the tests send
// them, and reads the answers.
package trial
