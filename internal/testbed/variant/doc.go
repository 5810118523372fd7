// Package variant plants regressions in the source of the labelled APIs, so that suites can be scored by what they are
// for: telling a bug that somebody wrote.
//
// A variant is a file: a line that says what a user would notice, then what stands in a source file before and after.
// [Read] reads the variants of a folder, and [Variant.Build] builds the program with one of them, through the overlay
// of the go command (go help build): the source itself is never touched, and no API carries code for its own faults.
//
// What a variant changes is the source as it stands: where that no longer has the text which is to be replaced, once,
// Read refuses the variant, so that none of them stops to be a regression without a word.
package variant
