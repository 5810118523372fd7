// Package volatility judges which places of an API's answers move, how, why, and how sure that is. It is pure: no
// files, no sockets, no clock of its own.
//
// [Judge] reads a recording step by step, each exchange beside what the runs answered, and returns a [mapfile.Map]: for
// every operation a [mapfile.Field] per place. Memory grows with the number of operations and places, not with that of
// exchanges.
//
// # How a recording is read
//
// Three stages hand each step on in the order of the recording; they run beside each other, and end before Judge
// returns.
//
//  1. Reading (readAnswers, ahead.go): answers are parsed and compared with the recorded one, by volatility/compare.
//  2. Counting (step, judge.go): a stepAnalysis takes what was found into the fieldStats of each place. Within a step:
//     the status, over all observations; size and time, over those that have the recorded status; the recorded values;
//     the differences, one observation after the other; whether the runs agree on them (seeRunPatterns, which needs all
//     the differences of the step); and the recorded values again (reexamineRecorded), as only now it is known where
//     they stayed. Answers of runs that make something else of the recording (perturbed.go) and of requests sent in a
//     row (rows) are counted apart: they are not what a run as recorded would answer. Of these, runs by a moved clock
//     and under load say at which step and by how many requests at once a place moves (volatility/condition), and new
//     clients what is drawn once for each (clients.go). Where workers on several machines played, the answers of each
//     are held against each other (volatility/condition). What an answer says of its time to live (cached.go), and
//     reads that came right when they were asked again (eventual.go), tell of runs as recorded. Runs played as recorded
//     are counted once more by themselves where there are others (asrecorded.go): why a place moves is asked of them
//     wherever they saw it move, so that no run made under a condition, and no repeat, turns a counter or a clock into
//     chance. In the order of the requests of each run it is seen whether whole numbers go on from one to the next
//     (requestorder.go, by volatility/inorder), as those of a limit do, and whether refusals come in a row.
//  3. Mining (relationinput.go): volatility/relation looks for what holds between the values of an answer. Nothing in
//     the other stages asks for it before all steps are read.
//
// # The passes of the verdict
//
// When all is counted, verdict.go makes the passes over each operation, each for the next ones:
//
//  1. joinDataKeys: places under keys that are data (sessions by their id) become one, before anything is judged: by
//     itself each would come and go.
//  2. markSecrets: parts of a text may be secret because the text is, and a text because it hides a secret. It needs
//     the final places, and what is stated of a place needs it.
//  3. judgeFields: each place by what was counted of it alone: did it move, and then why (explain.go); or what explains
//     that it will (field.go); what holds of all values (whatholds.go), of which a secret is taken back (conceal.go).
//  4. explainByLifecycle: what came and went with a stage of life that is the clock's is the clock's, and so is a
//     number beside it that goes on while it lasts. It turns drift to jitter, so it comes before anything asks what
//     moves.
//  5. explainBySiblings: what says nothing by itself, and something beside a date or the name of a machine. It needs
//     the judgement of the neighbors.
//  6. explainByParts: a text moves for the reason its parts do. It needs the final judgement of the parts, and goes
//     from the innermost texts out.
//  7. withdrawOrders: "the same elements in any order" is not said of an array within which something moves: the
//     judgements of all members have to be final.
//  8. stateRelations: a relation is stated of the place of it that moves: so again.
//  9. shareCategories (sameas.go), over all operations at once: a value that one answer gives and others repeat has one
//     category, that of its place with the strongest evidence. It needs the categories of all places, and the
//     relations.
//  10. explainSize: the size of a body moves for the reason that what moves in it does.
//  11. writeFields: evidence becomes codes, and keys that are secret become tokens, after the index of places was made.
//
// Until the last pass evidence is a value ([mapfile.Evidence]); no decision is read back from a code.
//
// # What is always true
//
// Evidence outranks pattern. What moved in the runs is volatile whatever it looks like; what never moved is volatile
// only where its value is explained by something that will (the clock at the time of the exchange, the environment, a
// nonce); and what merely looks like a date or a UUID is listed as a hint that disables nothing. A value that is near
// to the clock explains its exchange, whatever others say, unless more than one fixed value in a hundred would be as
// near by chance: today's weekday is a hint (nearclock.go). Nor does the name of a duration explain anything without a
// value that fits the time that passed (elapsed.go).
//
// A place below /header and /body is judged only on observations that have the recorded status: where the status moved,
// that is the finding. What is stated of a place is true of every observation, of those under perturbed conditions too.
// The same steps give the same map, byte for byte, whatever the order of Go's maps.
//
// # What a bound says
//
// The chance of a place is that of an answer that differs from the recorded one there, averaged over the observations,
// for a place below /header and /body over those with the recorded status. Its bound is no lower than that in 95 % of
// all cases (frequency.go, volatility/confidence):
//
//   - The exchanges of an operation are pooled. Their chances need not be the same: the sum of independent trials is
//     less often small than that of as many with their average chance (Hoeffding 1956). An exchange without the place
//     counts only where it came to have it, which makes the share of changes larger than it is.
//   - Where the exchanges are seen to differ, the bound is one on the largest of their chances: the largest of their
//     own bounds is no lower than that of the exchange in question. It needs no correction for having been picked.
//   - Where the answers of one run are seen to move together, they are no independent trials, and runs are counted. Of
//     a place that never moved nothing tells whether they are: its bound is on answers. What moves with a run as a
//     whole (a deploy, the start of a process) has that of the runs, whatever the map says of the answers: 0 of 10
//     gives 26 %.
//   - Repeats may be made because of what was observed before ([DoubtsAbout]). They are asked for while a place has not
//     moved, up to a number of observations fixed before. That voids no bound: take the first look at which a bound of
//     one change would lie below the true chance. Before it only a place that never moved can have too low a bound, and
//     that is looked at further; so too low a bound there means one change at most in that number of observations,
//     which comes about in 5 % of all cases. What other places have asked for is no reason for a lower bound: that of a
//     place which runs saw move is no lower than theirs.
//
// Places of one kind in several operations are pooled last ([mapfile.Map.PoolKinds]): what never moved anywhere has a
// bound that holds for nineteen of twenty operations, whatever their chances are, and for all places of a map together
// in 95 % of all cases.
//
// TestBoundHolds in replay/experiment holds all of this against an API of known chances.
//
// # What it refuses
//
// It fills no gaps: a step without observations, or a run without times, says nothing, and doubts go into the warnings
// of the map. Lists are bounded (see the const blocks); of what is beyond a bound less is said, and nothing that is
// wrong. The first error of the steps ends the judgement.
//
// # What it leans on
//
//   - Clopper and Pearson (1934), The use of confidence or fiducial limits: the one-sided 95 % bound on the chance of a
//     change, by the incomplete beta function's continued fraction, DLMF 8.17.22, evaluated by Lentz's method
//     (volatility/confidence).
//   - Hoeffding (1956), On the distribution of the number of successes in independent trials: why exchanges of
//     different chances may be pooled.
//   - Benjamini and Yekutieli (2005), False discovery rate-adjusted multiple confidence intervals: what the bound of a
//     kind promises of its places.
//   - The chi-squared test of homogeneity, with the quantile of Wilson and Hilferty (1931): whether one chance accounts
//     for the changes of all exchanges, or of all runs (volatility/confidence, frequency.go).
//   - RFC 9110 for what HTTP itself moves; volatility/notation for dates, UUIDs and digests.
package volatility
