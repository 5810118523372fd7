// Package snapshot is what snapshot tests store: the values that a test is to see again, as Jest and Vitest (.snap, and
// inline in the test) and syrupy (.ambr) write them.
//
// A file is split into its entries, by name ([ReadJest], [ReadAmber]); the text of one is read to a tree ([Jest],
// [Amber]), in which matchers may stand for values that were not stored. [Says] is what such a tree asserts of a value,
// in the words of package expr. What is to be asserted instead is fitted to the tree again ([Fit]): which values stay,
// which are said otherwise. Edits of the text then say so ([Edited]), and [File.With] writes the file.
//
// What is not understood is an error: no value is guessed.
package snapshot
