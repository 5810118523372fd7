// Package hub is how recorders and collectors speak with a hub: a server of NATS with JetStream, the one that
// flaketap hub starts or any other. What is sent and how it is read together is not its business (packages ship and
// collect).
//
// All that belongs to one NAME stands in one stream, flaketap-NAME, and in one bucket of keys and values of that
// name:
//
//	flaketap.NAME.blocks.RECORDER   the blocks of a recorder, in order
//	flaketap.NAME.pieces.SHA256     a piece of a body, each content once
//	terms (in the bucket)           what all recorders have in common: the first one's
//	recorder.RECORDER (likewise)    what a recorder reports of itself
//
// A block is published with the position of the recorder's last block, which the server holds it against: so a
// block is in the stream once, whatever is sent again. Where a stream is full it refuses what is new: nothing is
// discarded.
package hub
