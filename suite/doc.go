// Package suite mends the tests that others wrote.
//
// [Read] reads a suite to its meaning, a [Script]; [Hold] puts a recording beside it: what each call sent and was answered.
// Of what is [Held] can be asked what the executions show of each assertion ([Held.Verdicts]), what the tests lean on
// ([Held.Dependents]), and the suite with each assertion weakened to the strongest thing that is true of all observations
// ([Held.Patch]).
//
// The package writes no files and starts nothing: it is given the steps of a recording and returns bytes.
package suite
