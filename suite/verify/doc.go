// Package verify proves both halves of what was done to a suite: that it fails no more where the API is well, and that
// it still fails where it is not. [Run] runs the original and what was made of it again and again, counts what fails,
// then plants faults in the API's answers and tells which of them each suite still notices.
//
// # The algorithm
//
//  1. Each suite runs N times with no fault planted, all of them in turn, so that what moves with the time does not
//     look like a difference between suites. A [Runner] runs a suite once; a transcript keeps what it was answered in
//     the first run, and learns from the further runs which places of these answers move.
//     A Command does one run at a time; [Command.Beside] (beside.go) gives several of it that run side by side, for
//     package suite/stabilize, each with an API of its own and its proxy at an address of its own.
//  2. The results of the runs are counted (package suite/results): FR, FRc and FRu. A run that ended otherwise than its
//     tests say (it crashed, was cut off, left no results where others left some) is a further test, "(run)", so that a
//     suite cannot pass by breaking off. Faults are told by the whole runs alone.
//  3. Package suite/mutant makes faults of what the original was answered, and is told of each place whether it is
//     volatile: by a map, and of answers that the map does not know by what moved in step 1. First come the runs, then
//     the faults, for that reason, and because a test that fails without a fault notices none.
//  4. Each fault has runs of its own of each suite: only so is it certain what a test fails of. A proxy rewrites the
//     answers; the API is never touched. A mutant counts where it changed an answer that the original asks for, whether
//     or not an assertion can tell it; of each that survives, the assertion is named that would have failed, or said
//     that none can. What tells a fault tells it twice, and where tests that tell some failed of others by chance, runs
//     without a fault follow, as many as show that (confirm.go).
//  5. [Verification] writes what came of it as text, JSON or JUnit XML, secrets taken out.
//
// # What stays true
//
// The same seed over the same answers and the same map plants the same faults. A test kills a fault only where it
// passed in every whole run without. A run whose command asked nothing of the API and left no results has tested
// nothing: that is an error and no result, as is a run that nobody answered.
//
// # What it leans on
//
// [Run] starts nothing and opens no file: it asks its [Runner]. [Command] is the Runner that does: it starts or resets
// the API (package replay/service), runs the command behind a proxy (package proxy), and reads what the runner of the
// tests left. Killing mutants is the measure of mutation testing (DeMillo, Lipton and Sayward, 1978), with faults in
// answers in the place of faults in code.
package verify
