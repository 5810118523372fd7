// Package wander walks through an API as a fuzzer does that knows its operations and nothing else, and remembers where
// each value that it sent came from: made up, of the seed data, or from which place of which earlier answer. So it can
// make the same walk again with the values of another run in their places. That is the oracle for what a test of it
// depends on, which owes nothing to whatever finds bindings in recordings.
//
//  1. An [API] is a list of operations, in which placeholders name kinds of values (apis.go).
//  2. [Walk] makes a walk: people come one after the other, most of them log in, and each does a few things, by a seed.
//  3. [Walk.Tests] cuts tests out of it, in the way in which EvoMaster does: for each operation and status a few of the
//     steps, with the login that they need, sometimes with the step before.
//  4. [Walker.Again] makes steps of a walk once more.
package wander
