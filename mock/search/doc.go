// Package search looks for what an API does when its external services answer otherwise: it tries answers, one change
// at a time, and keeps each behavior with the smallest stubs that reach it. It is pure: a trial is run by an [API].
//
// # The way of a search
//
//  1. Each request is tried with no stubs at all. What it asks of which service ([Endpoint]) can then be answered.
//  2. A behavior is told by what is seen from outside ([Outcome]): status, shape of the answer, outgoing calls, a hang.
//     A new one is confirmed by two more trials, and becomes a base, from which further changes are tried.
//  3. Changes are tried in the order of their [rank]: the plain good answer, failures, values, the words of the API's
//     own files, rarer statuses. Requests take turns, and so do endpoints; of one endpoint, changes of bases that
//     make more outgoing calls go first, and then of those with better statuses.
//  4. Names of fields are learnt in two ways. Errors in answers name some. Of the words, all at once are given one
//     value; where that makes a new behavior, halving (internal/bisect) finds the few that do it, which are known from
//     then on.
//  5. What is left of the budget makes the stubs of each behavior smaller: an answer, or a field, is left out where the
//     behavior stays.
//
// Nothing is random but the order of equals, which the seed decides: the same API gives the same findings.
package search
