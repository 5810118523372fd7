// Package experiment observes an API again under conditions that are known: it plans the runs of a replay, plays them,
// and looks for what explains how they differ. [Run] does it; [Preview] says what it would send.
//
// # The steps
//
//  1. Survey the recording (package analysis): its bindings, what earlier runs say of them, which exchanges form a
//     sequence. Nothing can be planned before, because a request may carry a value of any earlier answer.
//  2. Aim the player: which API, which of the recorded hosts, which requests are left out ([Selection]). What may
//     change something is asked about here, before anything is sent.
//  3. Plan: the plain runs first, because they show what moves by itself; then one run for each further condition
//     ([Condition]), so that what is new in it is due to that condition alone.
//  4. Play the runs. Each is stored with its condition while it is played, so that a run that is cut off can be
//     resumed.
//  5. After a run in another order, search for the sequences that decide how others go (package search). That takes
//     trials from a known start, which are not stored.
//  6. For a bound, judge what was observed until now, and send those requests again whose answers have a place that is
//     called stable after too few observations ([LooksFor]); once more for those that were answered otherwise. Earlier
//     replays count. That the judgement decides voids no bound: see package volatility.
//
// # Experiments
//
// A condition comes from an [Experiment], a value in the list of [Experiments]: its name, what it needs, and how it
// makes a condition of what the user gave. [Condition.Apply] changes how the player plays, most often by what it puts
// around the sending of requests ([replay.Around]), and returns what undoes that. A new experiment is a file with such
// a value and a line in the list. What weight its runs have is for package volatility to say, by the name that is
// stored with them.
//
// # Invariants
//
//   - A request that may change something is sent once in each run; only GET and HEAD with an answer are repeated.
//   - An API on another machine is put under load only where the user names that experiment.
//   - Nothing is sent to a host that was not recorded, unless the user names it.
//   - A run is stored with the conditions that it was played under. One that is resumed goes on under the same, or not
//     at all.
//   - The search claims only what its trials showed.
//
// # What it refuses
//
// A recording that is damaged or empty; a target in place of several recorded hosts; conditions that cannot be had here
// (an environment without an API that is started here); to resume with other settings.
//
// It leans on the player (package replay), the searches (package search) and the store of runs (package runs); on
// Clopper and Pearson 1934 for how many observations a bound takes.
package experiment
