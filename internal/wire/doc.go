// Package wire reads HTTP/1 as it stands on the wire, without changing a byte of it.
//
// There are three things here. A [Head] is the parsed view of a start line and its header section; the bytes it was
// read from stay with the caller. A [Framer] follows one direction of a connection and says where each message ends,
// without keeping bodies. [Dechunk] and [Decode] turn a stored body into the payload that was meant.
//
// Nothing here refuses a message: fuzzers send what no sane client sends. What cannot be read is marked malformed and
// goes through all the same.
package wire
