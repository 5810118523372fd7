// Package write lists the forms in which a test suite can be written, and writes a [plan.Plan] as one of them.
//
// A suite is made in two halves that know nothing of each other. Package build decides, from a recording and its map,
// what is sent, kept and asserted; its result is a Plan, which is in no language. A package for each form (pytest,
// junit, jest, postman, hurl, gotest) says the plan in the words of that form and decides nothing.
//
// A package of a form has a function Write, and beside it, in its folder runtime, the source of what the generated
// tests call: the client that sends requests as they were recorded, and the assertions that the form's own library
// lacks. The package itself adds the README that each project has: its command, and what it takes from the environment.
// The runtime is embedded in the binary, and tested as the source code that it is.
//
// What most answers have in common in their heads stands once in a suite, where its form has functions: see
// [plan.CommonOf]. Hurl has none, so each of its tests says all of it.
//
// To add a form, add its package and a line to [Formats].
//
// # Invariants
//
// The same plan gives the same bytes. No file but the one of the secrets holds a credential, and that one is readable
// by its owner alone. What a form cannot send or assert as the plan says is left out with a comment that says so; it is
// never said otherwise. Nothing here opens a file or a socket: files are returned as bytes.
package write
