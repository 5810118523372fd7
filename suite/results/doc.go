// Package results reads what test runners leave behind, and counts what several executions of a suite say of its tests.
//
// [Read] knows, by their content, JUnit XML (pytest, Surefire, Gradle, jest-junit, Newman, Hurl), the lines of go test
// -json, Jest's --json, TAP, and what Python's unittest prints with -v. Each comes to a list of [Result]. What a run
// printed beside them is passed over.
// [Rates] are the failure rates of N executions: FR, FRc and FRu.
//
// Files of results come from programs that nobody here wrote: their size, number and texts are bounded, and what cannot
// be read is an error with the file's name and, where there are lines, the line.
package results
