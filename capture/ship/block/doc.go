// Package block is the form in which exchanges travel between machines: some of one recorder's, in order, with what
// is known of the pass that they belong to.
//
// Records are those of package store (store/FORMAT.md), many together under zstd. What is large travels apart from
// them, in pieces that are named by the SHA-256 of their content, so that each content travels once: bodies of more
// than 16 KiB, and a block that is larger than a message may be.
//
// The package is pure. Where pieces are kept is the business of whoever encodes and decodes. What it decodes comes
// over a network, and may be anything: sizes and counts are bounded, what is announced is believed as it comes
// true, and a block that contradicts itself is an error.
//
// # The form
//
//	format    1 byte   1: the oldest form whose readers read it; a reader refuses a later one
//	kind      1 byte   0: the content follows; 1: the names of the pieces that make it up follow, 32 bytes each
//	checksum  4 bytes  CRC-32C of all that follows, big-endian
//
// The content is one zstd frame that announces its size, 20 MiB at most, of
//
//	length    uvarint, and a JSON object: what Header is
//	records   each with its length before it, as a uvarint
//
// A body whose first pieces travel apart names them in its record by their place in the list of the header, from 1.
//
// A reader passes over members of the header, and of the pass in it, that it does not know: a newer flaketap may add
// some, and names the same format. Records are strict: what is new in them makes the format rise, of the blocks that
// hold it and of no others.
package block
