// Package setup finds what a test of a suite depends on, and what takes away again what it makes: for suites that
// others wrote and that are patched, and for suites that are written from a recording. What it gives are exchanges of
// the recording, with the values that one takes from the answer of another.
//
// # The model of a session
//
// [Session] reads a recording once, and has one answer to each of these questions:
//
//  1. What is there? Resources by path: made, changed, taken away, shown, and how many of each (history.go, born.go;
//     package listing).
//     Resources by id: which answer gave the value that a later request names (the bindings of package flow).
//  2. Who signed up whom a request logs in? The last write to another path that sent the same passwords and tells of
//     the same name; what only gives a credential is no sign-up (account.go).
//  3. What does an exchange depend on? What gave it values, the sign-up, what changed since the things that its values
//     name, and where it was refused, the same request that went well (depend.go: [Session.Givers],
//     [Session.DependsOn]). Who changed a resource is looked up in one index of writes ([Session.Writes]).
//  4. Does a request end the session that it is sent in? It says so, or its credential was refused since
//     ([Session.Ends]).
//  5. What may a set-up or a clean-up touch? Only what the same test made ([Session.Harmless]).
//  6. What takes away what a test made? A recorded DELETE of that thing, or of one like it, with the ids and the
//     credential of the test's own answers ([Session.CleanUps]).
//
// A suite that is written asks these alone (package suite/write/build): each of its tests is given all that an exchange
// depends on, since nobody will try which part of it is needed. To patch is another question: which few requests bring
// about the claims of a test that an execution contradicted, no more than a reader follows and trials can prove. It is
// [Finder]'s, on top of the same session. A part of the session that a test is given back is a [Graft]: requests to
// send before the test's own calls, values of their answers to use in these, and clean-ups. [Search] proves it by
// trials on the API, which a [Trier] makes.
//
// # What is found for a test that is patched
//
//  1. Locate the exchange that each call of the test stems from (locate.go), since a suite holds copies of what was
//     sent.
//  2. Keep the claims that an execution contradicts (claim.go): what holds anyway needs nothing. Claims upon the id of
//     what the test makes itself are left out, since that id is another at each start.
//  3. For each such call choose, in this order: what gave it values, and who signed up whom it logs in; what made or
//     took away the resources that it names; the elements of the list that it asks for; who wrote the values that are
//     wanted (content.go). What is chosen needs the same itself. The surest reasons come first, because each step that
//     they explain is one that need not be guessed.
//  4. Where all that explains nothing, choose by time: the write between the last answer that was other and the first
//     that was as wanted, if it is about the same thing.
//  5. Find the calls of the suite itself that broke it before (pollute.go).
//  6. Bind the values that steps give to where later requests and claims name them (graft.go).
//
// # What is proven by trials
//
//  0. Where executions were refused what the test makes, find the fewest of its values with others of which it is made
//     again (search_fresh.go): from then on each trial draws them.
//  1. Send the test alone on a fresh start. What holds there needs no set-up.
//  2. Try what the recording proposes, because that takes one trial; if it is not enough, all that may have to do with
//     the test (repeat.go: also what repeats its values), reduced by delta debugging that halves (Zeller and
//     Hildebrandt 2002).
//  3. Leave out one request after the other, the last first, until each is needed.
//  4. Prove it: twice with all of it and its clean-up, and once more without.
//  5. Prove what the suite's own earlier calls break, in the same way.
//
// # Invariants
//
// A request that changes state is sent only where it touches what the same test made: [Session.Harmless] decides it for
// set-ups, and [Session.CleanUps] by the same rules for clean-ups. Proven is said of trials alone. A request is never
// sent before those that it takes values from. Everything here is pure; an API is reached through Trier only.
//
// # What it refuses
//
// In what is patched, set-ups of more than 5 requests, which no reader follows; more than 40 trials for one test;
// whatever may touch what the test did not make. [Graft].Refused says which, so that the test is weakened instead.
package setup
