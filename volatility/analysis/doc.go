// Package analysis opens a recording for analysis: what flows from one exchange to another, which operation each
// request is, what is secret, and the judgement of every place ([volatility.Map]). Whoever writes a map, a suite or a
// report of a recording, replays it, or patches a suite by it starts here.
//
// # The passes
//
// [Judge] reads the database three times, and each pass needs all of what the one before it found:
//
//  1. Exchanges. Find the bindings, which show only once the last exchange is known, and make an outline of each
//     exchange ([flow.Outliner]): a few hundred bytes that name operations and sequences later.
//  2. Steps, which are exchanges with what the runs observed. Prove the bindings: what runs refuse is not carried over,
//     and operations depend on what is bound. Collect the secrets, because a secret that the last exchange names must
//     be hidden in the first; a judgement copies samples as it goes, so it must know all of them before it begins.
//     Note the credentials that runs were refused with. Where there are such, a pass more weighs whether they lapsed
//     ([flow.Lapses]); if so, the bindings are proven once more, without what was answered to them.
//  3. Steps again, without the answers to lapsed credentials. Judge them ([volatility.Judge]); then apply the user's
//     rules for places, which have the last word.
//
// Where the API asked external services, they are read twice before the last pass: to name their paths and tell whose
// they are, then for what they answered; and the steps once more, for when those of such runs were under way.
//
// Three passes cost reading three times, and that is the point: a recording of 100 000 exchanges in ten runs has a
// million answers, and none of them stays in memory. What does stay grows with the exchanges by their outlines, and
// with the operations and places by what is known of them. Reading is ahead of the work in a goroutine of its own
// (package ahead). [JudgeWithSteps] is for those that need the answers themselves; it keeps the steps of the third
// pass.
//
// [Asked] tells of what services were asked, in the recording and in runs, for which exchange.
//
// [Trace] ends after the second pass. [Bind] is for a replay, which must know the bindings and nothing that is secret:
// it reads the exchanges, and the steps only where there are runs.
//
// [JudgeAll] makes the same passes over several recordings of one client. The newest is judged; each older one is
// aligned with it (package align), and what it recorded and what its runs answered are further runs of the newest. All
// databases are read beside each other, in the order of the newest. Recordings of other clients, the same one twice,
// and those with tokens in the place of secrets are refused; operations that not all of them have become warnings.
//
// # Invariants
//
//   - Nothing that is written after [Judge] shows a secret: the templates of operations and the names of bindings that
//     come from paths are concealed before the judgement uses them.
//   - The same database and options give the same result, byte for byte.
//   - Garbage is collected sooner while a long recording is read ([TuneGC]), and as before when Judge returns.
//
// # What it refuses
//
// A recording without exchanges, and one of which no exchange can be read. Where a part is damaged, the rest is judged
// and the map warns of each part; Bind stops at damage, because a replay that left out requests would be another one.
package analysis
