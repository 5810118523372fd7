// Package before writes set-ups into tests in Python that people wrote, as the test sends its own requests.
//
//  1. A [Model] is how a test sends a request: its client, and the expression of a URL around the path. Package python
//     reads it from the test, and requests are written by it (request.go).
//  2. Values that a set-up gives come into the place of the literals of the test's own statements (literal.go).
//  3. Where fixtures send requests before the test begins, the set-up is a [Fixture] of its own that pytest has done
//     before those; else it stands at the head of the test.
//
// What is written is read again by package suite, which leaves it where another call would change.
package before
