// Package wardapi is a second web API whose every moving part is known: a hospital's ward and its laboratory. It is of
// another domain than internal/testbed/demoapi and of another style: German and French names beside English ones,
// clinical resources nested deep, other notations of time, other kinds of ids, other formats of bodies. Its labels were
// written from what its handlers compute, before any judgement of it was seen, and are never changed to please one:
// what a judgement gets right here, it does not owe to having been tuned.
//
//	New        an API with its own store and its own randomness: an http.Handler
//	Dials      what can be set: seed, clock, chances, latency, environment
//	Serve      the API on a listener, until the context ends
//	Drive      a client that uses every operation
//	LoadTruth  the labels, by operation and place; internal/testbed/truth has their types, and the score
//
// The labels hold under the conditions that a map is made under by default: a recording of a client, then runs of the
// same requests, each after POST /admin/reset, with the clock going on. The recording finds what an earlier client left
// behind, and the runs do not. POST /admin/reset, GET and PUT /admin/dials are there for those who run the API.
package wardapi
