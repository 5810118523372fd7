// Package build makes the [plan.Plan] of a suite from a recording and its map: one test per recorded sequence, each of
// which makes what it needs and takes away what it made, so that it passes alone, first or last.
//
// # Algorithm
//
// [Plan] goes through the recording in this order; each pass needs what those before it found:
//
//  1. Read the recording once (newBuilder): the base URL of most exchanges, the bindings by producer, use and
//     value, and the exchanges by sequence. Values that never differ are no bindings: they are sent as recorded.
//  2. Read the state (readState): which exchange changed which resource. Without it, no set-up is known to be
//     missing.
//  3. Read the accounts (readAccounts): which sign-up belongs to which login, since a login on a fresh API needs
//     it.
//  4. Draft the tests (drafts): a test per sequence, cut where it is long, without those that show nothing new.
//  5. Write each test (test): its set-ups, which are what gives the values that it sends and what has changed the
//     same resource since; its own requests; the clean-ups of what it made. Logins and sign-ups are shared by all
//     tests.
//  6. Say what each answer must be (checks): what the map calls stable as recorded, what moves as what holds of it;
//     then weaken what depends on other tests (State), and last what trials contradict (applyTrials), because trials
//     know the most.
//  7. Split the groups that became too large for a file.
//
// # Trials
//
// [Answers] plays a plan against the API as the forms do, in either order. What the answers contradict is weakened when
// [Plan] runs again with them in its [Options]. [Count] tells how much of the recording a plan asserts.
//
// # What it refuses
//
// An exchange that cannot be sent again (a fault, a malformed or cut message, CONNECT) is left out of its test with the
// reason. A clean-up is made only where its target names an id that the same test's answers gave; nothing that the test
// did not make is ever deleted. A JSON body that is large or deeply nested is asserted in outline.
package build
