// Package past says what a history of tests tells of their waits: which values a line once had, and which lines were
// given other ones. [Read] reads what git log prints; [Lifeline] follows one line back.
package past
