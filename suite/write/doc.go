// Package write writes test projects from a recording: a [Plan] says what is sent, kept and asserted, in no language,
// and each form of project, pytest and JUnit and the rest, has one writer that says it in its own.
//
// The package writes no files and starts nothing: it is given the steps of a recording and returns bytes.
package write
