// Package before writes set-ups into tests in JavaScript that people wrote, as the test sends its own requests.
//
//  1. A [Model] is how a test sends a request: its client, and the expression of a URL around the path. Package jest
//     reads it from the test, and requests are written by it (request.go).
//  2. A [Sender] writes what a set-up sends, takes from the answers and deletes in the end (sender.go).
//  3. Where a hook that runs before the test is to find what the set-up makes, that stands in a [Hook] of its own,
//     right above: it runs before the one test that it names (hook.go).
//
// What is written is read again by package suite, which leaves it where another call would change.
package before
