// Package flakycatch judges as FlakyCatch does, the remedy for flaky tests that EvoMaster has built in: it is what a
// judgement of ours is held against. It is written from the published description of its rules, for tests and
// benchmarks alone, and shares no code with it.
//
// The rules: each answer is taken twice, and its status, its media type and its body are compared; no other header is.
// JSON is compared by key and, in arrays of one length, by index. Then nine expressions look for what may move in the
// text of the first answer: times, digests, UUIDs, random texts, objects, addresses, lines of source code. What differs
// or is found is volatile, whatever the reason.
//
// Where the published tool finds something and then loses it on its way into a test (a value that became null, a body
// that its own placeholder made unreadable), the finding counts here: the rules are compared, not their slips.
package flakycatch
