// Package search finds out by trying which sequences of a recording change how others go ([Polluters]). A trial puts
// the API back to its start, plays some of what was recorded, and looks at what comes of it ([Trial]). [PlayerTrier]
// makes trials with a player for the search of package setup, which asks what a test of a suite depends on.
//
// # Polluters
//
//  1. Play everything in the recorded order and in another one. What differs in one of them alone are the victims.
//     Where an order does not give the same twice, play both some more times: an API whose answers move by themselves
//     must not be taken for one that depends on order.
//  2. For each victim, play it first. If it then goes otherwise, something that was recorded before it sets it up; if
//     it goes as recorded, something that was played before it pollutes it. That tells which sequences are suspects.
//  3. Look for one suspect that makes the difference alone: play those that bear half of the suspicion, and weigh all
//     anew by what came of it (Bayes), so that a trial that is wrong by chance costs trials and not the result.
//  4. If there is none, look for several that do so together, by delta debugging that halves (Zeller and Hildebrandt
//     2002, Simplifying and Isolating Failure-Inducing Input).
//  5. Ask in two trials which other victims have the same reason, since usually many have.
//
// # Invariants
//
// Nothing is claimed that was not seen in trials: a search that has used up its trials says what is left open. A
// sequence is never played before those that it takes values from.
//
// # What it refuses
//
// More trials than its limit: 40 unless told otherwise.
package search
