// Package steady holds an API still for a suite that asserts what was recorded. It stands between a client and an API,
// as a rewriter of messages, and knows a recording of the client and what was learned of it.
//
// Each request finds the recorded one that it repeats. A value of its answer that is known to move, and still satisfies
// what was learned of it ([volatility.Holds]), is replaced by the recorded value; ids are translated both ways, so that
// the client works with recorded ones and the API gets those that it gave; elements that come in any order are put back
// in the recorded one. Everything else passes as it is, regressions included, with the reason in the [Summary] and, on
// request, in a header of the answer.
//
// # What never changes
//
// The status. A body whose status is not the recorded one. A value that is not known to move. A value that moves, and
// is not what was learned of it: another type, another format, beyond its range, at odds with the places that it
// follows from.
//
// # Bytes
//
// A JSON body is edited in its raw tokens: what is not replaced stays as it is, byte for byte, white space included.
// The framing is mended (Content-Length, chunks, content codings), and digests that were right are made right again
// (Content-MD5, Digest, Content-Digest, Repr-Digest).
//
// Everything here is pure: values in, values out.
package steady
