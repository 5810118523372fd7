// Package portapi is a third web API whose every moving part is known: the terminal of a container port, with its
// ships, berths, bookings, customs and gates. It speaks eight languages, writes dates in the notations that their
// readers expect, locks out and limits its clients, keeps a cache, reads from a replica that lags, and has faults that
// are rare. Its labels were written from what its handlers compute, without any knowledge of how answers are judged,
// and are never changed to please a judgement.
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
package portapi
