// Package search looks for what an API does when its external services answer otherwise: it tries answers, one change
// at a time, and keeps each behavior with the smallest stubs that reach it. It is pure: a trial is run by an [API].
//
// # The way of a search
//
//  1. Each request is tried with no stubs at all. What it asks of which service ([Endpoint]) can then be answered.
//  2. A behavior is told by what is seen from outside ([Outcome]): status, shape of the answer, outgoing calls, a hang.
//     A new one is confirmed by two more trials, and becomes a base, from which further changes are tried. What differs
//     from another value of the same field in that value alone, which the API gives back, is none (echoes.go).
//  3. The climb (climb.go): first each request is taken as far as it goes, one after the other, since what one learns
//     of a service the others need not. Errors in answers and logs name fields ([wordings.ReadErrors]);
//     [hunt.repairs] lists the answers that would mend them, of the endpoint that they are told of. The
//     base that got furthest, by [sight.score], is the front. Where it is told what is read ([Read]), that is supplied
//     (reads.go), and what was read last before an end is tried with each type (kinds.go).
//  4. Then answers are changed one at a time (changes.go), those of the front first: failures, and values of fields
//     (values.go). Values are those that the API's own files compare the field with, or have near it. What other bases
//     lead to follows: an endpoint that only they ask, a second field of the answer that led there.
//     What stands together in the files (kin.go) is tried together (related.go): the other words of a table once one of
//     them mattered, names that are read of the same thing as a known field, and those that a status is looked at with,
//     all at once, since most are no fields.
//     Of a struct all fields are decoded (declared.go): values of wrong types tell which one, and its other fields.
//     So do names that something else has, where a parser says what it does not take (borrow.go).
//     Before a good answer an interim one goes, once for each endpoint unless something new comes of it.
//  5. Names that nothing tells (probes.go): all words of the files are given a value at once; where that makes a
//     difference, the few that do it are narrowed down to (groups.go), those first that stand near the path of the
//     endpoint. Where it only runs what nothing ran before, known fields are changed beside all of them.
//  6. Where an endpoint is asked again after an answer, a second one is tried behind it (sequences). Where the files
//     speak of a header that leads on, it is tried (headers.go), and so are, in a good answer and in a failure, the
//     headers that they look up (lookups.go). What follows a failure is a good answer with most
//     fields, and of a good answer all numbers are tried large together (fuller.go).
//  7. Changes wait in an order of costs (hunt.go): their [rank] and turn, how often they were tried from other bases,
//     how far behind the front their base is, and how many changes of the field led to nothing new. Requests take
//     turns, those longer that ask more services. What led one furthest is tried with the others that ask the same.
//     Requests that come meanwhile ([Incoming]), as those of a fuzzer, are begun with between two changes.
//  8. What is left of the budget makes the stubs of each behavior smaller: an answer, or a field, is left out where the
//     behavior stays; tries the types of fields that are not known yet (kinds.go); and finds which field surfaces where
//     ([Surfacing]): where a request goes well, each field is given other values, one at a time (courses.go). Trials
//     that differ in one field alone are held against each other, those of the search too (shown.go,
//     differences.go), and repeated where what differs is not proven (surfacings.go).
//  9. At last, what is told from a known behavior by how long its answer takes alone is proven (paces.go): nothing
//     before depends on a clock. And what had no answer in time is waited for longer, few times (bounds.go): one that
//     comes then is slow, and no hang.
//
// Each trial says what it is for ([Purpose]), so that a budget can be accounted for.
//
// Nothing is random but the order of equals, which the seed decides: the same API gives the same findings.
package search
