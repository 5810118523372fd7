// Package before writes set-ups into tests in Go that people wrote, as the file sends its own requests: by net/http.
//
//  1. A [File] knows of each call how it is sent, wherever that stands: the expression that the URL begins with, and
//     the client, where both mean the same at the head of the test (model.go).
//  2. Its [File.Grafter] writes what goes before at that head, and what cleans up in a t.Cleanup there (write.go).
//  3. Values that a set-up gives come into the place of the literals of the test's own statements (bind.go).
//
// What is written is laid out by gofmt's own package, imports what it needs, and is read again by package suite, which
// leaves it where another call would change. The package refuses tests that hand each other something by a variable,
// clients and URLs that a test or a function makes for itself, and numbers, in whose place no text can stand.
package before
