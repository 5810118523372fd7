// Package findings gathers what a report shows of a recording: which tests are at risk, why, and what to do; the places
// that move, with the values that each run had there; the runs under their conditions; the sequences with the values
// that flow through them; what changed since an earlier map; what a suite's runs said before and after it was patched.
//
// [Gather] judges a recording and goes through its steps once more ([analysis.JudgeThen]): what the runs had at a place
// is read off the differences between each observation and what was recorded, so that it takes the memory of what is
// shown, and not that of the recording. The rest is put beside it by whoever has it: [Findings.Compare] an earlier map,
// [ReadRates] the report of verify or stabilize, package inspect the external services.
//
// A [Findings] is the JSON form of the report as well, which docs/report.md describes; the other forms (packages page
// and form) show what is in it, and judge nothing themselves.
//
// # Invariants
//
//   - Each value is shown through the recording's Redactor, and cut to [MaxValue] bytes around what differs.
//   - The same recording gives the same findings, byte for byte.
//   - The id of a place is made of its operation, its status and itself: it is the same in each report, whatever else
//     is in it, and whatever the parameters of templates are called.
//
// # What it refuses
//
// It judges nothing. What moved is what the judgement says; a place that it calls stable has no values here.
package findings
