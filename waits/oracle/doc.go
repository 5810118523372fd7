// Package oracle finds what the commands of a suite of WebDriver wait for, in recorded runs of it.
//
// A [Session] is runs of one suite: what was asked of browsers, what was answered, and what changed in their pages
// meanwhile, all with times. [Learn] makes a [Model] of it. Only runs that passed say what is right; all of them
// say what comes too early:
//
//   - A read is to be answered what it was answered in every run that passed. It is prone to come too early where some
//     run answered it otherwise at first, or where what the answer shows came to be there by itself, after the last
//     action: neither a user's input nor the loading of the page brought it about directly.
//   - An action that follows an action, with no look at an element in between, is to find the last three properties
//     that changed by themselves after the first one, where some run had it come before these, and none of those runs
//     passed.
//
// What changes again and again at about the same intervals, or by a timer or a socket that no action is behind, is
// background; attributes that the suite does not speak of may show nowhere; and what is in the end as it was before
// was there for a while only: none of these is waited for. [Run.Transients] tells the reads that were answered such a
// thing.
//
// An element may be found by its names, as far as these were its own in each run that passed ([Name]).
//
// The package is pure: times are those of the recording. docs/waits.md describes what its file holds.
package oracle
