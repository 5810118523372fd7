// Package settle tells when an API that is ready later is ready: a job that is accepted, pending, then done; a thing
// that is not found until it is indexed.
//
// A [Learner] takes the steps of a recording, in order, with what they answered in its runs. Reads (GET and HEAD) of
// one thing that follow a write are one group: what they answered in one execution, with the times since that write,
// is a trail. From the trails of a group come
//
//   - the oracle: the status, and the places that change along trails, with the values that at least [Support] of their
//     ends agree on. Where ends differ, what is left of a value is its type, if that tells anything;
//   - the times that it took from the write to the first answer that fits the oracle;
//   - the ends in vain: other words at those places that trails of the same operation ended with, and from which none
//     was seen to go on. Who waits stops there.
//
// Stages tell of each of these reads how far the API was, whether or not ends agree: by the words, types and absences
// that gave way to others, and not back again, in the trails of its operation. An answer that is at no stage that was
// recorded is not to be taken for the recorded one.
//
// # What counts as evidence
//
// A trail that ends with what another one has gone on from was not at its end: it is cut off, and tells of no end.
// What a replay asked for again until it answered as recorded ([exchange.Settling]) ends as its last answer does;
// where that was not kept, as the recording does, in its words and types alone. What came between was not seen: where
// it was answered with another status first, all words and types of its end are what it was waited for. That a last
// word is an end in vain takes two signs: no trail went on from it, and it either lasted, over two looks at least,
// longer than the slowest read took to be ready, or it names a failure. A word that nobody has seen is none, whatever
// it says. A thing that goes back to what it was is none that becomes ready: reading it may be what changes it.
//
// Everything here is pure, and linear in what it is given.
package settle
