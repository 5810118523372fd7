// Package folder reads the files of a suite for their waits: those that are tests by their names or by where they lie,
// and what these import.
//
// A folder is somebody else's: how many files are read, how large and how deep, is bounded, and no link is followed out
// of it.
package folder
