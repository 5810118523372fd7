// Package inspect shows what a recording holds, and explains what is made of it: what flaketap inspect prints, as text
// for people, as one JSON document, or as lines of JSON (docs/inspect.md describes the members).
//
// An [Inspector] shows what is in the file, each method one topic: the whole, passes, runs, sequences, exchanges that a
// [Filter] lets pass, one exchange, operations, bindings. [Why] explains judgements, and [Claims] holds a suite's
// assertions against its executions; both are of a recording that is analyzed already (package volatility/analysis).
//
// # What stays true
//
//   - Listings are written record by record, in one reading of the database; what stays in memory is an outline of each
//     exchange at most, and for Why the steps.
//   - A masker, or package exchange/redact, shows every text: secrets are tokens, unless the user asked to reveal them.
//     A secret that one exchange names is one wherever another repeats it, so topics that show texts read the recording
//     once before they show anything.
//   - No control character of a recording reaches a terminal: package report, which writes tables and documents, sees
//     to that.
//
// # What it refuses
//
// A position, an operation, a place or a sequence that the recording does not have; the error says what there is.
package inspect
