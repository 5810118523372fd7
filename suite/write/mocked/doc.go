// Package mocked makes the [plan.Plan] of a suite from behaviors that a search has found: one test each, which carries
// what external services answer, and asserts what the API answers and what it asks of them.
//
// A behavior was tried several times with the same stubs. Its first trial is taken for a recording of two exchanges,
// the API's and that of the journal, and the others for runs of it: what moved in them, and what would, is judged and
// weakened as for any suite (packages volatility and build). Each behavior is judged by itself, because the same
// request is answered otherwise in each: that is no flakiness. Of the calls to services each is judged by itself
// (calls.go), but for those that are made side by side, which come in any order in all tests (order.go).
package mocked
