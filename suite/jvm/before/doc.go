// Package before writes set-ups into tests in Java and Kotlin that people wrote, as the test sends its own requests by
// REST-assured.
//
//  1. A [File] knows the methods of a suite's file, and reads the statement of one request of a test (model.go): how
//     the chain begins that sends it, and the expression of its URL around the path.
//  2. Its [File.Grafter] writes what goes before in the same words (write.go): at the head of the test, with what
//     cleans up in a finally around the rest.
//  3. Values that a set-up gives come into the place of the literals of the test's own statements (bind.go).
//
// What is written is read again by package suite, which leaves it where another call would change.
package before
