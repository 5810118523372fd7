// Package breach holds one answer against all that was seen before it: what a map says of its operation, and what the
// same request was answered in each earlier run. It is pure.
//
// [Judge] lists what is worth telling of an answer, each a [Finding] at a place:
//
//   - a steady place that has what no earlier answer had there: another value, another type, gone, or new;
//   - a place that moves, and breaks what holds of it: another format, beyond its range, at odds with the request or
//     with the places that it follows from, gone though it was always there;
//   - a place that moves, and differs from the recording within what holds: the ordinary case, and no breach.
//
// [Repeats] tells of answers that no longer have a value of an answer before them, as an order that is read has the id
// with which it was made, whatever id that is.
//
// Where the status is another than recorded, that is the finding, and nothing else of the answer is looked at.
//
// # What is evidence
//
// A value that an earlier run had at the very place of the very request is no news, whatever the map says. A steady
// place is a breach only by what was observed of it: a finding says in how many answers it never moved, and is
// [Finding.Unsure] where these are too few. A status of 5xx that the operation never had, and a connection that breaks
// where none ever did, are sure after any number.
//
// What the protocol moves, and what the user's rules ignore, is never found.
package breach
