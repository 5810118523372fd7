// Package store keeps a recording and its runs in one database file.
//
// A [Store] is written by one goroutine of its own, which gathers what [Store.Record] and [RunWriter.Observe] hand over
// and commits it in groups, so that it is on disk within 50 ms where a sync takes the disk a few. Handing over does
// nothing heavy; it waits while more is queued than can be stored in time.
//
// What comes fast to a writer that somebody waits behind ([Options.Live]) is packed in a hurry, into twice the room,
// and well when the store is closed. Packing is most of what storing costs, and the clients of a recorder would feel
// it.
//
// Large bodies stand apart from their exchanges, in pieces, each content once. A recorder can hand them over piece by
// piece while they are under way ([Store.Keep]), so that memory does not grow with what passes.
//
// Reading works while the same process writes. Every read is a short transaction of its own, so that a slow reader
// holds nothing up; it sees what has been stored by then ([Store.Flush] stores what is queued). Another process is
// given a copy by the one that writes ([OpenReadOnly]); one that goes on looking, what is new ([OpenCopy]).
//
// The file survives the death of the process at any moment: it then holds every group that was committed, and nothing
// of the one that was not. Its layout, and what is promised of it, is in FORMAT.md.
package store
