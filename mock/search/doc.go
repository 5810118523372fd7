// Package search looks for what an API does when its external services answer otherwise: it tries answers, one change
// at a time, and keeps each behavior with the smallest stubs that reach it. It is pure: a trial is run by an [API].
//
// # The way of a search
//
//  1. Each request is tried with no stubs at all. What it asks of which service ([Endpoint]) can then be answered.
//  2. A behavior is told by what is seen from outside ([Outcome]): status, shape of the answer, outgoing calls, a hang.
//     A new one is confirmed by two more trials, and becomes a base, from which further changes are tried.
//  3. Changes are tried in the order of their cost: their [rank] (good answers, failures, values, words of the API's
//     own files, rarer statuses), and how often they were tried from other bases. Requests take turns, and so do
//     endpoints; of one endpoint, changes of bases that make more outgoing calls go first, and then of those with
//     better statuses.
//  4. Names of fields are learnt in three ways. Errors in answers and logs tell some ([ReadErrors]; wordings.go has the
//     words of parsers); [hunt.fills] lists answers that would mend an error, and a field is known once one of them
//     does something else. Samples, recorded or of a description, have others. Of the words, all at once are given one
//     value; where that makes a new behavior, halving (internal/bisect) finds the few that do it.
//  5. Where an endpoint is asked again after an answer, a second one is tried behind it (sequences).
//  6. What is left of the budget makes the stubs of each behavior smaller: an answer, or a field, is left out where the
//     behavior stays; and finds which field surfaces where ([Surfacing]), by changing it alone.
//
// Nothing is random but the order of equals, which the seed decides: the same API gives the same findings.
package search
