// Package match answers one question: which recorded request is this one? The other may be a call of a suite, a request
// that just came in, or one of a further execution. Who asks decides what has to agree and what stands in for it; how
// near two requests are, where equal ones stand, and which of several is meant is said here, once.
//
// # The answers, from the surest to the weakest
//
//  1. The same request: [exchange.Exact], the fingerprint. Where equal requests came more than once, the first of a
//     further execution is the first of the recorded, and so on: [Occurrences].
//  2. The same target: method, path and query, however a client escapes them ([SameTarget]). Whether the bodies say the
//     same is asked apart ([SameBody], [SameJSON]), since a suite that was written by a generator spells JSON otherwise
//     than the generator sent it.
//  3. The same operation, with values that the client makes up anew each time: all values stand at the same places, and
//     those that differ look made up on both sides ([MadeUp]).
//  4. The same route: method and path, but for each segment that is no word. Ids have moved then, and what is asserted
//     of the answers has to tell.
//
// An [Index] finds the recorded requests of 2 and 4. Where several are left, their order decides, because who sends the
// same requests again sends them in the same order: [Chain] picks one for each call of a test, near to each other.
//
// # Who asks, and what stays there
//
//   - Package flow/align, for whole runs. The same three levels (the same, but for made-up values, the operation) are
//     numbers there, of both sides at once: 100 000 exchanges are aligned in two seconds, without their messages.
//   - Package suite, which calls of a suite sent what is in an execution of it, or in a session. What a suite writes
//     has holes, locations that are resolved, and tests that end early; its alignment has costs for these. In a session
//     it takes the place where most calls are found, and may miss some.
//   - Package suite/setup, which exchanges of a session a test stems from: all of them, or there is no set-up.
//   - Package suite/steady, as requests come in. It knows where each connection stands and nothing of what will come.
//   - Package suite/verify, which compares the answers to equal requests of several runs of a suite, whose tests may
//     run in any order: 1, and nothing weaker.
//
// # Invariants
//
// Everything here is pure, and the same for both sides: if a is as near to b as a level says, b is to a.
//
// # What it refuses
//
// Headers tell requests apart in the fingerprint alone: cookies and credentials are other ones in each execution.
// Bodies beyond [jsontree.MaxText] are compared as bytes.
package match
