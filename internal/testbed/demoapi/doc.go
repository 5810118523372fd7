// Package demoapi is a small web API whose every moving part is known: the truth that flaketap's judgement is held
// against, the target of its demo, and the API that its own tests record, replay and break.
//
// It behaves as real services do, over a store in memory: accounts log in, a catalogue is browsed, orders live their
// asynchronous lives, prices jitter, searches shuffle, a guestbook keeps what an earlier visitor left. Some answers
// move with the clock, some with a nonce, some with a digest, some with state that no reset clears; as many look as if
// they would move and never do: birth dates, seed UUIDs, article numbers of 13 digits, e-mail addresses with
// hex-looking domains. What truly moves, and why, stands in truth.json, place by place; a test proves that file against
// answers.
//
//	New        an API with its own store and its own randomness: an http.Handler
//	Dials      what can be set: seed, clock, chances, latency, environment, a planted fault
//	Serve      the API on a listener, until the context ends
//	Drive      a client that uses every operation the way people would
//	LoadTruth  the labels, by operation and place; internal/testbed/truth has their types, and the score
//
// The labels hold under the conditions that a map is made under by default: a recording of a client, then runs of the
// same requests, each after POST /admin/reset, with the clock going on, bodies compared one by one. The recording
// finds what an earlier client left behind, and the runs do not: that is why the guestbook is labelled State.
//
// POST /admin/reset, GET and PUT /admin/dials are there for those who run the API; its own OpenAPI document does not
// list them, since a fuzzer would call them.
package demoapi
