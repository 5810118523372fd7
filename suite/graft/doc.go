// Package graft writes into a test what it is given back of the session that it came from: the requests of a set-up,
// the clean-up behind it, the ids that these are answered with in the place of the old ones, and values that are drawn
// anew in each run.
//
// # The order
//
//  1. What the set-up and the clean-up send becomes requests in no language (parts.go), with variables where a value is
//     bound. A secret that the suite does not hold is written nowhere.
//  2. The test's own requests (own.go) and what its assertions expect speak of these variables.
//  3. The dialect writes all of it; what it has no words for is refused as a whole, with the reason.
//  4. A test that a person wrote is read again with what was written: it has to send what is meant, and nothing else.
//
// What a test depends on is found by package suite/setup; nothing is decided here.
package graft
