// Package build makes the [plan.Plan] of a suite from a recording and its map: one test per recorded sequence, each of
// which makes what it needs and takes away what it made, so that it passes alone, first or last.
//
// # Algorithm
//
// [Plan] goes through the recording in this order; each pass needs what those before it found:
//
//  1. Read the recording once (newBuilder): the base URL of most exchanges, the exchanges by sequence, and as a
//     [setup.Session] what they did to the API. Values that never differ are no bindings: they are sent as recorded.
//     Secrets of target and head that no answer gave are credentials of the client (readCredentials): they get names,
//     by which whoever runs the suite gives others.
//  2. Read what tells of the recorded client alone (readNoise), which tests leave out. Read the state (readState): how
//     answers to alike requests differ, since they follow from what was sent before; and which reads replays had to
//     ask again until the API was done (readSlow), as tests do too.
//  3. Read the accounts (readAccounts): which sign-ups some login needs, and tests can share.
//  4. Draft the tests (drafts): a test per sequence, cut where it is long, put together where the outcome lies in the
//     repetition (againTogether), or where one reads what another changed and no set-up may (readBack), without those
//     that show nothing new (kinds).
//  5. Write each test (test): its set-ups, which are what the session says that its exchanges depend on; its own
//     requests; the clean-ups that the session knows for what it made. Logins and sign-ups are shared by all tests.
//  6. Say what each answer must be (checks): what the map calls stable as recorded, what moves as what holds of it, and
//     what an earlier answer of the test said as that (saidBefore); then weaken what depends on other tests (State),
//     and what trials contradict (applyTrials), because trials know the most; last, say how far times lie from their
//     answers (near), which numbers are times that the API measured and have no range (measured), which
//     move by very little of themselves (narrow), how far values lie
//     from those of earlier ones (since), of what a value is a digest (digests), and which numbers are products of
//     earlier ones (products), which takes all executions. Of an array whose elements come and go it says which are
//     always there (among). A test that was tried often enough is judged by its own answers (ownAnswer), and by the
//     session's only where that says what would move.
//  7. Split the groups that became too large for a file.
//
// # Trials
//
// Package play plays a plan against the API as the forms do. What the answers contradict is weakened when [Plan] runs
// again with them in its [Options]; where they refuse a credential, they tell nothing of the API. [Count] tells how
// much of the recording a plan asserts.
//
// # What it refuses
//
// An exchange that cannot be sent again (a fault, a malformed or cut message, CONNECT) is left out of its test with the
// reason. What a set-up or a clean-up may touch is for [setup.Session] to say; nothing that the test did not make is
// ever deleted. A JSON body that is large or deeply nested is asserted in outline.
package build
