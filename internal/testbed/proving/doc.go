// Package proving is what the tests of the labelled APIs have in common: such an API in memory, on a clock of its own,
// with a client at work; and the experiments that prove its labels.
//
//  1. [API.Session] has the client drive the API and keeps what comes back, by route.
//  2. [Begin] takes one session as the recording; [Hold] holds further ones against it (package truth).
//  3. An [Experiment] changes one thing between the recording and its runs: the clock, the randomness, the machine. All
//     must move whose label follows from that, and nothing else may.
//
// Package trial is near to it and not the same: there, sessions become exchanges, to be judged; here they are held
// against labels, so that the labels themselves are right. Tests alone use it.
package proving
