// Package align finds which exchange of a run is which of a recording, for whole runs: those of a client that ran
// again, and those of files of other tools. [Exchanges] aligns lists, [Tracks] what was kept of runs that do not fit in
// memory.
//
// # The algorithm
//
//  1. [Track.Add] keeps of each exchange its fingerprint, its route, its thread and hashes of its values, so that the
//     messages need not be kept.
//  2. The requests of both sides become numbers on three levels: exactly the same (the fingerprint); the same operation
//     with the same values, but for those that one side alone has, since a client made them up; the same operation.
//     Operations are found over both sides together, so that an id of one side meets that of the other. What an API
//     answers is looked at only to tell routes apart.
//  3. The two lists of numbers are aligned in order: what both begin and end with first, because most runs are the
//     recording again; what is short then in full, by dynamic programming; what is long between anchors, which stand
//     once on either side (as in a patience diff), or window by window where there are none. Time grows with the
//     length, not with the product of the lengths.
//     Of a request that only reads and was sent several times in a row, as by a client that polls, the last time is
//     paired with the last; of several such requests in a row, each with its own. What is
//     exactly the same and came before or behind others of its operation, as in a loop over a map, is paired at last.
//  4. Where requests were sent side by side, or test cases bear names, the same is done lane by lane: order holds
//     within a connection or a test case alone. Of the two alignments the one counts that finds more.
//
// # Invariants
//
// Each exchange is in one pair, and the recorded ones are in order. A run that is aligned with itself is its own
// counterpart. A pair is always of one operation. Everything here is pure.
//
// # What it refuses
//
// It does not guess across operations, however well the places fit: an exchange that no other is like is lost or added.
// Values beyond the 48th of a request are not looked at.
//
// # What it leans on
//
// Needleman and Wunsch (1970) for the table; Bram Cohen's patience diff for the anchors. That equal values come
// together by chance, and how often, is weighed as bonus says.
package align
