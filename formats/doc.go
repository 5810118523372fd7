// Package formats reads what other tools recorded, and writes recordings in their formats. Each format has a file of
// its own, or several with its prefix.
//
//	[Detect]   tells the format of a file by its first bytes, never by its name
//	[Read]     gives the exchanges of a file, one at a time
//	[WriteHAR] writes them
//	[ReadOpenAPI] reads the path templates of an API's description
//
// # A file, in order
//
//  1. Compression (gzip) and a byte order mark are taken off.
//  2. The reader of the format goes through the file once and holds one entry at a time, so that a file may be larger
//     than memory. What one entry may take is bounded.
//  3. Each entry is rebuilt to an exchange (rebuild.go). What a format does not keep, an exchange made from it cannot
//     have: bodies are then the payload alone (exchange.Message.Plain), and heads are written from the method, the URL
//     and the fields that were kept.
//  4. What could not be taken in as it stands is told to Options.Note, with the entry's number, and the reading goes
//     on.
//
// A file that was cut off gives every whole exchange before that, and then an error that names the file and the place.
//
// HAR is HTTP Archive 1.2; Schemathesis' cassettes follow VCR's YAML; mitmproxy's flows are tnetstrings
// (https://tnetstrings.info); RESTler's are its network logs.
package formats
