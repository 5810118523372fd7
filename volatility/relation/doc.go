// Package relation says how values of one answer follow from each other: total is the sum of prices, updatedAt is no
// earlier than createdAt, a list is sorted by its ids. It finds such relations in answers, and holds answers against
// them. It knows nothing of what moves; which relations are worth stating is for the judgement.
//
// # How relations are found
//
// They are found as likely invariants are: what the first answers satisfy are the candidates, every answer after them
// is held against what is left, and the first counterexample ends a candidate. A [Miner] has the answers of one
// operation:
//
//  1. Places are gathered into scopes (mine.go): those that have one value in an answer, and those that have one in
//     each element of an array. Counts and totals over an array become variables of the scope around it.
//  2. The first rows that differ are kept, 32 of six exchanges, or 128 of fewer (keep); then candidates are made of
//     them (find.go): first equalities, as of equal variables one stands for all; then, of pairs: offset, ratio, order;
//     then sums and products of three; then texts that hold values; orders of arrays are followed from the first
//     element on.
//  3. Every further row is tested (prove.go): it ends candidates, or counts for them. Only places that a candidate
//     still needs are picked out of answers, so that most cost nothing.
//  4. [Miner.Relations] states what is left and no chance: a relation is stated where data that have nothing to do with
//     each other would satisfy it less than once in a hundred times, over all candidates that were thought of (a
//     Bonferroni correction, counted in bits).
//
// # What is always true
//
// A relation is said of answers in which all of its places are there and not null. Numbers are computed with as the
// decimals they are written as ([decimal]): 0.1 + 0.2 is 0.3. No answer is kept: values of kept rows are copied. What
// is found does not depend on the order of Go's maps.
//
// # What it refuses
//
// More than 16 arrays, 64 places of a scope, 48 numbers in pairs and 24 in triples are not looked at; numbers beyond 18
// digits equal themselves alone. A time that a clock read twice would show is equal to another by the microsecond only,
// and none is the later one of two where some of their pairs are as near as such readings are.
//
// # What it leans on
//
// Ernst et al., The Daikon system for dynamic detection of likely invariants (2007), for the method and for the
// justification of what is found; FNV-1a for telling rows apart.
package relation
