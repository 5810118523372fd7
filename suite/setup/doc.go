// Package setup finds which part of a session a test of a suite depends on, and gives it back: requests to send before
// the test's own calls, values of their answers to use in these, and requests that take away afterwards what was made.
// The three together are a [Graft]. [Finder] finds it in the recording; [Search] proves it by trials on the API, which
// a [Trier] makes.
//
// # What is found in the recording
//
//  1. Read the session once into a history of its resources: which were there before it, which it made, changed and
//     took away (history.go). Only then can be said what a fresh API lacks.
//  2. Locate the exchange that each call of the test stems from (locate.go), since a suite holds copies of what was
//     sent.
//  3. Keep the claims that an execution contradicts (claim.go): what holds anyway needs nothing. Claims upon the id of
//     what the test makes itself are left out, since that id is another at each start.
//  4. For each such call choose, in this order: what gave it values (bindings); who signed up whom it logs in
//     (account.go); what made or took away the resources that it names; the elements of the list that it asks for
//     (list.go); who wrote the values that are wanted (content.go). What is chosen needs the same itself. The surest
//     reasons come first, because each step that they explain is one that need not be guessed.
//  5. Where all that explains nothing, choose by time: the write between the last answer that was other and the first
//     that was as wanted, if it is about the same thing.
//  6. Find the calls of the suite itself that broke it before (pollute.go).
//  7. Bind the ids that steps give to where later requests and claims name them, and look for requests that take away
//     what the steps made (graft.go).
//
// # What is proven by trials
//
//  1. Send the test alone on a fresh start. What holds there needs no set-up.
//  2. Try what the recording proposes, because that takes one trial; if it is not enough, all that may have to do with
//     the test, reduced by delta debugging that halves (Zeller and Hildebrandt 2002).
//  3. Leave out one request after the other, the last first, until each is needed.
//  4. Prove it: twice with all of it and its clean-up, and once more without.
//  5. Prove what the suite's own earlier calls break, in the same way.
//
// # Invariants
//
// A request that changes state is sent only where it touches what the same test made: [Session.Harmless] is the one place
// that decides it, for set-ups and clean-ups, of suites that are patched and of suites that are written. Proven is said
// of trials alone. A request is never sent before those that it takes values from. Everything here is pure; an API is
// reached through Trier only.
//
// # What it refuses
//
// Set-ups of more than 5 requests, which no reader follows; more than 40 trials for one test; whatever may touch what
// the test did not make. [Graft].Refused says which, so that the test is weakened instead.
package setup
